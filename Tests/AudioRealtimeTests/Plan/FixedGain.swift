import AudioDSP
import AudioRealtime

/// A node of ours for plans: makes its input louder or softer, and never changes.
private struct FixedGain: AudioProcessor {
    let gain: Float

    mutating func process(_ block: borrowing ProcessorBlock) {
        for channel in 0..<block.channels { block.run(channel).applyGain(Ramp(gain)) }
    }
}

@_noLocks @_noAllocation
private func fixedGain(_ call: ProcessorCall) { call.process(FixedGain.self) }

extension NodeBody {
    static func gain(_ gain: Float) -> NodeBody {
        .processor(
            Cell(ProcessorState(FixedGain(gain: gain), fixedGain, sampleRate: 48_000, nature: .oursWithoutMemory)))
    }
}
