import AudioIO
import Threads

/// What a node of an engine renders, on its way to the listeners of a server. Made by `Engine.serve`.
///
/// Thread: any but audio.
public final class ServedNode: Sendable {
    fileprivate let listener: NodeListener
    private let broadcast: Broadcast

    /// Less than the packets last, which have to wait for it.
    private static let wakeNanoseconds: UInt64 = 5_000_000

    init(_ broadcast: Broadcast, _ tap: consuming RemovableTap) throws(ResourceError) {
        self.broadcast = broadcast
        listener = try NodeListener(tap, [broadcast], isPrompt: true, everyNanoseconds: Self.wakeNanoseconds)
    }

    /// Frames that found no room in the tap, or were left at the end, because the worker was too slow.
    public var droppedFrames: UInt64 { listener.droppedFrames }

    /// Nothing more comes to the listeners. Calling it again does nothing. The engine calls it when it is closed.
    public func finish() { finish(withoutServerUntil: nil) }

    func finish(withoutServerUntil end: UInt64?) {
        // By default the listeners' queues have no more than that.
        listener.finish(withoutServerUntil: end, withinSeconds: 1)
        broadcast.finish()
    }
}

extension Engine {
    /// Serves what a node renders, from the next block on, until `ServedNode.finish` or the engine's `close`. Once for each
    /// server. Thread: control, while sound runs too.
    ///
    /// - Returns: what ends it. The engine keeps it as well.
    /// - Throws: `notAttached`; `resources`.
    @discardableResult
    public func serve(_ node: some Node, on server: PageServer) throws -> ServedNode {
        guard let channels = node.channels, node.isAttached else { throw NodeError.notAttached(node.core.kind) }
        let tap = try removableTap(node, capacityFrames: 4 * sampleRate)
        let served = try ServedNode(server.begin(sampleRate: sampleRate, channels: channels), tap)
        served.listener.end(with: self) { end in served.finish(withoutServerUntil: end) }
        return served
    }
}
