import AudioDSP

/// The unit's own buffers: one run of samples for each channel, allocated once.
@safe package struct Planes: ~Copyable {
    private let base: UnsafeMutablePointer<Float>
    private let stride: Int
    package let channels: Int
    /// Length of each in frames.
    package let capacity: Int

    package init(channels: Int, capacity: Int) {
        precondition(channels >= 1 && capacity >= 1)
        self.channels = channels
        self.capacity = capacity
        // Planes a power of two apart would all fall onto the same few sets of the cache.
        stride = capacity + 80
        unsafe base = .allocate(capacity: channels * stride)
        unsafe base.initialize(repeating: 0, count: channels * stride)
    }

    deinit {
        // SAFETY: allocated above, and nobody else frees it.
        unsafe base.deallocate()
    }

    /// `count` frames of a channel from frame `start` on.
    @_noLocks @_noAllocation
    package func run(_ channel: Int, from start: Int = 0, count: Int) -> Samples {
        precondition(channel >= 0 && channel < channels && start >= 0 && count >= 0 && start + count <= capacity)
        // SAFETY: checked on the line above.
        return unsafe Samples(base + channel * stride + start, count: count)
    }
}
