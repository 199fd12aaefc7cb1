import AudioDSP

/// A filled buffer of a queue, as a worker's callback gets it. When the callback returns, the buffer is enqueued for
/// output; when it was played, it is enqueued for input again by itself.
@safe public struct QueueBuffer: ~Copyable {
    private let planes: UnsafeMutablePointer<Planes>
    /// Length in frames: the queue's, but where a flush handed the buffer over before it was full.
    public let frames: Int
    /// Frames that were taken before the first of these, since the unit was made.
    public let position: UInt64
    /// 1 or more.
    public var channels: Int { unsafe planes.pointee.channels }

    /// - Parameter planes: must stay valid as long as the value.
    @unsafe init(_ planes: UnsafeMutablePointer<Planes>, frames: Int, position: UInt64) {
        unsafe self.planes = planes
        self.frames = frames
        self.position = position
    }

    /// Lends the samples of a channel, `frames` of them: what is left there is played. Thread: the worker.
    ///
    /// - Parameter channel: 0 and up.
    public mutating func withSamples<Result>(
        of channel: Int, _ body: (inout MutableSpan<Float>) -> Result
    ) -> Result {
        // SAFETY: `init` requires it to be valid.
        unsafe planes.pointee.run(channel, count: frames).withSpan(body)
    }
}
