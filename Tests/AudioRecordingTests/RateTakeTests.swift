import AudioFiles
import AudioRealtime
import TestSupport
import Testing

@testable import AudioRecording

/// A recording whose server comes back at another rate, or whose files have another.
@Suite struct RateTakeTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private struct Rig {
        var gate: RecordingGate
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        /// Of each take, in seconds.
        var lengths: [Double] = []

        init(_ change: (inout RecordingSettings) -> Void) {
            var settings = RecordingSettings()
            change(&settings)
            gate = RecordingGate(settings)
        }

        /// A tenth of a second.
        mutating func feed(_ sample: Float, at rate: Int) {
            let frames = rate / 10
            block.run = TapRun(sampleRate: rate)
            block.frames = UInt32(frames)
            for step in gate.add(RecordedBlock(block, [Float](repeating: sample, count: frames), channels: 1)) {
                switch step {
                case .begin: lengths.append(0)
                case .block(let part): lengths[lengths.count - 1] += Double(part.frames) / Double(rate)
                default: break
                }
            }
            block.position += UInt64(frames)
            block.entryNanoseconds += 100_000_000
        }

        mutating func feed(_ sample: Float, at rate: Int, times: Int) { for _ in 0..<times { feed(sample, at: rate) } }
    }

    @Test(arguments: [(96000, 48000), (44100, 192_000)]) func `lasts as long as it may`(first: Int, second: Int) {
        var rig = Rig { $0.maximumSeconds = 0.5 }
        rig.feed(0.5, at: first, times: 3)
        rig.feed(0.5, at: second, times: 9)
        #expect(rig.lengths.count == 1 && abs(rig.lengths[0] - 0.5) < 1e-9 && rig.gate.state == .over)
    }

    @Test(arguments: [(96000, 48000), (44100, 192_000)]) func `ends after as much silence as it is to`(
        first: Int, second: Int
    ) {
        var rig = Rig {
            $0.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.5, repeats: true))
            $0.maximumSeconds = 1.5
        }
        rig.feed(0.5, at: first)
        rig.feed(0, at: first, times: 4)
        rig.feed(0, at: second, times: 4)
        #expect(rig.lengths.count == 1 && abs(rig.lengths[0] - 0.6) < 1e-9 && rig.gate.state == .waiting)
        rig.feed(0.5, at: second, times: 20)
        #expect(rig.lengths.count == 2 && abs(rig.lengths[1] - 0.9) < 1e-9 && rig.gate.state == .over)
    }

    @Test func `tells in frames of the file how far its takes are apart`() throws {
        var settings = RecordingSettings()
        settings.start = .sound(SoundTrigger(thresholdDecibels: -20, silenceSeconds: 0.01, repeats: true))
        settings.sampleRate = 24_000
        let recorder = try Recorder(
            RecordingName(template: folder("a-{n}.wav")), sampleRate: 48_000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65_536)
        for _ in 1...3 {
            feed.feed([Float](repeating: 0.5, count: 100))
            feed.feed([Float](repeating: 0, count: 1000))
        }
        recorder.finish()
        // 1000 frames of the server's are silent, of which 480 end a take.
        #expect(recorder.takes == 3 && recorder.gaps.map(\.lengthFrames) == [260, 260])
    }

    /// A take begins at a frame that found no room, and the server comes back at another rate before the next block.
    @Test func `keeps the silence that a take has begun with, in a file of its rate`() throws {
        var settings = RecordingSettings()
        settings.start = .onRequest
        let recording = try Recording(
            RecordingName(folder("a.wav")), sampleRate: 48_000, channels: 1, settings, figures: RecordingFigures(),
            patience: Patience())
        var block = TapBlock(run: TapRun(sampleRate: 48_000))
        block.frames = 960
        try recording.begin(with: block)
        let gap = Gap(.dropped, start: 0, nanoseconds: 20_000_000, at: block.run, endPosition: 960)
        try recording.leave(gap) { false }
        block.run = TapRun(sampleRate: 96_000)
        let sound = [Float](repeating: 0.5, count: 960)
        try recording.write(block, PCMBuffer(StreamFormat(sampleRate: 96_000, channels: 1), sound))
        try recording.close(hasFailed: false)
        try recording.files.sync.finish()
        #expect(recording.files.paths == [folder("a.wav"), folder("a-2.wav")])
        #expect(recording.files.list.map(\.sampleRate) == [48_000, 96_000])
        #expect(recording.files.list.map(\.frames) == [960, 960])
    }
}
