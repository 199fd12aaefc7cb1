import Glibc

/// Something that reads what others wrote, and what must hold whatever that is.
struct Target: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    static let all = [
        bodies, convert, cycles, descriptions, facts, jitter, limits, mappings, midi, names, options, osc, packets,
        quantities, requests, rtp,
        serverLog,
        settings,
        shapeTable,
        soundFile, soundPart, sources,
    ]

    /// The one that `FUZZ_TARGET` names: libFuzzer keeps the arguments to itself.
    static let chosen = unsafe getenv("FUZZ_TARGET").flatMap { name in
        let name = unsafe String(cString: name)
        return all.first { $0.name == name }
    }
}

/// Called by libFuzzer before all else. Without a target it names them.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    guard Target.chosen == nil else { return 0 }
    print(Target.all.map(\.name).joined(separator: "\n"))
    exit(0)
}

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer passes so many bytes.
    unsafe Target.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Ends the run where something does not hold, so that libFuzzer keeps the input.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fatalError(what()) }
}
