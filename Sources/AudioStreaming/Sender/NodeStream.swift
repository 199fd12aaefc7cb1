import AudioIO

/// What a node of an engine renders, on its way to targets. Made by `Engine.send`.
///
/// The tap is read by a worker as soon as a block is there (`BlockPace`); where that is late for more than four seconds, the
/// audio thread drops blocks and counts them, and the stream has a gap there as for any other time without sound: a reset of the server, a pause, a
/// late cycle. A gap packet tells of each, of the length that the clocks say.
///
/// Thread: any but audio.
public final class NodeStream: Sendable {
    /// What sends it, with the figures of each target.
    public let sender: StreamSender
    fileprivate let listener: NodeListener
    /// Which of the listener's sinks is `sender`.
    private let place: Int

    init(_ sender: StreamSender, _ listener: NodeListener, place: Int) {
        self.sender = sender
        self.listener = listener
        self.place = place
    }

    /// Why nothing more is sent, or the end was not: the codec failed. That of a target is in `sender.figures`.
    public var failure: StreamError? { listener.failure(of: place) ?? sender.failure }

    /// Frames that found no room in the tap, because the worker was too slow.
    public var droppedFrames: UInt64 { listener.droppedFrames }

    /// Ends the stream, and those that were opened with it: what waits still goes out. Calling it again does nothing. The engine
    /// calls it when it is closed.
    ///
    /// - Parameter seconds: how long to wait for slow targets.
    public func finish(within seconds: Double = 2) { finish(within: seconds, withoutServerUntil: nil) }

    /// - Parameter end: when the server was gone at the end, on the monotonic clock: the time up to there is a gap.
    package func finish(within seconds: Double, withoutServerUntil end: UInt64?) {
        listener.finish(withoutServerUntil: end)
        sender.finish(within: seconds)
    }
}

extension Engine {
    /// Sends what a node renders, from the next block on, until `NodeStream.finish` or the engine's `close`. Thread: control,
    /// while sound runs too.
    ///
    /// The stream's frames are counted from the first that is sent.
    ///
    /// - Parameters:
    ///   - targets: see `StreamSender`. A target that cannot be reached is no error here: it is tried again.
    ///   - queueSeconds: how much may wait for each target.
    /// - Returns: what tells of the stream and ends it. The engine keeps it as well.
    /// - Throws: `StreamError` for what no target or codec has; `notAttached`; `resources`.
    @discardableResult
    public func send(
        _ node: some Node, to targets: [StreamTarget], _ settings: CodecSettings, queueSeconds: Double = 2
    ) throws -> NodeStream {
        let stream = try openStreams(node, [(targets, settings)], queueSeconds: queueSeconds)[0]
        stream.listener.end(with: self) { end in stream.finish(within: 2, withoutServerUntil: end) }
        return stream
    }

    /// As `send`, of several streams that their owner finishes, before or after the engine is closed. They begin with the same
    /// frame, share a tap and end together: what the audio thread has to copy does not depend on how many there are.
    ///
    /// - Parameter streams: at least one; no target is in two of them.
    package func openStreams(
        _ node: some Node, _ streams: [(targets: [StreamTarget], settings: CodecSettings)], queueSeconds: Double = 2
    ) throws -> [NodeStream] {
        guard let channels = node.channels, node.isAttached else { throw NodeError.notAttached(node.core.kind) }
        var senders: [StreamSender] = []
        do {
            for (targets, settings) in streams {
                senders.append(
                    try StreamSender(
                        to: targets, settings, sampleRate: sampleRate, channels: channels, queueSeconds: queueSeconds))
            }
            let tap = try removableTap(node, capacityFrames: 4 * sampleRate)
            let listener = try NodeListener(
                tap, senders, isUrgent: senders.contains(where: \.isUrgent),
                everyNanoseconds: (senders.map(\.packetNanoseconds).min() ?? 0) / 8)
            return senders.enumerated().map { NodeStream($1, listener, place: $0) }
        } catch {
            for sender in senders { sender.finish(within: 0) }
            throw error
        }
    }
}
