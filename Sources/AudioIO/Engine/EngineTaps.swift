import AudioRealtime
import Synchronization

// Taps on any node, the input and the output too, as many as one likes, installed and removed while sound runs.
extension Engine {
    /// Has a handler called with what a node renders, in buffers of a length of one's own choice. A node that leads nowhere is
    /// rendered for its taps. While the engine is paused, nothing comes.
    ///
    /// - Parameters:
    ///   - node: of this engine.
    ///   - frames: length of each buffer, 1…2²⁰; whatever the server's period is, each has exactly so many.
    ///   - handler: called on a worker of its own (offline on the thread that renders). Where it is too slow, it loses whole
    ///     buffers, which `BufferTime.lostFrames` and `EngineTap.lostFrames` tell. It may call the engine.
    /// - Returns: what removes it. The engine keeps it as well; where it is closed, the tap is removed already.
    /// - Throws: `notAttached`; `resources` where the machine has no more threads to give.
    @discardableResult
    public func tap(
        _ node: some Node, frames: Int, handler: @escaping EngineTap.Handler
    ) throws -> EngineTap {
        try install(node, frames: frames, atEnd: {}, handler: handler)
    }

    /// A tap whose handler only shows what comes: what waits for it when the tap ends is left out, so that no end waits for it.
    @discardableResult
    package func watch(
        _ node: some Node, frames: Int, handler: @escaping EngineTap.Handler
    ) throws -> EngineTap {
        try install(node, frames: frames, leavesRest: true, atEnd: {}, handler: handler)
    }

    /// - Parameter pieceFrames: for a handler that makes buffers of `frames` frames itself: of pieces of this length, of which
    ///   the last is as short as it has to be.
    package func install(
        _ node: some Node, frames: Int, pieceFrames: Int? = nil, lost: LostBuffers? = nil,
        leavesRest: Bool = false, atEnd: @escaping @Sendable () -> Void, handler: @escaping EngineTap.Handler
    ) throws -> EngineTap {
        let frames = Self.bufferFrames(frames)
        let ends = try removableTap(node, capacityFrames: capacity(for: pieceFrames ?? frames))
        let tap = EngineTap(
            ends, frames: frames, pieceFrames: pieceFrames, lost: lost, leavesRest: leavesRest, handler: handler,
            atEnd: atEnd)
        if case .unit = backend {
            do {
                try tap.start()
            } catch {
                tap.remove()
                throw error
            }
        }
        taps.withLock { taps in
            taps.removeAll { $0.isRemoved }
            taps.append(tap)
        }
        // A close that was under way may have ended the others already.
        if state == .closed { tap.remove() }
        return tap
    }

    /// What a node renders as a sequence: `for await (buffer, time) in try engine.buffers(of: node, frames: 1024) { … }`.
    ///
    /// - Parameters:
    ///   - node: of this engine.
    ///   - frames: length of each buffer, 1…2²⁰.
    /// - Throws: see `tap`.
    public func buffers(of node: some Node, frames: Int) throws -> TapBuffers {
        let frames = Self.bufferFrames(frames)
        // So many wait for a slow loop: as long as the ring behind them lasts. Offline nobody is late.
        var policy = AsyncStream<TapBuffers.Element>.Continuation.BufferingPolicy.unbounded
        if case .unit = backend { policy = .bufferingOldest(max(4, capacity(for: frames) / frames)) }
        let (stream, continuation) = AsyncStream<TapBuffers.Element>.makeStream(bufferingPolicy: policy)
        let lost = LostBuffers()
        let tap = try install(node, frames: frames, lost: lost, atEnd: { continuation.finish() }) { buffer, time in
            var time = time
            time.lostFrames += lost.takeUntold()
            if case .dropped(let (_, time)) = continuation.yield((buffer, time)) {
                lost.add(UInt64(frames), untold: UInt64(frames) + time.lostFrames)
            }
        }
        continuation.onTermination = { termination in
            if case .cancelled = termination { tap.remove() }
        }
        return TapBuffers(stream, tap: tap)
    }

    /// What a node renders, to be read by one's own worker, each frame of it.
    ///
    /// - Parameters:
    ///   - node: of this engine.
    ///   - capacityFrames: how much may wait to be read. At least the longest period, 8192, whatever is asked for: a tap
    ///     that no block ever fits into would hear nothing, and hold up a freewheeling server. At most 2²⁶ frames, divided by
    ///     the number of channels: its memory is allocated at once. No more than 2¹⁸ blocks wait, which counts for periods below 256
    ///     frames alone.
    /// - Throws: `notAttached`.
    public func tapReader(_ node: some Node, capacityFrames: Int) throws(NodeError) -> TapReader {
        try graph.tapReader(node, capacityFrames: capacityFrames)
    }

    /// As `tapReader`, with what takes the tap away from the node.
    package func removableTap(_ node: some Node, capacityFrames: Int) throws(NodeError) -> RemovableTap {
        let reader = try graph.tapReader(node, capacityFrames: capacityFrames)
        let (graph, tap, number) = (graph, reader.tap, reader.number)
        return RemovableTap(reader: reader) { graph.closeReader(number, of: tap, from: node) }
    }

    /// The length of a buffer, whatever is asked for.
    package static func bufferFrames(_ frames: Int) -> Int { max(1, min(frames, 1 << 20)) }

    /// Four buffers, and so many of JACK's longest periods.
    private func capacity(for frames: Int) -> Int { 4 * max(frames, Plan.maximumFrames) }
}

/// Buffers of a tap that a loop over them did not take in time.
package final class LostBuffers: Sendable {
    private let frames = Mutex((all: UInt64(0), untold: UInt64(0)))

    /// In frames.
    var all: UInt64 { frames.withLock { $0.all } }

    /// - Parameter untold: frames that the next buffer is to tell of.
    func add(_ count: UInt64, untold: UInt64) {
        frames.withLock { frames in
            frames.all += count
            frames.untold += untold
        }
    }

    func takeUntold() -> UInt64 {
        frames.withLock { frames in
            defer { frames.untold = 0 }
            return frames.untold
        }
    }
}

/// A reader, and what ends it.
@frozen package struct RemovableTap: ~Copyable {
    package var reader: TapReader
    package let remove: @Sendable () -> Void
}

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
