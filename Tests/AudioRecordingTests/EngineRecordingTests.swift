import AudioFiles
import AudioIO
import AudioRecording
import TestSupport
import Testing
import Threads

@Suite("A recording of an engine's node") struct EngineRecordingTests {
    /// An engine without a server that renders numbered frames, at a rate that nobody told the recorder.
    private func engine(_ sampleRate: Int) throws -> Engine { try Engine(offline: sampleRate, inputs: 2, outputs: 2) }

    private func numbers(_ range: Range<Int>) -> [[Float]] {
        [range.map { Float($0 + 1) / 65_536 }, range.map { -Float($0 + 1) / 65_536 }]
    }

    @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]])
    func `is whole, and at the engine's rate, in whatever order its maker ends things`(order: [Int]) throws {
        let folder = try TemporaryFolder()
        let path = folder("take.wav")
        var engine: Engine? = try engine(44_100)
        var recorder: Recorder? = try #require(try engine?.record(engine!.input, to: path))
        try engine?.start()
        for start in stride(from: 0, to: 20_000, by: 500) {
            _ = try engine?.render(500, input: numbers(start..<start + 500))
        }
        for step in order {
            switch step {
            case 0: engine?.close()
            case 1: recorder = nil
            default: engine = nil
            }
        }
        #expect(recorder == nil)
        let sound = try Sound.read(path).sound
        #expect(sound.sampleRate == 44_100)
        #expect(sound.samples == AudioBuffer(numbers(0..<20_000)).interleaved)
    }

    @Test func `can end while sound goes on, and another one begin`() throws {
        let folder = try TemporaryFolder()
        let engine = try engine(48_000)
        try engine.start()
        let first = try engine.record(engine.input, to: folder("1.wav"))
        _ = try engine.render(1000, input: numbers(0..<1000))
        first.finish()
        _ = try engine.render(1000, input: numbers(1000..<2000))
        let second = try engine.record(engine.input, to: folder("2.wav"))
        _ = try engine.render(1000, input: numbers(2000..<3000))
        engine.close()
        #expect(first.writtenFrames == 1000 && second.writtenFrames == 1000)
        #expect(try Sound.read(folder("1.wav")).sound.samples == AudioBuffer(numbers(0..<1000)).interleaved)
        #expect(try Sound.read(folder("2.wav")).sound.samples == AudioBuffer(numbers(2000..<3000)).interleaved)
    }

    @Test func `that has ended is kept by nobody while its engine goes on`() throws {
        let folder = try TemporaryFolder()
        let engine = try engine(48_000)
        try engine.start()
        weak var ended: Recorder?
        do {
            let recorder = try engine.record(engine.input, to: folder("1.wav"))
            _ = try engine.render(1000, input: numbers(0..<1000))
            recorder.finish()
            ended = recorder
        }
        #expect(ended == nil)
        // One that has not is, so that its file is whole.
        do { ended = try engine.record(engine.input, to: folder("2.wav")) }
        _ = try engine.render(1000, input: numbers(0..<1000))
        #expect(ended?.writtenFrames == 0 || ended?.writtenFrames == 1000)
        engine.close()
        #expect(ended == nil)
        #expect(try Sound.read(folder("2.wav")).sound.samples == AudioBuffer(numbers(0..<1000)).interleaved)
    }

    @Test func `waits offline for whoever reads slowly, so that nothing is lost`() throws {
        let engine = try engine(48_000)
        var tap = try engine.tapReader(engine.input, capacityFrames: 8192)
        try engine.start()
        let signal = numbers(0..<60_000)
        let renderer = try Worker("renderer") { _ = try? engine.render(60_000, input: signal) }
        // That it does not go on has no event to wait for: twenty times as long as rendering would take.
        MonotonicClock.sleep(milliseconds: 200)
        #expect(engine.position <= 8192)
        var (heard, block): ([Float], [Float]) = ([], [])
        try waitUntil("all is read") {
            while tap.readBlock(interleavedInto: &block) != nil { heard += block }
            return heard.count >= 120_000
        }
        renderer.join()
        engine.close()
        #expect(tap.droppedFrames == 0 && heard == AudioBuffer(signal).interleaved)
    }

    @Test func `goes with a player, from its first frame to its last and later by a latency`() throws {
        let folder = try TemporaryFolder()
        let engine = try engine(48_000)
        let player = engine.attach(Player())
        let delay = engine.attach(Delay(frames: 100))
        try engine.connect(player, to: delay)
        try engine.connect(delay, to: engine.output)
        var settings = RecordingSettings()
        settings.start = .onRequest
        let recorder = try Recorder(RecordingName(folder("take.wav")), sampleRate: 48_000, channels: 2, settings)
        recorder.follow(player, latencyFrames: 100)
        try recorder.start(engine.tapReader(engine.output, capacityFrames: 48_000))
        try engine.start()
        player.play(buffer: AudioBuffer(numbers(0..<5000)), at: .frame(7777))
        for _ in 0..<50 { _ = try engine.render(333) }
        engine.close()
        recorder.finish()
        #expect(recorder.frame(atPosition: 7877) == 0 && recorder.sidecar == nil)
        #expect(try Sound.read(folder("take.wav")).sound.samples == AudioBuffer(numbers(0..<5000)).interleaved)
    }

    @Test func `that cannot be made is refused at once, and nothing is left behind`() throws {
        let folder = try TemporaryFolder()
        let engine = try engine(48_000)
        #expect(throws: SoundFileError.self) { try engine.record(engine.input, to: folder("none/take.wav")) }
        #expect(throws: SoundFileError.self) { try engine.record(engine.input, to: folder("take.xyz")) }
        #expect(throws: NodeError.self) { try engine.record(Gain(), to: folder("take.wav")) }
        #expect(folder.names.isEmpty)
    }
}
