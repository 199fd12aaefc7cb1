// expect: success
//
// The control: what a processor may do compiles.
import AudioDSP
import Synchronization

struct Tremolo: AudioProcessor, ~Copyable {
    private let wanted = Atomic<UInt32>(Float(1).bitPattern)
    private var gain = Ramp(1)
    private var last = InlineArray<2, Float>(repeating: 0)

    mutating func process(_ block: borrowing ProcessorBlock) {
        let target = Float(bitPattern: wanted.load(ordering: .relaxed))
        if gain.target != target { gain.move(to: target, over: block.sampleRate / 100) }
        for channel in 0..<block.channels {
            var samples = block[channel]
            for frame in samples.indices { samples[frame] = min(1, samples[frame] + last[channel & 1]) }
            last[channel & 1] = block[channel, block.frames - 1]
        }
        gain.advance(by: block.frames)
    }

    // Not on the audio thread.
    mutating func reset(sampleRate: Int) { print("a stream of \(sampleRate) Hz begins") }
}

@_noLocks @_noAllocation
func tremolo(_ call: ProcessorCall) { call.process(Tremolo.self) }
