import AudioFiles
import AudioIO
import AudioRealtime
import AudioRecording
import Synchronization
import Threads

/// What a node of an engine renders, on its way to targets. Made by `Engine.send`.
///
/// The tap is read by a worker every 10 ms; where that is late for more than four seconds, the audio thread drops blocks
/// and counts them, and the stream has a gap there as for any other time without sound: a reset of the server, a pause, a
/// late cycle. A gap packet tells of each, of the length that the clocks say.
///
/// Thread: any but audio.
public final class NodeStream: Sendable {
    /// What sends it, with the figures of each target.
    public let sender: StreamSender
    private let session: NodeStreamSession
    private let worker: TimerWorker
    private let removeTap: @Sendable () -> Void

    private static let wakeNanoseconds: UInt64 = 2_500_000

    init(_ sender: StreamSender, _ tap: consuming RemovableTap) throws(ResourceError) {
        self.sender = sender
        removeTap = tap.remove
        let session = NodeStreamSession(tap.reader, sender)
        self.session = session
        do {
            worker = try TimerWorker("iounit-stream", every: Self.wakeNanoseconds) { _ in session.drain() }
        } catch {
            removeTap()
            throw error
        }
    }

    /// Why nothing more is sent: the codec failed. That of a target is in `sender.figures`.
    public var failure: StreamError? { session.failure }

    /// Frames that found no room in the tap, because the worker was too slow.
    public var droppedFrames: UInt64 { session.droppedFrames }

    /// Ends the stream: what waits still goes out. Calling it again does nothing. The engine calls it when it is closed.
    ///
    /// - Parameter seconds: how long to wait for slow targets.
    public func finish(within seconds: Double = 2) { finish(within: seconds, withoutServerUntil: nil) }

    /// - Parameter end: when the server was gone at the end, on the monotonic clock: the time up to there is a gap.
    package func finish(within seconds: Double, withoutServerUntil end: UInt64?) {
        removeTap()
        worker.stop()
        session.finish(withoutServerUntil: end)
        sender.finish(within: seconds)
    }
}

/// The worker's part of a `NodeStream` or a `ServedNode`: from the tap to what takes the sound.
final class NodeStreamSession: Sendable {
    /// Held by one thread at a time, the worker's or, when that has ended, the one that finishes.
    private struct Ends: ~Copyable {
        var tap: TapReader
        var finder = GapFinder()
        /// Samples of the blocks that the finder holds back, interleaved.
        var held: [[Float]] = []
        var block: [Float] = []
        var isFinished = false
    }

    private let ends: Mutex<Ends>
    private let sink: any StreamSink
    private let channels: Int
    private let isPrompt: Bool
    private let failed = Mutex<StreamError?>(nil)
    private let dropped = Atomic<UInt64>(0)

    /// - Parameter isPrompt: whether no block is held back until it is known what a late cycle has cost. The gap then comes
    ///   some blocks behind its place: those who listen hear no difference, and 16 blocks less delay.
    init(_ tap: consuming sending TapReader, _ sink: any StreamSink, isPrompt: Bool = false) {
        self.isPrompt = isPrompt
        self.sink = sink
        channels = tap.channels
        ends = Mutex(Ends(tap: tap))
    }

    var failure: StreamError? { failed.withLock { $0 } }
    var droppedFrames: UInt64 { dropped.load(ordering: .relaxed) }

    func drain() {
        ends.withLock { ends in
            guard !ends.isFinished else { return }
            while let block = ends.tap.readBlock(interleavedInto: &ends.block) {
                let steps = ends.finder.add(block)
                if isPrompt {
                    for case .gap(let gap) in steps { send(gap) }
                    send(block, ends.block)
                    continue
                }
                if steps.isEmpty { ends.held.append(Array(ends.block.prefix(Int(block.frames) * channels))) }
                send(steps, &ends)
            }
            dropped.store(ends.tap.droppedFrames, ordering: .relaxed)
        }
    }

    func finish(withoutServerUntil end: UInt64?) {
        drain()
        ends.withLock { ends in
            guard !ends.isFinished else { return }
            ends.isFinished = true
            let steps = ends.finder.finish(withoutServerUntil: end)
            if isPrompt {
                for case .gap(let gap) in steps { send(gap) }
            } else {
                send(steps, &ends)
            }
        }
    }

    /// Where the finder lets blocks go, it lets all go: those that were held back, and the one that was just read.
    private func send(_ steps: [GapFinder.Step], _ ends: inout Ends) {
        for step in steps {
            switch step {
            case .gap(let gap): send(gap)
            case .block(let block): send(block, ends.held.isEmpty ? ends.block : ends.held.removeFirst())
            }
        }
    }

    private func send(_ gap: Gap) {
        attempt { () throws(StreamError) in
            try sink.gap(
                nanoseconds: gap.lengthNanoseconds, cause: gap.cause.rawValue,
                wallNanoseconds: WallClock.nanoseconds(ofMonotonic: gap.startNanoseconds))
        }
    }

    private func send(_ block: TapBlock, _ samples: [Float]) {
        let format = StreamFormat(sampleRate: Int(block.run.sampleRate), channels: channels)
        let buffer = PCMBuffer(format, Array(samples.prefix(Int(block.frames) * channels)))
        attempt { () throws(StreamError) in
            try sink.send(buffer, wallNanoseconds: WallClock.nanoseconds(ofMonotonic: block.entryNanoseconds))
        }
    }

    /// Keeps the first failure, after which nothing more is sent.
    private func attempt(_ body: () throws(StreamError) -> Void) {
        guard failure == nil else { return }
        do throws(StreamError) {
            try body()
        } catch {
            failed.withLock { $0 = error }
        }
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
        let stream = try openStream(node, to: targets, settings, queueSeconds: queueSeconds)
        atClose { end in stream.finish(within: 2, withoutServerUntil: end) }
        return stream
    }

    /// As `send`, of a stream that its owner finishes, before or after the engine is closed.
    package func openStream(
        _ node: some Node, to targets: [StreamTarget], _ settings: CodecSettings, queueSeconds: Double = 2
    ) throws -> NodeStream {
        guard let channels = node.channels, node.isAttached else { throw NodeError.notAttached(node.core.kind) }
        let sender = try StreamSender(
            to: targets, settings, sampleRate: sampleRate, channels: channels, queueSeconds: queueSeconds)
        do {
            return try NodeStream(sender, removableTap(node, capacityFrames: 4 * sampleRate))
        } catch {
            sender.finish(within: 0)
            throw error
        }
    }
}
