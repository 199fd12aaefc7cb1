import AudioDSP

/// The last frames of a signal, for who wants to read them later: one writer and reader, the audio thread.
@safe package struct History: ~Copyable {
    private let memory: Row<Float>
    private let planes: RingPlanes
    /// How far back can be read, in frames.
    package let capacity: Int
    /// How many frames were written.
    private var position: Int
    /// What lies before it is silence, whatever was written.
    private var beginning: Int

    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: how far back can be read, in frames, beside a block of the longest length; 0 where nothing is to be
    ///     remembered, which takes no memory.
    package init(channels: Int, capacity: Int) {
        precondition(channels >= 1 && capacity >= 0)
        self.capacity = capacity
        let slots = capacity == 0 ? 1 : slotCount(forCapacity: capacity + Plan.maximumFrames)
        // So that what lies before the beginning has a place too.
        position = slots
        beginning = slots
        memory = Row(zeros: channels * slots)
        planes = unsafe RingPlanes(samples: memory.base, channels: channels, slots: slots)
    }

    /// Writes the next frames of a channel; they count once `advance` is called. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func write(_ source: Samples, channel: Int) { planes.write(source, channel, from: position) }

    /// Reads what a channel held so many frames before those that are written next. Thread: audio. Wait-free.
    ///
    /// - Parameter delay: `capacity` at the most. Where it is shorter than the target, what it reaches must be written before;
    ///   below 0 it is a place in the block that is written next.
    @_noLocks @_noAllocation
    package func read(into target: Samples, channel: Int, delay: Int) {
        precondition(delay <= capacity)
        let silent = max(0, min(beginning - (position - delay), target.count))
        target.slice(from: 0, count: silent).clear()
        let heard = target.slice(from: silent, count: target.count - silent)
        planes.read(into: heard, channel, from: position - delay + silent)
    }

    /// Ends a block. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func advance(by frames: Int) { position += frames }

    /// Forgets what was written, however much that is. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func clear() { beginning = position }
}
