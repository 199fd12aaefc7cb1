import AudioRealtime
import TestSupport
import Testing

@testable import iounit

/// Controllers, a run's controls, and the way between them, without a server: the test is the audio thread.
@Suite("A run in the hands of MIDI controllers")
struct MIDIControlTests {
    private final class Run {
        var gain = 0.0
        var shape = "off"
        var isMuted = false
        var marks = 0
    }

    private let run = Run()
    private let table: ControlTable
    private let controlEnd = MIDIControlEnd()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let run = run
        table = ControlTable([
            .number("gain", "gain", -120...60, "dB", span: -60...12) {
                run.gain
            } set: {
                run.gain = $0
            },
            .choice("shape", "curve", ["off", "cubic", "tanh"]) {
                run.shape
            } set: {
                run.shape = $0
            },
            .flag("mute", "silence") {
                run.isMuted
            } set: {
                run.isMuted = $0
            },
            .action("mark", "mark") { run.marks += 1 },
        ])
    }

    private var place: SettingsPlace? { SettingsPlace(environment: ["XDG_CONFIG_HOME": folder.path], name: "midi") }

    private func control(_ lines: String...) throws -> MIDIControl {
        let mappings = try MIDIMapText.parse(lines.joined(separator: "\n"), path: "midi")
        return MIDIControl(controlEnd, table, mappings, savingTo: place)
    }

    /// Bytes as JACK hands them over.
    private func send(_ messages: [UInt8]...) {
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
        midi.work()
        #expect(run.gain == -60)
        send([0xb0, 7, 1], [0xb0, 7, 127])
        midi.work()
        #expect(run.gain == 12)
        send([0xb1, 7, 64], [0xb1, 39, 1])
        midi.work()
        #expect(abs(run.gain - (-60 + 72 * 8193.0 / 16383)) < 1e-9)
        send([0xe2, 0x7f, 0x7f])
        midi.work()
        #expect(run.gain == 12 && midi.trouble == nil)
    }

    @Test func `encoders step from where the control stands, to the end of its way`() throws {
        let midi = try control("gain = 1/cc16 twos-complement", "shape = 1/cc17 offset", "mute = 1/cc18 sign-magnitude")
        send([0xb0, 16, 1], [0xb0, 16, 126], [0xb0, 17, 66], [0xb0, 18, 1])
        midi.work()
        #expect(abs(run.gain + 72.0 / 127) < 1e-3 && run.shape == "tanh" && run.isMuted)
        send([0xb0, 17, 65], [0xb0, 17, 63], [0xb0, 18, 65], [0xb0, 16, 63], [0xb0, 16, 63])
        midi.work()
        #expect(run.gain == 12 && run.shape == "cubic" && !run.isMuted)
    }

    @Test func `a button switches over when it is pressed, and a key too`() throws {
        let midi = try control("mute = 1/cc41 toggle", "shape = 1/note60", "mark = 1/cc42")
        send(
            [0xb0, 41, 127], [0xb0, 41, 127], [0xb0, 41, 0], [0x90, 60, 1], [0x90, 60, 0], [0xb0, 42, 127],
            [0xb0, 42, 0])
        midi.work()
        #expect(run.isMuted && run.shape == "cubic" && run.marks == 1)
        send([0xb0, 41, 127], [0x90, 60, 100], [0x80, 60, 100], [0xb0, 42, 63])
        midi.work()
        #expect(!run.isMuted && run.shape == "tanh" && run.marks == 1)
    }

    @Test func `controllers are told where all stands at first, and then what others change`() throws {
        run.gain = 12
        let midi = try control("gain = 1/cc7", "mute = 1/note60", "gain = 2/cc7+39")
        midi.work()
        #expect(
            heard() == [
                MIDIMessage(0xb0, 7, 127), MIDIMessage(0x90, 60, 0), MIDIMessage(0xb1, 7, 127),
                MIDIMessage(0xb1, 39, 127),
            ])
        try table.set("gain", .number(-60), by: .osc)
        midi.work()
        #expect(heard() == [MIDIMessage(0xb0, 7, 0), MIDIMessage(0xb1, 7, 0), MIDIMessage(0xb1, 39, 0)])
        send([0xb0, 7, 127])
        midi.work()
        #expect(heard() == [MIDIMessage(0xb1, 7, 127), MIDIMessage(0xb1, 39, 127)], "not the fader that was moved")
        send([0x90, 60, 1])
        midi.work()
        #expect(heard() == [MIDIMessage(0x90, 60, 127)], "the key's lamp")
        controlEnd.noteConnection()
        midi.work()
        #expect(heard().count == 4, "what is connected later knows nothing")
    }

    @Test func `what finds no room on its way out is told later, and the last place counts`() throws {
        let midi = try control("gain = 1/cc7")
        while controlEnd.send(MIDIMessage(0xb0, 1, 1)) {}
        try table.set("gain", .number(12), by: .key)
        midi.work()
        try table.set("gain", .number(-60), by: .key)
        midi.work()
        #expect(!heard().contains(MIDIMessage(0xb0, 7, 127)))
        midi.work()
        #expect(heard() == [MIDIMessage(0xb0, 7, 0)])
    }

    @Test func `what means nothing is counted and changes nothing`() throws {
        let midi = try control("gain = 1/cc7", "nothing = 1/cc8")
        send(
            [0xf8], [0xfe], [0xf0, 1, 2, 0xf7], [], [0x07, 127], [0xb0, 7], [0xb0, 7, 128], [0xb0, 0x90, 1],
            [0xb0, 7, 1, 1], [0xc0], [0xb0, 8, 1], [0xc0, 3])
        midi.work()
        let statistics = controlEnd.statistics
        #expect(run.gain == 0 && midi.trouble == nil)
        #expect(statistics.ignored == 3 && statistics.malformed == 7 && statistics.received == 2)
    }

    @Test func `a ring that is full drops what comes, and counts it`() throws {
        let midi = try control("gain = 1/cc7")
        for _ in 0..<5000 { send([0xb0, 7, 0]) }
        let statistics = controlEnd.statistics
        #expect(statistics.received + statistics.dropped == 5000 && statistics.dropped > 0)
        midi.work()
        send([0xb0, 7, 127])
        midi.work()
        #expect(run.gain == 12 && midi.words.contains("DROPPED"))
    }

    @Test func `a control is learnt, works at once, and is there the next time`() throws {
        let midi = try control("mute = 1/cc9", "gain = 1/cc7")
        midi.learn("mark")
        #expect(midi.learning == "mark")
        send([0xb0, 7, 127], [0xb0, 7, 0])
        midi.work(atNanoseconds: 1_000_000_000)
        #expect(midi.learning == "mark" && run.gain == 0, "while it learns nothing is moved")
        midi.work(atNanoseconds: 2_000_000_000)
        #expect(midi.learning == nil && midi.news == "mark = 1/cc7 toggle" && midi.trouble == nil)
        #expect(midi.mappings.map(\.control) == ["mute", "mark"], "a source moves one control")
        send([0xb0, 7, 127])
        midi.work()
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
