// expect: stored property 'kept' of 'Escapable'-conforming struct 'Hoarder' has non-Escapable type
//
// The samples belong to the block, and cannot be kept.
import AudioDSP

struct Hoarder: AudioProcessor, ~Copyable {
    private var kept: MutableSpan<Float>?

    mutating func process(_ block: borrowing ProcessorBlock) { kept = block[0] }
}
