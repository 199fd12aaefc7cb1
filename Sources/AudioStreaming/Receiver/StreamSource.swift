/// What has come from a sender.
enum SourceEvent: Sendable {
    /// The sender was reached.
    case reached
    /// What comes has the form of a file.
    case container(StreamContainer)
    /// A stream begins: all packets after it are of this one.
    case opening(StreamOpening)
    /// At a time of the monotonic clock; `isTimed` where it came then, and the time was not worked out from that of another one.
    case packet(StreamPacket, nanoseconds: UInt64, isTimed: Bool = true)
    /// Of what came, so many packets are not handed on: a burst of older sound.
    case leftOut(packets: Int)
    /// When a frame was rendered, by the sender's wall clock: nanoseconds since 1970 in UTC.
    case time(frame: UInt64, wallNanoseconds: Int64)
    /// The stream has ended; another one may follow.
    case ended
    /// All of it has come, and nothing follows: it was a file.
    case finished
    /// The sender cannot be reached, or what came is damaged: it is tried again.
    case failed(StreamError)
}

/// Where packets come from. Made, asked and let go on the receiver's worker.
protocol StreamSource: AnyObject {
    /// Waits until something comes, or up to a time of the monotonic clock; returns what has come.
    ///
    /// - Throws: it is over for good.
    func receive(untilNanoseconds deadline: UInt64) throws(StreamError) -> [SourceEvent]

    /// Packets that came and are none of the stream's; see `ReceiverFigures`.
    var ignoredPackets: Int { get }
}

extension StreamSource {
    var ignoredPackets: Int { 0 }
}
