import AudioRealtime
import Testing

@testable import AudioRecording

/// A recording whose server comes back at another rate.
@Suite struct RateTakeTests {
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
}
