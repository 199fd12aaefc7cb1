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

/// What makes such connections, one after the other.
protocol ByteSourceMaker {
    /// Reaches the sender. May wait for it up to a time of the monotonic clock, or longer where that cannot be helped.
    ///
    /// - Returns: `nil` where none has come yet.
    /// - Throws: `network` where it is worth another try, else what is wrong.
    func connect(untilNanoseconds deadline: UInt64) throws(StreamError) -> (any ByteSource)?

    /// Whether another sender may come after one that sent something else than sound, or a file that has ended.
    var servesAnybody: Bool { get }
}
