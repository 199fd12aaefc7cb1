import AudioIO
import AudioPlugins
import AudioRealtime
import TestSupport
import Testing

/// By `echo`, which makes notes of samples and samples of notes: see Bundles/echo.lv2.
@Suite("The MIDI of a plug-in") struct PluginMIDITests {
    private func echo(channels: Int = 1, maximumFrames: Int = 1024) throws -> Plugin {
        let bundle = try Bundle(folder: ProbeBundle.folder("echo"))
        return try Plugin("urn:iounit:echo", channels: channels, maximumFrames: maximumFrames, in: bundle.list)
    }

    private func note(_ number: UInt8, at frame: Int) -> MIDIEvent {
        MIDIEvent(MIDIMessage(0x90, number, 100), atFrame: frame)
    }

    /// A signal that is silent but at some frames, where it is a note's number in parts of 128.
    private func signal(_ notes: [MIDIEvent], count: Int) -> [Float] {
        var signal = [Float](repeating: 0, count: count)
        for note in notes { signal[note.frame] += Float(note.message.first) / 128 }
        return signal
    }

    private static let frames = [0, 1, 63, 64, 65, 127, 128, 200, 255, 256, 300, 511, 512, 999]
    private var notes: [MIDIEvent] { Self.frames.enumerated().map { note(UInt8($0 + 40), at: $1) } }

    @Test(arguments: [(1024, 256), (64, 256), (33, 1000), (1024, 1), (1, 512)])
    func `comes and goes at its frame, however long the blocks are`(maximumFrames: Int, periodFrames: Int) throws {
        let engine = try Engine.hosting(try echo(maximumFrames: maximumFrames), periodFrames: periodFrames)
        let heard = try engine.render(1000, input: [], midi: notes)
        #expect(heard.output[0] == signal(notes, count: 1000) && heard.midi.isEmpty)
        let made = try engine.render(1000, input: [signal(notes, count: 1000)], midi: [])
        #expect(made.midi == notes)
    }

    @Test func `comes at its frame where a short loop cuts the cycles`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, rampMilliseconds: 0.001, periodFrames: 256)
        let (plugin, mixer) = (try echo(), engine.attach(Mixer(channels: 1)))
        let (delay, gain) = (engine.attach(Delay(frames: 37, channels: 1)), engine.attach(Gain(linear: 0, channels: 1)))
        engine.attach(plugin)
        try engine.connect(engine.input, to: mixer)
        try engine.connect(mixer, to: plugin)
        try engine.connect(plugin, to: gain)
        try engine.connect(gain, to: delay)
        try engine.connect(delay, to: mixer)
        try engine.connect(plugin, to: engine.output)
        try engine.start()
        #expect(try engine.render(1000, input: [], midi: notes).output[0] == signal(notes, count: 1000))
        #expect(try engine.render(1000, input: [signal(notes, count: 1000)], midi: []).midi == notes)
    }

    @Test func `of two plug-ins leaves in the order of the frames, and each hears all that came`() throws {
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1, rampMilliseconds: 0.001, periodFrames: 256)
        let plugins = try [echo(), echo(maximumFrames: 50)]
        var last: any Node = engine.input
        for plugin in plugins {
            engine.attach(plugin)
            try engine.connect(last, to: plugin)
            last = plugin
        }
        try engine.connect(last, to: engine.output)
        try engine.start()
        let (output, made) = try engine.render(1000, input: [], midi: notes)
        #expect(output[0] == signal(notes + notes, count: 1000))
        #expect(made == notes, "the second makes notes of what the first has made of notes")
        plugins[1].hearsMIDI = false
        #expect(try engine.render(1000, input: [], midi: notes).output[0] == signal(notes, count: 1000))
        plugins[1].sendsMIDI = false
        #expect(try engine.render(1000, input: [signal(notes, count: 1000)], midi: []).midi == notes)
        plugins[0].sendsMIDI = false
        #expect(try engine.render(1000, input: [signal(notes, count: 1000)], midi: []).midi.isEmpty)
        #expect(plugins.allSatisfy { $0.lostMessages == 0 })
    }

    @Test func `is heard by all instances, and leaves by the first one`() throws {
        let engine = try Engine.hosting(try echo(channels: 3), channels: 3)
        let (output, made) = try engine.render(1000, input: [], midi: notes)
        #expect(output == [[Float]](repeating: signal(notes, count: 1000), count: 3) && made.isEmpty)
        let inputs = [signal(notes, count: 1000), signal([note(1, at: 5)], count: 1000)]
        #expect(try engine.render(1000, input: inputs, midi: []).midi == notes)
    }

    @Test func `counts what it has no room for, and what belongs to no channel`() throws {
        let plugin = try echo()
        let engine = try Engine.hosting(plugin)
        // Its port has 8192 bytes, a head of 16, and 24 for each message.
        let many = (0..<400).map { _ in note(0, at: 9) } + [note(64, at: 10)]
        #expect(try engine.render(256, input: [], midi: many).output[0].allSatisfy { $0 == 0 })
        #expect(plugin.lostMessages == 401 - 340)
        _ = try engine.render(256, input: [[0, -0.5, -0.25]], midi: [])
        #expect(plugin.lostMessages == 401 - 340 + 2)
    }

    @Test func `of a message that was sent by hand comes first`() throws {
        let plugin = try echo()
        let engine = try Engine.hosting(plugin)
        _ = try engine.render(256, input: [], midi: [])
        #expect(plugin.send(MIDIMessage(0x90, 32, 1)))
        let heard = try engine.render(256, input: [], midi: [note(64, at: 3)])
        #expect(heard.output[0] == signal([note(32, at: 0), note(64, at: 3)], count: 256))
    }

    @Test func `goes nowhere in an engine that has no MIDI, and is not counted as lost`() throws {
        let plugin = try echo()
        let engine = try Engine.hosting(plugin)
        _ = try engine.render(signal(notes, count: 1000))
        #expect(plugin.lostMessages == 0)
    }

    @Test func `of one with MIDI alone is a fifth above, at the same frame, and the sound goes by`() throws {
        let engine = try Engine.hosting(try Plugin("eg-fifths/eg-fifths", channels: 1))
        let sound = signal([note(100, at: 77)], count: 1000)
        let (output, made) = try engine.render(1000, input: [sound], midi: [note(60, at: 0), note(62, at: 300)])
        #expect(output[0] == sound)
        #expect(made.map(\.frame) == [0, 0, 300, 300] && made.map(\.message.first) == [60, 67, 62, 69])
    }

    @Test func `starts a sample at its frame`() throws {
        let plugin = try Plugin("eg-sampler/eg-sampler", channels: 1)
        func onset(_ frame: Int) throws -> Int? {
            let engine = try Engine.hosting(plugin)
            defer { engine.close() }
            // Its worker loads the sample.
            _ = try engine.render(48_000, input: [], midi: [])
            let key = note(60, at: frame)
            defer { engine.detach(plugin) }
            return try engine.render(2000, input: [], midi: [key]).output[0].firstIndex { $0 != 0 }
        }
        let first = try #require(try onset(10))
        #expect(try onset(510) == first + 500 && first >= 10)
    }
}
