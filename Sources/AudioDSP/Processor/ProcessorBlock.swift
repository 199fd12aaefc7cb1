/// The samples that a processor changes in place, one run for each channel. Thread: audio.
@safe @frozen public struct ProcessorBlock: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<Float>
    /// From one channel to the next, in samples.
    @usableFromInline var stride: Int
    /// 1 or more; as many in each block.
    public private(set) var channels: Int
    /// Length of the block in frames: 1…8192, and another one each time.
    public private(set) var frames: Int
    /// In hertz.
    public private(set) var sampleRate: Int
    /// How many frames the processor was given since the stream began.
    public private(set) var position: Int

    /// - Parameters:
    ///   - first: the first channel. It must stay valid while the block is in use, as must the others.
    ///   - stride: from one channel to the next, in samples; `first.count` or more.
    @unsafe @_noLocks @_noAllocation
    package init(_ first: Samples, stride: Int, channels: Int, sampleRate: Int, position: Int) {
        unsafe base = first.base
        self.stride = stride
        self.channels = channels
        frames = first.count
        self.sampleRate = sampleRate
        self.position = position
    }

    /// The samples of a channel. A channel or a frame that does not exist ends the program, as with an array.
    @inlinable public subscript(channel: Int) -> MutableSpan<Float> {
        @_lifetime(borrow self) @_noLocks @_noAllocation get {
            precondition(channel >= 0 && channel < channels)
            // SAFETY: the channel has `frames` samples, and the span cannot outlive the block.
            let span = unsafe MutableSpan(_unsafeStart: base + channel * stride, count: frames)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Describes the next block, in the memory of the last one: put together elsewhere and copied, it would have to wait until
    /// all samples that were written before are in the cache.
    ///
    /// - Parameters: as above.
    @unsafe @_noLocks @_noAllocation
    package mutating func describe(_ first: Samples, stride: Int, channels: Int, sampleRate: Int, position: Int) {
        unsafe base = first.base
        self.stride = stride
        self.channels = channels
        frames = first.count
        self.sampleRate = sampleRate
        self.position = position
    }

    /// The samples of a channel from a frame on, for what works on whole runs of them. Valid as long as the block.
    @inline(__always) @_noLocks @_noAllocation
    package func run(_ channel: Int, from start: Int = 0, count: Int? = nil) -> Samples {
        let count = count ?? frames - start
        precondition(channel >= 0 && channel < channels && start >= 0 && count >= 0 && start + count <= frames)
        // SAFETY: checked on the line above.
        return unsafe Samples(base + channel * stride + start, count: count)
    }

    /// One sample, for loops that go through all channels of a frame. Along a channel its span is several times as fast. A channel
    /// or a frame that does not exist ends the program, as with an array.
    @inlinable public subscript(channel: Int, frame: Int) -> Float {
        @_noLocks @_noAllocation get {
            precondition(channel >= 0 && channel < channels && frame >= 0 && frame < frames)
            // SAFETY: checked on the line above.
            return unsafe base[channel * stride + frame]
        }
        @_noLocks @_noAllocation nonmutating set {
            precondition(channel >= 0 && channel < channels && frame >= 0 && frame < frames)
            // SAFETY: checked on the line above.
            unsafe base[channel * stride + frame] = newValue
        }
    }
}
