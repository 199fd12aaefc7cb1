import AudioDSP

/// A processor that the compiler must refuse: it allocates on the audio thread, one call behind its `process`.
struct Hoarder: AudioProcessor, ~Copyable {
    private var lengths: [Int] = []

    mutating func process(_ block: borrowing ProcessorBlock) { note(block.frames) }

    private mutating func note(_ frames: Int) { lengths.append(frames) }
}

@_noLocks @_noAllocation
func hoarder(_ call: ProcessorCall) { call.process(Hoarder.self) }
