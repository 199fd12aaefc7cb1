import AudioIO

/// Plays a stream from elsewhere, as a node of an engine: in time with the server, a short and constant while after it came.
///
/// A worker receives, orders, decodes and makes up for what is missing; the audio thread converts from the sender's clock to the
/// server's as it reads. The first stream of a sender decides on the codec and the rate; where it leaves, what has come is played to
/// its end, then there is silence until it returns. One channel of a stream goes to all of the node's; more than the node has are
/// mixed down (`ChannelMatrix`).
///
/// It begins to receive when the engine starts, and ends when it is detached or the engine is closed. Offline it is silent.
public final class StreamReceiver: Node {
    public let core: NodeCore
    /// Where the stream comes from.
    public let origin: StreamOrigin
    private let driver: ReceiverDriver

    /// - Parameter channels: 1…256.
    public init(from origin: StreamOrigin, _ settings: ReceiverSettings = ReceiverSettings(), channels: Int = 2) {
        self.origin = origin
        driver = ReceiverDriver(origin, settings)
        core = NodeCore("receiver", channels: channels, driver: driver)
    }

    /// What has become of the stream so far. Thread: any but audio.
    public var figures: ReceiverFigures { driver.figures }
}
