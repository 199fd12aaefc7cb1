import AudioRealtime
import Jack
import Threads

/// An I/O unit in queued mode: N buffers of B frames go round between JACK's audio thread and a worker.
///
/// The audio thread fills a buffer from the inputs. When it is full, the worker is called back with it, runs gain and
/// shaper on it (or what the user gave in their place), and with its return the buffer is enqueued for output. The
/// audio thread plays what is enqueued in order, and enqueues each played buffer for input again. It begins primed,
/// with N − 1 buffers of silence: what comes in is heard (N − 1) · B frames later.
///
/// A worker that is late is heard as silence, counted in frames (`insertedFrames`). To be no later for good, the queue
/// then takes as many frames of input less (`droppedFrames`). The sound is never out of order.
///
/// Made, then started, stopped and started again at will: a stop leaves the graph at once, so that sound under way is not heard,
/// and waits for the worker to return from the buffer that it was called back with. A period that changes while the unit runs is
/// taken as it is: where the queue cannot work on it, that is heard and counted.
public final class QueuedUnit: ShaperUnit {
    public let shaper: Shaper
    public let client: UnitClient
    private let queue: UnitQueue

    /// Checks the configuration and allocates everything that the audio thread will need.
    ///
    /// - Parameters:
    ///   - configuration: client, ports and what the shaper is set to.
    ///   - buffers: how many, and how long.
    ///   - process: called on the worker with each buffer, in place of gain and shaper: the parameters then have
    ///     no effect, and a pause fades nothing. It may block, at the price of late buffers. It must not call the unit.
    /// - Throws: `invalidConfiguration`.
    public init(
        _ configuration: UnitConfiguration = UnitConfiguration(), queue buffers: QueueConfiguration,
        process: (@Sendable (inout QueueBuffer) -> Void)? = nil
    ) throws(UnitError) {
        try configuration.check()
        try buffers.check(channels: configuration.channels)
        shaper = Shaper(configuration.setting, table: configuration.shapeTable)
        let graph = EngineGraph(configuration, [shaper])
        queue = UnitQueue(buffers, graph, process: process)
        client = UnitClient(configuration.engine, graph, queue: queue)
    }

    deinit { stop() }

    /// The levels of what the worker enqueues.
    public var meters: Meters { client.graph.meters }

    /// As it was made with.
    public var buffers: QueueConfiguration { queue.configuration }

    /// What a frame takes from an input to the output beside it: (N − 1) · B, and what the nodes add. The ports declare it.
    public var latencyFrames: Int { buffers.latencyFrames + client.graph.latencyFrames }

    /// Takes no more input, waits until the last frame that was taken has been heard, and stops. Thread: control.
    ///
    /// - Parameter patienceSeconds: how much longer to wait than the queue lasts. 0 or more.
    /// - Throws: `wrongState` where the unit does not run; `jack` where the server went away or the queue did not come
    ///   to its end. The unit is stopped then too.
    public func stopWhenDrained(patienceSeconds: Double = 5) throws(UnitError) {
        guard let connection else { throw .wrongState("the unit does not run") }
        defer { stop() }
        queue.drain()
        let frames = buffers.bufferFrames * buffers.bufferCount + 2 * connection.periodFrames
        let seconds = Double(frames) / Double(connection.sampleRate) + min(max(0, patienceSeconds), 1e6)
        let deadline = MonotonicClock.nanoseconds() + UInt64(seconds * 1e9)
        while !queue.isDrained {
            let operation = "play the queue to its end"
            guard !hasLostServer else {
                throw .jack(JackError(.serverGone, operation, "the server is gone; start it again"))
            }
            guard isRunning else { throw .wrongState("the unit was stopped before its queue was played") }
            guard MonotonicClock.nanoseconds() < deadline else {
                throw .jack(JackError(.refused, operation, "the server or the worker stands still; the rest is lost"))
            }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }

    /// Calls the worker back with the buffer that is being filled, in the next cycle, however short it is. Nothing is
    /// lost, and the latency stays what it is: the frames are played when their time has come, no sooner. Where the
    /// short buffer of another flush is under way, this one waits for that. Thread: any but the audio thread.
    public func flush() { queue.flush() }

    /// Hands over the record of each call of the worker from now on, in order, in batches about a hundred times a
    /// second: when it began and ended, how many frames the buffer had, and how many were taken before.
    ///
    /// - Parameter listener: called on a worker, or on the thread that asks for figures. It must not call the
    ///   unit. `nil` ends it.
    public func onBuffers(_ listener: (@Sendable ([CycleRecord]) -> Void)?) { queue.buffers.listen(listener) }

    /// What the worker has cost so far, or `nil` while the unit does not run.
    public var workerUsage: ThreadUsage? { queue.thread.usage }
    /// What the kernel gave the worker, or `nil` while the unit does not run.
    public var workerScheduling: Scheduling? { queue.thread.scheduling }
}
