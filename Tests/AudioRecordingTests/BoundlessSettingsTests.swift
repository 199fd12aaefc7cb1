import AudioFiles
import AudioRealtime
import TestSupport
import Testing

@testable import AudioRecording

/// Lengths and sizes that are no number, or beyond all that can be counted.
@Suite struct BoundlessSettingsTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Records so many frames of the numbered sound.
    func record(
        _ frames: Int, to name: String = "a.wav", _ change: (inout RecordingSettings) -> Void
    ) throws -> Recorder {
        var settings = RecordingSettings()
        change(&settings)
        let recorder = try Recorder(RecordingName(folder(name)), sampleRate: 48000, channels: 1, settings)
        var feed = try TapFeed.start(recorder, channels: 1, capacity: 65536)
        recorder.begin()
        try feed.feedAll(frames)
        recorder.finish()
        return recorder
    }

    static let endless = [Double.infinity, .greatestFiniteMagnitude, 1e20]

    @Test(arguments: endless)
    func whatIsEndlessNeverEnds(seconds: Double) throws {
        let recorder = try record(10_000) {
            $0.maximumSeconds = seconds
            $0.split = .seconds(seconds)
            $0.overlapSeconds = seconds
            $0.start = .sound(SoundTrigger(thresholdDecibels: -120, silenceSeconds: seconds))
        }
        #expect(recorder.segments.count == 1 && recorder.failure == nil && recorder.state != .over)
    }

    @Test(arguments: endless)
    func anEndlessPrerollHasAllThatCame(seconds: Double) throws {
        var settings = RecordingSettings()
        settings.prerollSeconds = seconds
        #expect(settings.prerollBytes(sampleRate: 48000, channels: 1024) > 1 << 60)
        settings.start = .onRequest
        var gate = RecordingGate(settings)
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        block.frames = 480
        let samples = [Float](repeating: 0, count: 480)
        #expect(gate.add(RecordedBlock(block, samples, channels: 1)).isEmpty)
        block.position = 480
        block.entryNanoseconds = 10_000_000
        gate.add(RecordingGate.Request(position: 480, kind: .begin))
        let kept = gate.add(RecordedBlock(block, samples, channels: 1)).reduce(0) { sum, step in
            if case .block(let block) = step { sum + block.frames } else { sum }
        }
        #expect(kept == 960)
    }

    @Test(arguments: endless)
    func ofAnEndlessPrerollNoMoreIsKeptThanThereIsRoomFor(seconds: Double) {
        var settings = RecordingSettings()
        settings.prerollSeconds = seconds
        #expect(settings.prerollFrames(sampleRate: 48000, channels: 2) == 1 << 28)
        #expect(settings.prerollFrames(sampleRate: 192_000, channels: 1024) == 1 << 19)
        #expect(settings.prerollBytes(sampleRate: .max, channels: .max) > 1 << 60)
        settings.prerollSeconds = 600
        #expect(settings.prerollFrames(sampleRate: 48000, channels: 2) == 28_800_000)
    }

    @Test(arguments: [-Double.infinity, -1, .nan])
    func whatIsNoTimeIsNone(seconds: Double) throws {
        var settings = RecordingSettings()
        settings.prerollSeconds = seconds
        #expect(settings.prerollBytes(sampleRate: 48000, channels: 2) == 0)
        let recorder = try record(10_000) {
            $0.prerollSeconds = seconds
            $0.split = .seconds(0.1)
            $0.overlapSeconds = seconds
        }
        #expect(recorder.segments.count == 3 && recorder.writtenFrames == 10_000 && recorder.failure == nil)
        let none = try record(1000, to: "b.wav") { $0.maximumSeconds = seconds }
        #expect(none.state == .over && none.writtenFrames == 0)
    }

    @Test func aSizeOfAnyNumberIsOne() throws {
        for (name, bytes, files) in [("a.wav", Int.max, 1), ("b.flac", Int.max, 1), ("c.wav", Int.min, 4)] {
            let recorder = try record(4, to: name) { $0.split = .bytes(bytes) }
            #expect(recorder.segments.count == files && recorder.writtenFrames == 4, "\(name)")
        }
        let recorder = try record(10_000, to: "d.flac") { $0.split = .bytes(.min) }
        #expect(recorder.writtenFrames == 10_000 && recorder.failure == nil)
    }
}
