import AudioDSP
import AudioIO
import Testing

@testable import LiveRuns

@Suite("The controls of what changes the sound") struct EffectControlTests {
    private let shaper = Shaper()
    private let equaliser = Equaliser([EqualiserBand(.peak, hertz: 200), EqualiserBand(.notch)])
    private let table: ControlTable

    init() { table = ControlTable(Control.all(of: [(path: "", node: shaper), (path: "eq/", node: equaliser)])) }

    @Test func `are the parameters of its nodes, under their path, and one bypass for all`() throws {
        let band = ["kind", "hertz", "gain", "q", "on"]
        #expect(
            table.all.map(\.name)
                == ["gain", "drive", "shape", "antialias", "phase", "compensate", "bypass", "mute"]
                + band.map { "eq/1/\($0)" } + band.map { "eq/2/\($0)" } + ["undo"])
        try table.set("eq/1/gain", .number(-6.12345), by: .osc)
        #expect(equaliser.bands[0].decibels == -6.12345)
        #expect(try table.control("eq/1/gain").get() == .number(-6.123))
        try table.set("bypass", .flag(true), by: .key)
        #expect(shaper.isBypassed && equaliser.isBypassed)
        try table.advance("undo", by: .key)
        #expect(!shaper.isBypassed && !equaliser.isBypassed)
        try table.advance("undo", by: .key)
        #expect(equaliser.bands[0].decibels == 0)
    }

    @Test func `of a user's processor are among them`() throws {
        let later = Parameter(.number("decay", "how long it lasts", 0...1, initial: 0.5)) {
            .number(0.5)
        } write: { _ in
        }
        let node = Processor(Silence(), parameters: [later], process: silence)
        let table = ControlTable(Control.all(of: [(path: "own/", node: node)]))
        #expect(table.all.map(\.name) == ["own/decay", "undo"])
        #expect(throws: ControlError.self) { try table.set("own/decay", .number(2), by: .osc) }
    }
}

private struct Silence: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] = 0 }
    }
}

@_noLocks @_noAllocation
private func silence(_ call: ProcessorCall) { call.process(Silence.self) }
