/// The samples that a processor changes in place, one run for each channel. Thread: audio.
@safe @frozen public struct ProcessorBlock: ~Copyable {
    @usableFromInline let base: UnsafeMutablePointer<Float>
    /// From one channel to the next, in samples.
    @usableFromInline let stride: Int
    /// 1 or more; as many in each block.
    public let channels: Int
    /// Length of the block in frames: 1…8192, and another one each time.
    public let frames: Int
    /// In hertz.
    public let sampleRate: Int
    /// How many frames the processor was given since the stream began.
    public let position: Int

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
