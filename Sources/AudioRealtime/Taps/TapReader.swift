/// A worker's end of a tap. It is read either in blocks or in runs of any length, not now this way and now that.
public struct TapReader: ~Copyable, Sendable {
    package let tap: Tap
    /// Its own, of the tap's readers.
    package let number: Int
    /// Samples of blocks that were taken and not read yet, interleaved.
    private var begun: [Float] = []

    init(_ tap: Tap, number: Int) {
        self.tap = tap
        self.number = number
    }

    deinit { tap.forget(number) }

    /// Of the node that is heard.
    public var channels: Int { tap.channels }

    /// Frames that found no room because this end did not read fast enough. Thread: any but audio.
    public var droppedFrames: UInt64 { tap.droppedFrames(number) }

    /// Reads up to `capacity` frames into `target`, interleaved, and returns how many. Thread: one, the reader's.
    public mutating func read(interleavedInto target: inout [Float], capacity: Int) -> Int {
        while begun.count < capacity * channels, let block = tap.take(number) { begun += block.samples }
        let count = min(begun.count, capacity * channels)
        if target.count < count { target = [Float](repeating: 0, count: count) }
        target.replaceSubrange(0..<count, with: begun.prefix(count))
        begun.removeFirst(count)
        return count / channels
    }

    /// Takes the oldest block, as the audio thread handed it over: puts its frames into `target`, interleaved, and returns
    /// what is to be said of it; `nil` when there is none. Thread: one, the reader's.
    public mutating func readBlock(interleavedInto target: inout [Float]) -> TapBlock? {
        guard let block = next() else { return nil }
        target = block.samples
        return block.block
    }

    /// As `readBlock`, with the samples that all readers share.
    mutating func next() -> TappedBlock? {
        precondition(begun.isEmpty, "a tap that was read without regard to blocks cannot be read in blocks")
        return tap.take(number)
    }
}
