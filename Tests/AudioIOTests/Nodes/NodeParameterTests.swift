import AudioDSP
import AudioIO
import AudioRealtime
import TestSupport
import Testing

/// Gain and offset, which belong together, and a delay of as many frames as the latency that is declared.
private struct MixedSetting: BitwiseCopyable, ParameterSetting {
    enum Mode: String, BitwiseCopyable, ParameterChoice { case plain, inverted }

    var gain: Float = 1
    var frames: Double = 0
    var mode = Mode.plain
    var isOn = true

    static let fields: [ParameterField<Self>] = [
        .decibels("gain", "gain", -40...20, \.gain), .number("frames", "delay", 0...3, unit: "frames", \.frames),
        .choice("mode", "sign", \.mode), .flag("on", "does something", isUndoable: false, \.isOn),
    ]
}

private struct Mixed: AudioProcessor, ~Copyable {
    private var reader: ParameterReader<MixedSetting>
    private var memory = InlineArray<4, Float>(repeating: 0)
    private var place = 0

    init(_ reader: consuming ParameterReader<MixedSetting>) { self.reader = reader }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let setting = reader.newest()
        let gain = setting.mode.rawValueIsPlain ? setting.gain : -setting.gain
        for frame in 0..<block.frames {
            memory[place] = block[0, frame]
            let sample = memory[(place + 4 - Int(setting.frames)) % 4]
            block[0, frame] = setting.isOn ? sample * gain : sample
            place = (place + 1) % 4
        }
    }
}

extension MixedSetting.Mode {
    /// A comparison of enumerations with words asks for their words.
    fileprivate var rawValueIsPlain: Bool {
        @_noLocks @_noAllocation get {
            switch self {
            case .plain: true
            case .inverted: false
            }
        }
    }
}

@_noLocks @_noAllocation
private func mixed(_ call: ProcessorCall) { call.process(Mixed.self) }

private func mixed(_ group: ParameterGroup<MixedSetting>) -> Processor {
    Processor(
        Mixed(group.makeReader()), parameters: group.parameters, latencyFrames: Int(group.value.frames), process: mixed)
}

@Suite("The parameters of a node") struct NodeParameterTests {
    private static var nodes: [any Node] {
        [
            Gain(), Shaper(), Shaper(.table, table: try? ShapeTable([.init(x: 0, y: 0), .init(x: 1, y: 1)])),
            Delay(frames: 3, maximumFrames: 10), Mixer(), Compressor(), Limiter(),
            Equaliser([EqualiserBand(.peak), EqualiserBand(.notch, hertz: 50)]), mixed(ParameterGroup()),
        ]
    }

    @Test func `of a delay end where its memory does`() {
        for delay in [Delay(frames: .max), Delay(frames: 5, maximumFrames: .max)] {
            #expect(delay.maximumFrames == 1 << 26)
            delay.frames = .max
            #expect(delay.frames == 1 << 26)
        }
        #expect(Delay(frames: .min).maximumFrames == 0)
    }

    @Test func `are set to all that they say they take, and are read as they were set`() throws {
        for node in Self.nodes {
            #expect(Set(node.parameters.map(\.info.name)).count == node.parameters.count)
            for parameter in node.parameters {
                let name = "\(node.core.kind) \(parameter.info.name)"
                let values: [ParameterValue]
                switch parameter.info.kind {
                case .number(let range, _, let span, _):
                    values = [range.lowerBound, range.upperBound, span.upperBound].map { .number($0) }
                case .choice(let words): values = words.map { .choice($0) }
                case .flag: values = [.flag(true), .flag(false)]
                case .action: values = [.action]
                }
                for value in values {
                    try parameter.set(value)
                    guard let number = value.number else {
                        #expect(parameter.value == value, "\(name)")
                        continue
                    }
                    #expect(abs((parameter.value.number ?? .nan) - number) < 1e-4, "\(name): \(parameter.value)")
                }
            }
        }
    }

    @Test func `refuse what they do not take, in one sentence, and stay as they are`() throws {
        for parameter in Self.nodes.flatMap(\.parameters) {
            let before = parameter.value
            for wrong in [
                ParameterValue.number(-1e9), .number(.nan), .number(.infinity), .choice("square"), .action,
            ] {
                let error = #expect(throws: ParameterError.self, "\(parameter.info.name)") { try parameter.set(wrong) }
                #expect(error.map { "\($0)".hasPrefix("\(parameter.info.name) takes ") } == true)
            }
            #expect(parameter.value == before)
        }
    }

    @Test func `say what a new node is set to`() {
        let nodes: [any Node] = [
            Gain(), Shaper(ShaperSetting()), Equaliser([EqualiserBand()]), mixed(ParameterGroup()),
        ]
        for node in nodes {
            for parameter in node.parameters where parameter.info.kind != .action {
                #expect(parameter.value == parameter.info.initial, "\(node.core.kind) \(parameter.info.name)")
                #expect(parameter.info.accepts(parameter.info.initial))
            }
        }
    }

    @Test func `are the node's properties under their names`() throws {
        let shaper = Shaper(.tanh, driveDecibels: 6, phase: .minimum)
        func set(_ name: String, _ value: ParameterValue) throws { try parameter(name, of: shaper).set(value) }
        #expect(try parameter("phase", of: shaper).value == .choice("minimum"))
        try set("drive", .number(20))
        try set("shape", .choice("fold"))
        try set("mute", .flag(true))
        #expect(shaper.drive == 10 && shaper.shape == .fold && shaper.isMuted)
        shaper.gainDecibels = 1000
        shaper.driveDecibels = .nan
        #expect(try parameter("gain", of: shaper).value == .number(60) && shaper.gainDecibels == 60)
        #expect(shaper.drive == 10)
        // Without a table there is no such shape.
        #expect(throws: ParameterError.self) { try set("shape", .choice("table")) }
    }

    @Test func `of a bypassed equaliser stay as they are, and are heard again behind it`() throws {
        let equaliser = Equaliser([EqualiserBand(.peak, hertz: 1000, decibels: 12)])
        try parameter("bypass", of: equaliser).set(.flag(true))
        try parameter("1/gain", of: equaliser).set(.number(-6))
        #expect(equaliser.response(atHertz: 1000) == 0 && equaliser.bands[0].decibels == -6)
        try parameter("bypass", of: equaliser).set(.flag(false))
        #expect(abs(equaliser.response(atHertz: 1000) + 6) < 1e-4)
        // A handle of a band that is gone changes nothing.
        let gone = try parameter("1/hertz", of: equaliser)
        equaliser.bands = []
        try gone.set(.number(500))
        #expect(equaliser.bands.isEmpty && gone.value == gone.info.initial)
    }

    @Test func `of a user's processor are heard, and arrive together`() throws {
        let group = ParameterGroup<MixedSetting>()
        let processor = mixed(group)
        let engine = try offlineEngine(rampFrames: 0)
        engine.attach(processor)
        try engine.connect(engine.input, to: processor)
        try engine.connect(processor, to: engine.output)
        #expect(processor.parameters.map(\.info.name) == ["gain", "frames", "mode", "on"])
        #expect(processor.parameters.map(\.info.isUndoable) == [true, true, true, false])
        #expect(try engine.render([1, 2]) == [1, 2])
        try parameter("gain", of: processor).set(.number(20))
        try parameter("mode", of: processor).set(.choice("inverted"))
        #expect(try engine.render([1, 2]) == [-10, -20])
        #expect(group.value.gain == 10 && group.value.mode == .inverted)
        group.change { ($0.gain, $0.mode) = (2, .plain) }
        #expect(try engine.render([1]) == [2])
        try parameter("on", of: processor).set(.flag(false))
        #expect(try engine.render([1]) == [1])
    }

    @Test func `may change the latency, which is declared anew and made up for beside it`() throws {
        let processor = mixed(ParameterGroup<MixedSetting>())
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, rampMilliseconds: 0)
        engine.attach(processor)
        try engine.connect(engine.input, to: processor)
        try engine.connect(processor, to: engine.mixer)
        try engine.connect(engine.input, to: engine.mixer)
        try engine.start()
        let signal = (1...100).map { Float($0) }
        #expect(try engine.render(signal) == signal.map { 2 * $0 })
        try parameter("frames", of: processor).set(.number(3))
        _ = try engine.render([Float](repeating: 0, count: 20_000))
        #expect(engine.latencyFrames == 3)
        #expect(try engine.render(signal) == [0, 0, 0] + signal.dropLast(3).map { 2 * $0 })
    }

    private func parameter(_ name: String, of node: some Node) throws -> Parameter {
        try #require(node.parameters.first { $0.info.name == name })
    }
}
