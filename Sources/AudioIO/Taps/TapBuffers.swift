/// The buffers of a tap, for `for await`. Once nobody has them or loops over them any more, or the loop's task is cancelled, the
/// tap is removed; where the engine is closed, the loop ends.
public struct TapBuffers: AsyncSequence, Sendable {
    public typealias Element = (buffer: AudioBuffer, time: BufferTime)

    private let stream: AsyncStream<Element>
    /// What loses buffers where the loop is too slow.
    public let tap: EngineTap

    init(_ stream: AsyncStream<Element>, tap: EngineTap) {
        self.stream = stream
        self.tap = tap
    }

    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}
