/// What a unit in queued mode has counted.
public struct QueueStatistics: Sendable, Equatable {
    /// Of the audio thread's cycles, as of a unit in callback mode.
    public var unit: UnitStatistics
    /// Calls of the worker.
    public var buffers: UInt64
    /// Calls of the worker that took longer than their buffer lasts.
    public var bufferOverruns: UInt64
    /// Calls of the worker whose record was lost.
    public var lostBufferRecords: UInt64
    /// Frames of input that were not taken, to make up for silence that was inserted.
    public var droppedFrames: UInt64
    /// Frames of silence that were played because no buffer was ready. Not the silence that a start begins with.
    public var insertedFrames: UInt64
}
