import AudioDSP

/// Both threads' parts of a queue, wired to each other.
@frozen package struct Queue: ~Copyable {
    package var unit: QueueUnit
    package var worker: QueueWorker

    /// Allocates everything that the audio thread will need.
    ///
    /// - Parameters:
    ///   - geometry: N buffers are in use; one more stands by for a flush.
    ///   - cycles: takes the record of each cycle.
    ///   - buffers: takes the record of each call of the worker.
    ///   - process: is called in the chain's place.
    ///   - table: what the shape `table` stands for.
    package init(
        _ geometry: QueueGeometry, format: SampleFormat, parameters: Parameters, meters: Meters,
        commands: consuming Consumer<Command>, cycles: consuming Producer<CycleRecord>,
        buffers: consuming Producer<CycleRecord>, state: Cell<QueueState>, process: QueueWorker.Process?,
        table: ShapeTable? = nil
    ) {
        let count = geometry.bufferCount + 1
        let memory = QueueMemory(
            buffers: count, frames: geometry.bufferFrames, channels: meters.channels, format: format)
        let filled = Ring<QueuedBuffer>(capacity: count)
        let enqueued = Ring<QueuedBuffer>(capacity: count)
        let chain = Chain(
            parameters: parameters, rampFrames: 0, maximumFrames: geometry.bufferFrames,
            channels: meters.channels, table: table)
        unit = QueueUnit(
            geometry, memory: memory, filled: filled.producer, enqueued: enqueued.consumer, records: cycles,
            state: state)
        worker = QueueWorker(
            memory: memory, chain: chain, process: process, meters: meters, commands: commands,
            filled: filled.consumer, enqueued: enqueued.producer, records: buffers, state: state)
    }
}
