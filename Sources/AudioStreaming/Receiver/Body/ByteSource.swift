/// A connection by which a stream of bytes comes. Closed with the object.
///
/// Thread: one at a time, any that may block.
protocol ByteSource: AnyObject {
    /// Waits until something comes, or up to a time of the monotonic clock.
    ///
    /// - Returns: what has come, empty where nothing has; `nil`: all has come, and the sender has ended it.
    /// - Throws: `network`: the connection broke.
    func read(untilNanoseconds deadline: UInt64) throws(StreamError) -> [UInt8]?

    /// Waits while nothing is to be read.
    func rest(untilNanoseconds deadline: UInt64)

    /// Whether the sender has said how much comes in all.
    var isFinite: Bool { get }
}
