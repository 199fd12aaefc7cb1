import AudioRealtime
import Jack

/// The queue of a unit in queued mode: the audio thread's part, the worker that renders the nodes, and what was counted.
final class UnitQueue: Sendable {
    let configuration: QueueConfiguration
    /// The audio thread's part.
    let unit: Cell<QueueUnit>
    let thread: QueueThread
    /// Of the calls of the worker.
    let buffers: Telemetry
    private let state = Cell(QueueState())

    /// Allocates everything that the audio thread will need.
    ///
    /// - Parameter process: called on the worker with each buffer, in place of the nodes.
    init(
        _ configuration: QueueConfiguration, _ graph: EngineGraph,
        process: (@Sendable (inout QueueBuffer) -> Void)? = nil
    ) {
        self.configuration = configuration
        // Read a hundred times a second; deep enough for a freewheeling server's cycles too.
        let records = Ring<CycleRecord>(capacity: 8192)
        buffers = Telemetry(records.consumer)
        let ends = Queue(
            configuration.geometry, format: configuration.format,
            renderer: graph.makeRenderer(records: records.producer), meters: graph.meters, state: state,
            process: process)
        unit = Cell(ends.unit)
        thread = QueueThread(ends.worker)
    }

    /// Empties the queue and starts the worker. Thread: control, before the client is active.
    ///
    /// - Throws: `invalidConfiguration` where the queue cannot work on the server's period; `jack`.
    func start(
        _ graph: EngineGraph, on client: borrowing Client, rampMilliseconds: Double, run: TapRun
    ) throws {
        try configuration.check(sampleRate: client.sampleRate, periodFrames: client.periodFrames)
        // SAFETY: here and below, neither thread runs yet; the client keeps the queue until it is closed.
        unsafe unit.pointer.pointee.reset()
        unsafe graph.begin(sampleRate: client.sampleRate) { plan in
            unsafe thread.reset(plan, rampMilliseconds: rampMilliseconds, run: run)
        }
        buffers.begin(sampleRate: client.sampleRate)
        let priority = configuration.isRealtime ? client.realtimePriority : nil
        try thread.start(scheduling: priority.map { Scheduling(policy: .fifo, priority: max(1, $0 - 1)) })
    }

    /// Has the worker called back with the buffer that is being filled.
    func flush() {
        // SAFETY: here and below, the state is atomic, and ours.
        unsafe _ = state.pointer.pointee.flushes.add(1, ordering: .releasing)
    }

    /// Frames of input that were not taken, to make up for silence that was inserted.
    var droppedFrames: UInt64 { unsafe state.pointer.pointee.droppedFrames.load(ordering: .relaxed) }
    /// Frames of silence that were played because no buffer was ready.
    var insertedFrames: UInt64 { unsafe state.pointer.pointee.insertedFrames.load(ordering: .relaxed) }

    /// Takes no more input.
    func drain() { unsafe state.pointer.pointee.isDraining.store(true, ordering: .releasing) }

    /// Whether the last frame that was taken has been heard, since `drain`.
    var isDrained: Bool { unsafe state.pointer.pointee.isDrained.load(ordering: .acquiring) }
}
