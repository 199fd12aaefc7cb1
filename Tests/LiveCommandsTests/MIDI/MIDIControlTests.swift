import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveRuns

/// Controllers, a run's controls, and the way between them, without a server: the test is the audio thread.
@Suite("A run in the hands of MIDI controllers")
struct MIDIControlTests {
    private final class Run {
        var gain = 0.0
        var shape = "off"
        var isMuted = false
        var marks = 0
        var stages = 6.0
        var now: UInt64 = 10_000_000_000
        /// What controllers send, until it is looked at.
        var sent: [[UInt8]] = []
    }

    private let run = Run()
    private let table: ControlTable
    private let controlEnd = MIDIControlEnd()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let run = run
        table = ControlTable([
            Control(.number("gain", "gain", -120...60, unit: "dB", span: -60...12)) {
                .number(run.gain)
            } set: {
                if let number = $0.number { run.gain = number }
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
            .action("mark", "mark") { run.marks += 1 },
            Control(.number("stages", "stages", 1...12, step: 1)) {
                .number(run.stages)
            } set: {
                if let number = $0.number { run.stages = number.rounded() }
            },
        ])
    }

    private var place: SettingsPlace? { SettingsPlace(environment: ["XDG_CONFIG_HOME": folder.path], name: "midi") }

    private func control(_ lines: String..., periodSeconds: Double = 0) throws -> MIDIControl {
        let mappings = try MIDIMapText.parse(lines.joined(separator: "\n"), path: "midi")
        return MIDIControl(controlEnd, table, mappings, savingTo: place) { periodSeconds }
    }

    /// A look at the controllers, so much later than the last one, and shortly before it another one. A cycle begins before each.
    private func work(_ midi: MIDIControl, afterMilliseconds passed: UInt64 = 1000) {
        let pace = min(passed, 5)
        run.now += (passed - pace) * 1_000_000
        controlEnd.audioEnd.pointer.pointee.begin()
        midi.work(atNanoseconds: run.now)
        take(run.sent)
        run.sent = []
        run.now += pace * 1_000_000
        controlEnd.audioEnd.pointer.pointee.begin()
        midi.work(atNanoseconds: run.now)
    }

    /// Bytes that JACK hands over right before the next look, after a cycle in which what waited went out.
    private func send(_ messages: [UInt8]...) {
        _ = heard()
        run.sent += messages
    }

    private func take(_ messages: [[UInt8]]) {
        for message in messages {
            message.withUnsafeBufferPointer { bytes in
                if let base = bytes.baseAddress { controlEnd.audioEnd.pointer.pointee.take(base, count: bytes.count) }
            }
        }
    }

    /// What goes out, as the audio thread finds it.
    private func heard() -> [MIDIMessage] {
        var messages: [MIDIMessage] = []
        while let message = controlEnd.audioEnd.pointer.pointee.next() { messages.append(message) }
        return messages
    }

    @Test func `a fader moves a number within its span, of seven bits or fourteen`() throws {
        let midi = try control("gain = 1/cc7", "gain = 2/cc7+39", "gain = 3/bend")
        send([0xb0, 7, 0])
        work(midi)
        #expect(run.gain == -60)
        send([0xb0, 7, 1], [0xb0, 7, 127])
        work(midi)
        #expect(run.gain == 12)
        send([0xb1, 7, 64], [0xb1, 39, 1])
        work(midi)
        #expect(abs(run.gain - (-60 + 72 * 8193.0 / 16383)) < 1e-9)
        send([0xe2, 0x7f, 0x7f])
        work(midi)
        #expect(run.gain == 12 && midi.trouble == nil)
    }

    @Test func `encoders step from where the control stands, to the end of its way`() throws {
        let midi = try control("gain = 1/cc16 twos-complement", "shape = 1/cc17 offset", "mute = 1/cc18 sign-magnitude")
        send([0xb0, 16, 1], [0xb0, 16, 126], [0xb0, 17, 66], [0xb0, 18, 1])
        work(midi)
        #expect(abs(run.gain + 72.0 / 127) < 1e-3 && run.shape == "tanh" && run.isMuted)
        send([0xb0, 17, 65], [0xb0, 17, 63], [0xb0, 18, 65], [0xb0, 16, 63], [0xb0, 16, 63])
        work(midi)
        #expect(run.gain == 12 && run.shape == "cubic" && !run.isMuted)
    }

    @Test func `each step of an encoder moves a whole number`() throws {
        let midi = try control("stages = 1/cc16 twos-complement")
        for (value, expected) in [(UInt8(1), 7.0), (127, 6), (4, 10), (125, 7), (63, 12), (64, 1)] {
            send([0xb0, 16, value])
            work(midi)
            #expect(run.stages == expected)
        }
    }

    @Test func `an encoder never moves a number against the turn, outside of a fader's part of the range too`() throws {
        let midi = try control("gain = 1/cc16 twos-complement")
        func turn(_ value: UInt8, from gain: Double) -> Double {
            run.gain = gain
            send([0xb0, 16, value])
            work(midi)
            return run.gain
        }
        let step = 72.0 / 127
        #expect(abs(turn(127, from: -100) - (-100 - step)) < 1e-9 && abs(turn(1, from: -100) - (-100 + step)) < 1e-9)
        #expect(abs(turn(1, from: 30) - (30 + step)) < 1e-9 && abs(turn(127, from: 30) - (30 - step)) < 1e-9)
        #expect(turn(127, from: -119.9) == -120 && turn(63, from: 59) == 60, "the ends of the range")
        #expect(turn(127, from: -60) == -60 && turn(63, from: 0) == 12, "from within, the ends of the part")
        #expect(turn(63, from: -61) <= 12)
    }

    // Echoes.

    /// What went out comes in again.
    private func echo() -> Int {
        let messages = heard()
        take(messages.map { [$0.status, $0.first, $0.second] })
        return messages.count
    }

    @Test func `what comes back moves nothing`() throws {
        let midi = try control(
            "gain = 1/cc7", "gain = 2/cc7+39", "gain = 1/nrpn258", "gain = 3/bend", "gain = 1/cc16 offset",
            "mute = 1/cc41 toggle", "mute = 1/note60", "shape = 1/note61", "mark = 1/cc42")
        for (gain, shape) in [(-0.1, "cubic"), (-23.3, "tanh"), (-24.0, "off"), (11.9, "tanh")] {
            // At half of the way an encoder that sends 65 and 63 would take its own ring for a turn.
            try table.set("gain", .number(gain), by: .key)
            try table.set("shape", .choice(shape), by: .osc)
            try table.advance("mute", by: .key)
            let isMuted = run.isMuted
            work(midi)
            for _ in 0..<3 where echo() > 0 { work(midi, afterMilliseconds: 30) }
            #expect(run.gain == gain && run.shape == shape && run.isMuted == isMuted && run.marks == 0)
            #expect(heard().isEmpty)
        }
        // Of two ways back, both.
        try table.advance("mute", by: .key)
        work(midi)
        let messages = heard().map { [$0.status, $0.first, $0.second] }
        take(messages + messages)
        work(midi, afterMilliseconds: 30)
        #expect(run.isMuted && run.shape == "tanh")
    }

    @Test func `what is equal and comes later is a move`() throws {
        let midi = try control("mute = 1/cc41 toggle", "gain = 1/cc7")
        try table.advance("mute", by: .key)
        work(midi)
        send([0xb0, 41, 127], [0xb0, 41, 0])
        work(midi, afterMilliseconds: 99)
        #expect(run.isMuted)
        send([0xb0, 41, 127])
        work(midi, afterMilliseconds: 1)
        #expect(!run.isMuted)
    }

    @Test(arguments: [0.001, 0.021]) func `a button that is let go when its lamp goes out is pressed again`(
        _ periodSeconds: Double
    ) throws {
        let midi = try control("mute = 1/cc41 toggle", periodSeconds: periodSeconds)
        work(midi)
        for press in 1...6 {
            send([0xb0, 41, 127])
            work(midi, afterMilliseconds: 600)
            #expect(run.isMuted == (press % 2 == 1))
            send([0xb0, 41, 0])
            work(midi, afterMilliseconds: 60)
        }
    }

    @Test(arguments: [[0x90, 60], [0xb0, 41]] as [[UInt8]])
    func `a pad that is hit again and again counts each time, where nothing comes back of its lamp`(
        _ pad: [UInt8]
    ) throws {
        let midi = try control("mute = 1/note60", "mute = 1/cc41 toggle")
        // The lamp is switched off, and nothing comes back of that message.
        work(midi)
        _ = heard()
        work(midi)
        for hit in 1...7 {
            send(pad + [127])
            work(midi, afterMilliseconds: 20)
            #expect(run.isMuted == (hit % 2 == 1), "hit \(hit)")
            send(pad + [0])
            work(midi, afterMilliseconds: 20)
        }
    }

    @Test(arguments: [[0x90, 60], [0xb0, 41]] as [[UInt8]])
    func `what comes back of a lamp is no second hit, also after a short one`(_ pad: [UInt8]) throws {
        let midi = try control("mute = 1/note60", "mute = 1/cc41 toggle")
        work(midi)
        _ = heard()
        work(midi)
        // A way back, which was not there before.
        controlEnd.noteConnection()
        work(midi)
        #expect(echo() > 0)
        work(midi, afterMilliseconds: 30)
        for hit in 1...6 {
            send(pad + [127])
            work(midi, afterMilliseconds: 500)
            let lamps = heard().map { [$0.status, $0.first, $0.second] }
            // Let go before the echo comes.
            send(pad + [0])
            work(midi, afterMilliseconds: 20)
            take(lamps)
            work(midi, afterMilliseconds: 30)
            #expect(run.isMuted == (hit % 2 == 1), "hit \(hit)")
        }
    }

    @Test func `a soft hit on a pad is one press`() throws {
        let midi = try control("mute = 1/note36 toggle")
        send([0x90, 36, 30])
        work(midi)
        #expect(run.isMuted)
        send([0x80, 36, 0])
        work(midi)
        #expect(run.isMuted)
    }

    @Test func `a lamp that others switch on, off and on again has three echoes`() throws {
        let midi = try control("mute = 1/note60")
        work(midi)
        _ = heard()
        var waiting: [(at: Int, messages: [[UInt8]])] = []
        for step in 0..<8 {
            if step < 3 { try table.advance("mute", by: .osc) }
            take(waiting.filter { $0.at == step }.flatMap(\.messages))
            work(midi, afterMilliseconds: 20)
            // 60 ms there and back.
            waiting.append((step + 3, heard().map { [$0.status, $0.first, $0.second] }))
        }
        #expect(run.isMuted && waiting.flatMap(\.messages).count == 3)
    }

    @Test func `what comes back of a parameter says nothing of what its controller sends`() throws {
        let midi = try control("gain = 1/nrpn258")
        work(midi)
        // Sent before anything was connected.
        _ = heard()
        controlEnd.noteConnection()
        work(midi)
        #expect(echo() == 4)
        work(midi, afterMilliseconds: 20)
        #expect(run.gain == 0)
        send([0xb0, 99, 2], [0xb0, 98, 2], [0xb0, 6, 127])
        work(midi)
        #expect(run.gain == 12)
    }

    @Test func `an encoder loses no more than a step where its ring has the code of one`() throws {
        let midi = try control("gain = 1/cc16 twos-complement")
        run.gain = -60
        work(midi)
        for _ in 0..<100 {
            send([0xb0, 16, 1])
            work(midi, afterMilliseconds: 10)
        }
        let step = 72.0 / 127
        #expect(run.gain > -60 + 98.5 * step && run.gain < 12, "\((run.gain + 60) / step) steps")
    }

    @Test func `a server of long periods, or one that stands still, sends echoes late`() throws {
        let midi = try control("mute = 1/cc41 toggle", periodSeconds: 0.17)
        try table.advance("mute", by: .key)
        // Nothing goes out for 5 s.
        for _ in 0..<50 { work(midi, afterMilliseconds: 100) }
        #expect(echo() > 0)
        work(midi, afterMilliseconds: 1000)
        #expect(run.isMuted)
        send([0xb0, 41, 127])
        work(midi, afterMilliseconds: 21)
        #expect(!run.isMuted)
    }

    @Test func `an echo is one however long nobody has looked`() throws {
        let midi = try control("mute = 1/note60")
        work(midi)
        try table.advance("mute", by: .osc)
        _ = heard()
        midi.work(atNanoseconds: run.now)
        #expect(echo() > 0)
        // As where a disk has held the run up.
        midi.work(atNanoseconds: run.now + 500_000_000)
        #expect(run.isMuted)
    }

    @Test func `no echo is learnt`() throws {
        let midi = try control("gain = 1/cc7")
        midi.learn("mute")
        try table.set("gain", .number(3), by: .osc)
        work(midi)
        #expect(echo() > 0)
        work(midi, afterMilliseconds: 30)
        work(midi)
        #expect(midi.learning == "mute")
        send([0xb0, 9, 127], [0xb0, 9, 0])
        work(midi)
        work(midi)
        #expect(midi.learning == nil && midi.mappings.last?.description == "mute = 1/cc9 toggle")
    }

    @Test func `a button switches over when it is pressed, and a key too`() throws {
        let midi = try control("mute = 1/cc41 toggle", "shape = 1/note60", "mark = 1/cc42")
        send(
            [0xb0, 41, 127], [0xb0, 41, 127], [0xb0, 41, 0], [0x90, 60, 1], [0x90, 60, 0], [0xb0, 42, 127],
            [0xb0, 42, 0])
        work(midi)
        #expect(run.isMuted && run.shape == "cubic" && run.marks == 1)
        send([0xb0, 41, 127], [0x90, 60, 100], [0x80, 60, 100], [0xb0, 42, 63])
        work(midi)
        #expect(!run.isMuted && run.shape == "tanh" && run.marks == 1)
    }

    @Test func `a button may send a low value, and a pedal that never comes to rest has a middle`() throws {
        let midi = try control("mute = 1/cc41 toggle")
        // The first press does not tell yet which of both it is: only letting it go does.
        for isMuted in [true, false, true] {
            send([0xb0, 41, 1])
            work(midi)
            send([0xb0, 41, 0])
            work(midi)
            #expect(run.isMuted == isMuted)
        }
        send([0xb0, 41, 1])
        work(midi)
        #expect(!run.isMuted, "pressed")
        send([0xb0, 41, 0])
        work(midi)
        #expect(!run.isMuted, "let go")
        send([0xb0, 41, 3], [0xb0, 41, 40], [0xb0, 41, 90], [0xb0, 41, 127])
        work(midi)
        #expect(run.isMuted)
        send([0xb0, 41, 60], [0xb0, 41, 2], [0xb0, 41, 80])
        work(midi)
        #expect(!run.isMuted)
    }

    @Test func `a parameter whose number was sent before is learnt as that`() throws {
        let midi = try control()
        send([0xb0, 99, 2], [0xb0, 98, 2], [0xb0, 6, 1], [0xb0, 38, 3])
        work(midi)
        midi.learn("gain")
        send([0xb0, 6, 5], [0xb0, 38, 1], [0xb0, 6, 6], [0xb0, 38, 9])
        work(midi)
        work(midi, afterMilliseconds: 2000)
        #expect(midi.mappings.map(\.description) == ["gain = 1/nrpn258"])
    }

    @Test func `a number is moved, and not switched over`() throws {
        let midi = try control("mute = 1/cc41 toggle")
        midi.learn("gain")
        send([0xb0, 9, 1], [0xb0, 9, 0])
        work(midi)
        work(midi, afterMilliseconds: 2000)
        #expect(midi.mappings.last?.description == "gain = 1/cc9")
    }

    @Test func `controllers are told where all stands at first, and then what others change`() throws {
        run.gain = 12
        let midi = try control("gain = 1/cc7", "mute = 1/note60", "gain = 2/cc7+39")
        work(midi)
        #expect(
            heard() == [
                MIDIMessage(0xb0, 7, 127), MIDIMessage(0x90, 60, 0), MIDIMessage(0xb1, 7, 127),
                MIDIMessage(0xb1, 39, 127),
            ])
        try table.set("gain", .number(-60), by: .osc)
        work(midi)
        #expect(heard() == [MIDIMessage(0xb0, 7, 0), MIDIMessage(0xb1, 7, 0), MIDIMessage(0xb1, 39, 0)])
        send([0xb0, 7, 127])
        work(midi)
        #expect(heard() == [MIDIMessage(0xb1, 7, 127), MIDIMessage(0xb1, 39, 127)], "not the fader that was moved")
        send([0x90, 60, 1])
        work(midi)
        #expect(heard() == [MIDIMessage(0x90, 60, 127)], "the key's lamp")
        controlEnd.noteConnection()
        work(midi)
        #expect(heard().count == 4, "what is connected later knows nothing")
    }

    @Test func `what is connected while a cycle runs is told once the next one has begun, which it hears`() throws {
        let midi = try control("gain = 1/cc7")
        work(midi)
        _ = heard()
        controlEnd.noteConnection()
        midi.work(atNanoseconds: run.now)
        // Of the cycle before: the notice has overtaken it.
        controlEnd.audioEnd.pointer.pointee.begin()
        midi.work(atNanoseconds: run.now)
        #expect(heard().isEmpty)
        controlEnd.audioEnd.pointer.pointee.begin()
        midi.work(atNanoseconds: run.now)
        #expect(heard().count == 1)
        midi.work(atNanoseconds: run.now)
        #expect(heard().isEmpty)
    }

    @Test func `what finds no room on its way out is told later, and the last place counts`() throws {
        let midi = try control("gain = 1/cc7")
        while controlEnd.send(MIDIMessage(0xb0, 1, 1)) {}
        try table.set("gain", .number(12), by: .key)
        work(midi)
        try table.set("gain", .number(-60), by: .key)
        work(midi)
        #expect(!heard().contains(MIDIMessage(0xb0, 7, 127)))
        work(midi)
        #expect(heard() == [MIDIMessage(0xb0, 7, 0)])
    }

    @Test func `what means nothing is counted and changes nothing`() throws {
        let midi = try control("gain = 1/cc7", "nothing = 1/cc8")
        send(
            [0xf8], [0xfe], [0xf0, 1, 2, 0xf7], [], [0x07, 127], [0xb0, 7], [0xb0, 7, 128], [0xb0, 0x90, 1],
            [0xb0, 7, 1, 1], [0xc0], [0xb0, 8, 1], [0xc0, 3])
        work(midi)
        let statistics = controlEnd.statistics
        #expect(run.gain == 0 && midi.trouble == nil)
        #expect(statistics.ignored == 3 && statistics.malformed == 7 && statistics.received == 2)
    }

    @Test func `what moves nothing of this run is told, for its name may be wrong`() throws {
        let all = try control("gain = 1/cc7", "mute = 1/cc8")
        #expect(all.report.summary.hasPrefix("MIDI 2 mappings, 0 in"), "\(all.report)")
        let one = try control("gain = 1/cc7", "gian = 1/cc8")
        #expect(
            one.report.summary.hasPrefix("MIDI 2 mappings, 1 of no control of this run (gian), 0 in"), "\(one.report)")
        let two = try control("eq/1/gain = 1/cc7", "gian = 1/cc8").report
        #expect(two.summary.contains("2 of no control of this run (eq/1/gain, …)") && two.idle.count == 2, "\(two)")
    }

    @Test func `a ring that is full drops what comes, and counts it`() throws {
        let midi = try control("gain = 1/cc7")
        for _ in 0..<5000 { take([[0xb0, 7, 0]]) }
        let statistics = controlEnd.statistics
        #expect(statistics.received + statistics.dropped == 5000 && statistics.dropped > 0)
        work(midi)
        send([0xb0, 7, 127])
        work(midi)
        #expect(run.gain == 12 && midi.report.summary.contains("DROPPED"))
    }

    @Test func `a control is learnt, works at once, and is there the next time`() throws {
        let midi = try control("mute = 1/cc9", "gain = 1/cc7")
        midi.learn("mark")
        #expect(midi.learning == "mark")
        take([[0xb0, 7, 127], [0xb0, 7, 0]])
        midi.work(atNanoseconds: 1_000_000_000)
        #expect(midi.learning == "mark" && run.gain == 0, "while it learns nothing is moved")
        midi.work(atNanoseconds: 2_000_000_000)
        #expect(midi.learning == nil && midi.news == "mark = 1/cc7 toggle" && midi.trouble == nil)
        #expect(midi.mappings.map(\.control) == ["mute", "mark"], "a source moves one control")
        send([0xb0, 7, 127])
        work(midi)
        #expect(run.marks == 1)
        #expect(try place?.read() == "mark = 1/cc7 toggle\n")
        midi.forget("mark")
        #expect(try place?.read() == "" && midi.mappings.map(\.control) == ["mute"])
    }

    @Test func `what cannot be kept says why`() throws {
        let midi = MIDIControl(controlEnd, table, [], savingTo: nil)
        midi.forget("gain")
        #expect(midi.trouble?.contains("no home folder") == true)
    }
}
