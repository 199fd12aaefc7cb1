import AudioDSP

/// Both threads' parts of a queue, wired to each other.
@frozen package struct Queue: ~Copyable {
    package var unit: QueueUnit
    package var worker: QueueWorker

    /// Allocates everything that the audio thread will need.
    ///
    /// - Parameters:
    ///   - geometry: N buffers are in use; one more stands by for a flush.
    ///   - runner: what the worker does to a buffer.
    ///   - buffers: takes the record of each call of the worker.
    ///   - process: is called in the runner's place.
    package init(
        _ geometry: QueueGeometry, format: QueueFormat, meters: Meters, runner: consuming PlanRunner,
        buffers: consuming Producer<CycleRecord>, state: Cell<QueueState>, counters: Cell<UnitCounters>,
        process: QueueWorker.Process?
    ) {
        let count = geometry.bufferCount + 1
        let memory = QueueMemory(
            buffers: count, frames: geometry.bufferFrames, channels: meters.channels, format: format)
        let filled = Ring<QueuedBuffer>(capacity: count)
        let enqueued = Ring<QueuedBuffer>(capacity: count)
        unit = QueueUnit(
            geometry, memory: memory, filled: filled.producer, enqueued: enqueued.consumer, state: state,
            counters: counters)
        worker = QueueWorker(
            memory: memory, runner: runner, process: process, meters: meters, filled: filled.consumer,
            enqueued: enqueued.producer, records: buffers, counters: counters)
    }
}
