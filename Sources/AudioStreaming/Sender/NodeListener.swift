import AudioFiles
import AudioIO
import AudioRealtime
import Synchronization
import Threads

/// A tap of a node, and a worker that reads it for all that want the sound.
///
/// Thread: any but audio.
final class NodeListener: Sendable {
    /// Held by one thread at a time, the worker's or, when that has ended, the one that finishes.
    private struct Ends: ~Copyable {
        var stream: TapStream
        var isFinished = false
        /// That were too late to be sent at the end.
        var leftFrames: UInt64 = 0
        var pace: BlockPace
    }

    private let ends: Mutex<Ends>
    private let sinks: [any StreamSink]
    private let channels: Int
    private let failures: Mutex<[StreamError?]>
    private let dropped = Atomic<UInt64>(0)
    /// Behind it nothing more goes to the sinks, on the monotonic clock.
    private let limitNanoseconds = Atomic<UInt64>(.max)
    private let worker = Mutex<TimerWorker?>(nil)
    private let removeTap: @Sendable () -> Void
    /// Removes the call at the end of the engine.
    private let forget = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - sinks: one that fails gets no more, and the others do.
    ///   - isPrompt: see `TapStream`. Those who listen hear no difference, and 16 blocks less delay.
    ///   - isUrgent: whether a sink's packets are played as soon as they come.
    ///   - nanoseconds: how often it is of use to look for blocks, at the most.
    init(
        _ tap: consuming RemovableTap, _ sinks: [any StreamSink], isPrompt: Bool = false, isUrgent: Bool = false,
        everyNanoseconds nanoseconds: UInt64
    ) throws(ResourceError) {
        removeTap = tap.remove
        channels = tap.reader.channels
        self.sinks = sinks
        failures = Mutex(Array(repeating: nil, count: sinks.count))
        ends = Mutex(Ends(stream: TapStream(tap.reader, isPrompt: isPrompt), pace: BlockPace(every: nanoseconds)))
        do {
            // It keeps this listener until it is stopped.
            let worker = try TimerWorker("iounit-stream", atStart: { if isUrgent { StreamSender.hurry() } }) { [self] in
                drain()
                return nextLook()
            }
            self.worker.withLock { $0 = worker }
        } catch {
            removeTap()
            throw error
        }
    }

    /// Why a sink gets no more.
    func failure(of place: Int) -> StreamError? { failures.withLock { $0[place] } }

    /// Frames that found no room in the tap, or were left at the end, because the worker was too slow.
    var droppedFrames: UInt64 { dropped.load(ordering: .relaxed) }

    /// Has the engine call `finish` when it is closed, unless this listener was finished before.
    ///
    /// - Parameter finish: gets the argument of `finish(withoutServerUntil:)`.
    func end(with engine: Engine, _ finish: @escaping @Sendable (UInt64?) -> Void) {
        let call = engine.atClose(finish)
        forget.withLock { $0 = call }
    }

    /// What was heard still goes to the sinks. Calling it again does nothing.
    ///
    /// - Parameters:
    ///   - end: when the server was gone at the end, on the monotonic clock: the time up to there is a gap.
    ///   - seconds: how long the sinks may take to get what waits for them; the rest is dropped.
    func finish(withoutServerUntil end: UInt64?, withinSeconds seconds: Double = .infinity) {
        removeTap()
        if seconds < .infinity {
            limitNanoseconds.store(MonotonicClock.nanoseconds() + UInt64(seconds * 1e9), ordering: .relaxed)
        }
        forget.withLock { $0.take() }?()
        worker.withLock { $0 }?.stop()
        ends.withLock { ends in
            guard !ends.isFinished else { return }
            ends.isFinished = true
            ends.stream.finish(withoutServerUntil: end)
            deliver(&ends)
        }
    }

    // The worker's part: from the tap to what takes the sound.

    /// When to drain again, on the monotonic clock.
    private func nextLook() -> UInt64 { ends.withLock { $0.pace.next(after: MonotonicClock.nanoseconds()) } }

    private func drain() {
        ends.withLock { ends in
            if !ends.isFinished { deliver(&ends) }
        }
    }

    private func deliver(_ ends: inout Ends) {
        while let step = ends.stream.next() {
            let isLate = MonotonicClock.nanoseconds() > limitNanoseconds.load(ordering: .relaxed)
            switch step {
            case .block(let block) where isLate: ends.leftFrames += UInt64(block.block.frames)
            case .gap where isLate: break
            case .gap(let gap): send(gap)
            case .block(let block): send(block)
            }
        }
        if let newest = ends.stream.newest { ends.pace.take(newest) }
        dropped.store(ends.stream.droppedFrames + ends.leftFrames, ordering: .relaxed)
    }

    private func send(_ gap: Gap) {
        attempt { (sink) throws(StreamError) in
            try sink.gap(
                nanoseconds: gap.lengthNanoseconds, cause: gap.cause.rawValue,
                wallNanoseconds: WallClock.nanoseconds(ofMonotonic: gap.startNanoseconds))
        }
    }

    private func send(_ tapped: TappedBlock) {
        let block = tapped.block
        let format = StreamFormat(sampleRate: Int(block.run.sampleRate), channels: channels)
        var buffer = PCMBuffer(format, capacityFrames: Int(block.frames))
        buffer.append(tapped.samples[...])
        attempt { (sink) throws(StreamError) in
            try sink.send(buffer, wallNanoseconds: WallClock.nanoseconds(ofMonotonic: block.entryNanoseconds))
        }
    }

    /// Keeps the first failure of each, after which it gets no more.
    private func attempt(_ body: (any StreamSink) throws(StreamError) -> Void) {
        for (place, sink) in sinks.enumerated() where failure(of: place) == nil {
            do throws(StreamError) {
                try body(sink)
            } catch {
                failures.withLock { $0[place] = error }
            }
        }
    }
}
