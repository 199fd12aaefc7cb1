import AudioDSP
import AudioIO
import Glibc

// The manual's example of a processor, rendered without a server.

struct TremoloSetting: BitwiseCopyable, ParameterSetting {
    var depth: Float = 0.5
    var hertz: Float = 5
    static let fields: [ParameterField<Self>] = [
        .number("depth", "how much softer it gets", 0...1, \.depth),
        .number("hertz", "how often it does", 0.1...20, unit: "Hz", taper: .logarithmic, \.hertz),
    ]
}

struct Tremolo: AudioProcessor, ~Copyable {
    private var setting: ParameterReader<TremoloSetting>
    private var phase: Float = 0

    init(_ setting: consuming ParameterReader<TremoloSetting>) { self.setting = setting }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let setting = setting.newest()
        for frame in 0..<block.frames {
            let gain = 1 - setting.depth * abs(2 * phase - 1)
            for channel in 0..<block.channels { block[channel, frame] *= gain }
            phase += setting.hertz / Float(block.sampleRate)
            if phase >= 1 { phase -= 1 }
        }
    }

    mutating func reset(sampleRate: Int) { phase = 0 }
}

@_noLocks @_noAllocation
func tremolo(_ call: ProcessorCall) { call.process(Tremolo.self) }

// What goes wrong.

func unannotated(_ call: ProcessorCall) { call.process(Tremolo.self) }

/// Allocates in a function that the compiler does not check. The real-time sanitizer finds it.
struct Hoarder: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] = hidden(frame) }
    }
}

/// Makes something of the address, or the optimiser would leave the allocation out.
@_semantics("no_performance_analysis")
func hidden(_ number: Int) -> Float {
    // SAFETY: freed at once, and never read.
    let memory = unsafe malloc(64 * (number + 1))
    defer { unsafe free(memory) }
    return Float(UInt(bitPattern: memory) >> 4 & 1)
}

@_noLocks @_noAllocation
func hoarder(_ call: ProcessorCall) { call.process(Hoarder.self) }

@main
struct Own {
    static func main() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "unannotated":
            _ = Processor(Tremolo(ParameterGroup<TremoloSetting>().makeReader()), process: unannotated)
        case "mismatched":
            _ = Processor(Hoarder(), process: tremolo)
        case "allocating":
            _ = try render(Processor(Hoarder(), process: hoarder))
        default:
            let group = ParameterGroup<TremoloSetting>()
            let node = Processor(Tremolo(group.makeReader()), parameters: group.parameters, process: tremolo)
            for parameter in node.parameters { print("\(parameter.info.name) takes \(parameter.info.takes)") }
            let output = try render(node)
            // Half a period of the tremolo's 5 Hz: from the softest to the loudest.
            let levels = [0, 4800].map { (100 * output[0][$0]).rounded() / 100 }
            print("from \(levels[0]) to \(levels[1])")
            group.change { $0.depth = 0.8 }
            print("then from \((100 * (try render(node)[0][0])).rounded() / 100)")
            try node.parameters[0].set(.number(0.25))
            print("then from \((100 * (try render(node)[0][0])).rounded() / 100)")
            do { try node.parameters[0].set(.number(2)) } catch { print("\(error)") }
        }
    }

    /// A constant through a processor, a tenth of a second long.
    static func render(_ node: Processor) throws -> [[Float]] {
        let engine = try Engine(offline: 48_000)
        engine.attach(node)
        try engine.connect(engine.input, to: node)
        try engine.connect(node, to: engine.output)
        try engine.start()
        return try engine.render(4801, input: [[Float]](repeating: [Float](repeating: 1, count: 4801), count: 2))
    }
}
