import AudioDSP
import Testing

@testable import LiveRuns

@Suite("The controls of a run")
struct ControlTableTests {
    /// What a run would be: its settings, and how often its action was done.
    private final class Run {
        var gain = 0.0
        var hertz = 1000.0
        var shape = "off"
        var isMuted = false
        var isPaused = false
        var done = 0
        var refusal: String?
    }

    private struct Refusal: Error, CustomStringConvertible { var description: String }

    private let run = Run()
    private let table: ControlTable

    init() {
        let run = run
        table = ControlTable([
            Control(.number("gain", "gain", -120...60, unit: "dB", span: -60...12)) {
                .number(run.gain)
            } set: {
                if let number = $0.number { run.gain = number }
            },
            Control(.number("hertz", "frequency", 10...200_000, unit: "Hz", span: 20...20_000, taper: .logarithmic)) {
                .number(run.hertz)
            } set: {
                if let number = $0.number { run.hertz = number }
            },
            Control(.choice("shape", "curve", ["off", "cubic", "tanh"], initial: "off")) {
                .choice(run.shape)
            } set: {
                if let word = $0.word { run.shape = word }
            },
            .flag("mute", "silence") {
                run.isMuted
            } set: {
                run.isMuted = $0
            },
            .flag("pause", "pause", isUndoable: false) {
                run.isPaused
            } set: {
                if let refusal = run.refusal { throw Refusal(description: refusal) }
                run.isPaused = $0
            },
            .action("mark", "mark") { run.done += 1 },
        ])
    }

    @Test func `a value is set, read back and told to the observers once`() throws {
        var told: [String] = []
        table.observe { control, value, origin in told.append("\(control.name) \(value) by \(origin!)") }
        try table.set("gain", .number(-3.5), by: .osc)
        try table.set("gain", .number(-3.5), by: .osc)
        try table.set("shape", .choice("tanh"), by: .key)
        #expect(run.gain == -3.5 && run.shape == "tanh")
        #expect(try table.control("gain").get() == .number(-3.5))
        #expect(told == ["gain number(-3.5) by osc", "shape choice(\"tanh\") by key"])
    }

    @Test func `what changes by itself is told at the next look`() {
        var told: [String] = []
        table.observe { control, value, origin in told.append("\(control.name) \(value) \(origin == nil)") }
        run.isPaused = true
        table.tell()
        table.tell()
        #expect(told == ["pause flag(true) true"])
    }

    @Test(
        arguments: [
            ("gain", ParameterValue.number(60.5), "gain takes a number from -120 to 60 dB"),
            ("gain", .number(.nan), "gain takes a number from -120 to 60 dB"),
            ("gain", .flag(true), "gain takes a number from -120 to 60 dB"),
            ("shape", .choice("square"), "shape takes one of off, cubic, tanh"),
            ("mute", .number(1), "mute takes 1 (on) or 0 (off)"),
            ("mark", .flag(true), "mark takes no value"),
            ("gian", .number(0), "there is no control \"gian\"; did you mean gain?"),
        ])
    func `a value that a control does not take changes nothing, and the error says what it takes`(
        _ name: String, _ value: ParameterValue, _ sentence: String
    ) {
        do throws(ControlError) {
            try table.set(name, value, by: .osc)
            Issue.record("\(name) took \(value)")
        } catch {
            #expect("\(error)" == sentence)
        }
        #expect(!run.isMuted && run.gain == 0 && run.done == 0)
    }

    @Test func `what cannot be done now says why`() {
        run.refusal = "the server is gone"
        do throws(ControlError) {
            try table.set("pause", .flag(true), by: .key)
            Issue.record("it paused")
        } catch {
            #expect("\(error)" == "pause cannot be set now: the server is gone")
        }
    }

    @Test func `why it could not be done is kept for the views until something can be, whoever asks`() throws {
        run.refusal = "the server is gone"
        #expect(throws: ControlError.self) { try table.set("pause", .flag(true), by: .page) }
        #expect(table.refusal == "pause cannot be set now: the server is gone")
        #expect(throws: ControlError.self) { try table.set("gain", .number(61), by: .osc) }
        #expect(table.refusal != nil, "who asks for nonsense is told, and nobody else")
        try table.set("gain", .number(1), by: .midi)
        #expect(table.refusal == nil)
    }

    @Test func `steps stay on their grid and within the range`() throws {
        run.gain = 0.3
        try table.step("gain", 0.5, by: .key)
        #expect(run.gain == 1)
        run.gain = 59.9
        try table.step("gain", 0.5, by: .key)
        #expect(run.gain == 60)
    }

    @Test func `to advance switches a flag, takes the next word and does an action`() throws {
        for name in ["mute", "shape", "shape", "shape", "shape", "mark"] { try table.advance(name, by: .key) }
        #expect(run.isMuted && run.shape == "cubic" && run.done == 1)
    }

    @Test func `undo takes back each change of the sound, whoever made it, and no other`() throws {
        try table.set("gain", .number(-6), by: .key)
        try table.set("shape", .choice("tanh"), by: .page)
        try table.set("mute", .flag(true), by: .page)
        try table.set("pause", .flag(true), by: .osc)
        try table.set("undo", .action, by: .midi)
        #expect(run.shape == "tanh" && !run.isMuted && run.gain == -6 && run.isPaused)
        try table.advance("undo", by: .key)
        #expect(run.shape == "off" && run.gain == -6)
        try table.advance("undo", by: .key)
        #expect(run.gain == 0)
        try table.advance("undo", by: .key)
        #expect(run.gain == 0 && run.isPaused)
    }

    @Test func `the moves of a fader are undone at once, those of a key and of a rested fader one by one`() throws {
        for step in 1...3 {
            try table.set("gain", .number(-Double(step)), by: .midi, atNanoseconds: UInt64(step) * 400_000_000)
        }
        try table.set("gain", .number(-9), by: .midi, atNanoseconds: 1_700_000_000)
        for step in 1...2 { try table.set("gain", .number(Double(step)), by: .key, atNanoseconds: 1_700_000_001) }
        for left in [1.0, -9, -3, 0] {
            try table.advance("undo", by: .key)
            #expect(run.gain == left)
        }
    }

    @Test func `what is moved of one band in one go is undone at once, and another band by itself`() throws {
        var values = [String: Double]()
        let table = ControlTable(
            ["eq/1/hertz", "eq/1/gain", "eq/2/gain"].map { name in
                Control(.number(name, name, 0...100, span: 0...100)) {
                    .number(values[name] ?? 0)
                } set: {
                    values[name] = $0.number
                }
            })
        for step in 1...10 {
            for name in ["eq/1/hertz", "eq/1/gain"] {
                try table.set(name, .number(Double(step)), by: .page, atNanoseconds: UInt64(step) * 10_000_000)
            }
        }
        try table.set("eq/2/gain", .number(5), by: .page, atNanoseconds: 110_000_000)
        try table.set("eq/1/gain", .number(11), by: .page, atNanoseconds: 1_000_000_000)
        try table.advance("undo", by: .key)
        #expect(values == ["eq/1/hertz": 10, "eq/1/gain": 10, "eq/2/gain": 5], "it had rested")
        try table.advance("undo", by: .key)
        #expect(values == ["eq/1/hertz": 10, "eq/1/gain": 10, "eq/2/gain": 0])
        try table.advance("undo", by: .key)
        #expect(values == ["eq/1/hertz": 0, "eq/1/gain": 0, "eq/2/gain": 0])
    }

    @Test func `two faders that are moved at once are undone one after the other, each from where it was`() throws {
        for step in 1...150 {
            let time = UInt64(step) * 10_000_000
            try table.set("gain", .number(-Double(step) / 10), by: .midi, atNanoseconds: time)
            try table.set("hertz", .number(1000 + Double(step)), by: .midi, atNanoseconds: time + 1)
        }
        // A key in between makes what follows another change.
        try table.set("gain", .number(3), by: .key, atNanoseconds: 1_510_000_000)
        try table.set("gain", .number(4), by: .midi, atNanoseconds: 1_520_000_000)
        for (gain, hertz) in [(3.0, 1150.0), (-15, 1150), (-15, 1000), (0, 1000)] {
            try table.advance("undo", by: .key)
            #expect(run.gain == gain && run.hertz == hertz)
        }
    }

    @Test(arguments: [
        ("gain", ParameterValue.number(-60), 0.0), ("gain", .number(12), 1), ("hertz", .number(20), 0),
        ("hertz", .number(632.4555320336759), 0.5), ("hertz", .number(20_000), 1), ("mute", .flag(false), 0),
        ("mute", .flag(true), 1), ("shape", .choice("cubic"), 0.5),
    ])
    func `a fader's position and a value stand for one another`(
        _ name: String, _ value: ParameterValue, _ position: Double
    ) throws {
        let control = try table.control(name)
        #expect(abs(control.info.position(of: value) - position) < 1e-12)
        let back = control.info.value(atPosition: position)
        guard case .number(let number) = value, case .number(let found) = back else { return #expect(back == value) }
        #expect(abs(found - number) <= 1e-9 * abs(number))
        #expect(control.info.accepts(back))
    }

    @Test func `no position of a fader is out of range`() throws {
        for control in table.all {
            for position in [-1, 0, 0.999_999_999, 1, 2, Double.nan, .infinity] {
                #expect(control.info.accepts(control.info.value(atPosition: position)))
            }
        }
    }

    @Test func `a number stands for a flag and for the place of a word`() throws {
        #expect(try table.control("mute").info.value(1) == .flag(true))
        #expect(try table.control("shape").info.value(2) == .choice("tanh"))
        #expect(throws: ControlError.self) { try table.set("shape", table.control("shape").info.value(3), by: .midi) }
    }
}
