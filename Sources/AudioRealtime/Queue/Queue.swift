import AudioDSP
import Synchronization

/// Both threads' parts of a queue, wired to each other.
@frozen package struct Queue: ~Copyable {
    package var unit: QueueUnit
    package var worker: QueueWorker

    /// Allocates everything that the audio thread will need.
    ///
    /// - Parameters:
    ///   - geometry: N buffers are in use; one more stands by for a flush. A buffer has as many channels as there are inputs,
    ///     or outputs where those are more.
    ///   - renderer: what the worker does to a buffer. It leaves a record of each call.
    ///   - meters: of the outputs.
    ///   - process: is called in place of the renderer's plans.
    package init(
        _ geometry: QueueGeometry, format: QueueFormat, renderer: consuming RenderUnit, meters: Meters,
        state: Cell<QueueState>, process: QueueWorker.Process?
    ) {
        let count = geometry.bufferCount + 1
        let inputs = renderer.inputs.channels
        let memory = QueueMemory(
            buffers: count, frames: geometry.bufferFrames, channels: max(inputs, meters.channels), format: format)
        let filled = Ring<QueuedBuffer>(capacity: count)
        let enqueued = Ring<QueuedBuffer>(capacity: count)
        unit = QueueUnit(
            geometry, memory: memory, inputs: inputs, filled: filled.producer, enqueued: enqueued.consumer,
            state: state)
        worker = QueueWorker(
            memory: memory, renderer: renderer, process: process, meters: meters, filled: filled.consumer,
            enqueued: enqueued.producer)
    }
}

/// A filled buffer of a queue, as a worker's callback gets it. When the callback returns, the buffer is enqueued for
/// output; when it was played, it is enqueued for input again by itself.
@safe public struct QueueBuffer: ~Copyable {
    private let planes: UnsafeMutablePointer<Planes>
    /// Length in frames: the queue's, but where a flush handed the buffer over before it was full.
    public let frames: Int
    /// Frames that were taken before the first of these, since the unit was made.
    public let position: UInt64
    /// 1 or more.
    public var channels: Int { unsafe planes.pointee.channels }

    /// - Parameter planes: must stay valid as long as the value.
    @unsafe init(_ planes: UnsafeMutablePointer<Planes>, frames: Int, position: UInt64) {
        unsafe self.planes = planes
        self.frames = frames
        self.position = position
    }

    /// Lends `frames` samples of a channel. The unit plays what the worker leaves there. Thread: the worker.
    ///
    /// - Parameter channel: 0 and up.
    public mutating func withSamples<Result>(
        of channel: Int, _ body: (inout MutableSpan<Float>) -> Result
    ) -> Result {
        // SAFETY: `init` requires it to be valid.
        unsafe planes.pointee.run(channel, count: frames).withSpan(body)
    }
}

/// What a queue keeps its samples in.
public enum QueueFormat: String, BitwiseCopyable, Sendable, CaseIterable {
    /// 16-bit integers; full scale is 32768.
    case int16
    /// 32-bit floating point, as JACK's own: nothing is rounded.
    case float

    /// Of one sample.
    public var bytes: Int {
        switch self {
        case .int16: MemoryLayout<Int16>.size
        case .float: MemoryLayout<Float>.size
        }
    }
}

/// What the audio thread of a queue is asked for, what it answers, and what it counts.
package struct QueueState: ~Copyable {
    /// How often a flush was asked for.
    package let flushes = Atomic<UInt64>(0)
    /// Set by the control thread: no more input is taken.
    package let isDraining = Atomic<Bool>(false)
    /// Set by the audio thread, when all that was taken has been played and the cycle is over in which it was.
    package let isDrained = Atomic<Bool>(false)
    /// Frames of input that were not taken, to make up for silence that was inserted.
    package let droppedFrames = Atomic<UInt64>(0)
    /// Frames of silence that were played because no buffer was ready.
    package let insertedFrames = Atomic<UInt64>(0)

    package init() {}
}
