import AudioDSP
import Synchronization

/// The audio thread of a queue: it fills buffers from the inputs for a worker, and plays on the outputs what the worker
/// has enqueued.
///
/// A buffer goes round: free → filled here → with the worker → enqueued → played here → free. The numbers of the
/// buffers travel in two rings, each written by one of the threads and read by the other. Before the first buffer comes
/// back, N − 1 buffers' worth of silence is played, so that (N − 1) · B frames are under way at any time.
///
/// Where nothing is enqueued, silence is inserted and counted. Each frame of it makes the way through the queue a frame
/// longer, so as many frames of input are dropped and counted when the buffer is full that is being filled. What is
/// heard is in order always, and (N − 1) · B frames old again after each loss.
///
/// It knows nothing of JACK, nor of how the worker is woken.
@safe package struct QueueUnit: ~Copyable {
    /// How many buffers the last `render` has handed to the worker, which is to be woken as often.
    private(set) var handedInCycle = 0

    private let memory: QueueMemory
    private let pool: QueuePool
    private let latencyFrames: Int
    private var planes: Planes
    private var free: FreeBuffers
    private var filled: Producer<QueuedBuffer>
    private var enqueued: Consumer<QueuedBuffer>
    private let state: UnsafeMutablePointer<QueueState>
    private let keeps: Cell<QueueState>

    private var filling: QueuedBuffer?
    private var playing: QueuedBuffer?
    private var playedFrames = 0
    /// Of the silence that the stream begins with.
    private var silenceLeft: Int
    /// Frames inserted and not yet dropped for it.
    private var owedFrames = 0
    /// Buffers that were handed to the worker and did not come back yet.
    private var outstanding = 0
    private var seenFlushes: UInt64 = 0
    private var isDraining = false
    private var drainedCycles = 0
    /// The server's in this cycle, in hertz.
    private var sampleRate: UInt32 = 0
    /// Whether it does in this cycle.
    private var isFreewheeling = false
    /// Frames of this cycle that are still to be taken.
    private var framesAhead = 0
    /// This one, but for its offset and what was missed.
    private var cycle = TapCycle()

    init(
        _ geometry: QueueGeometry, memory: QueueMemory, inputs: Int, filled: consuming Producer<QueuedBuffer>,
        enqueued: consuming Consumer<QueuedBuffer>, state: Cell<QueueState>
    ) {
        self.memory = memory
        pool = memory.pool
        latencyFrames = geometry.latencyFrames
        silenceLeft = geometry.latencyFrames
        // Without inputs a buffer carries one channel of silence to the worker.
        planes = Planes(channels: max(1, inputs), capacity: Plan.maximumFrames)
        free = FreeBuffers(capacity: memory.pool.buffers)
        self.filled = filled
        self.enqueued = enqueued
        unsafe self.state = state.pointer
        keeps = state
    }

    /// Begins again with the silence; what was under way is void. Counts go on.
    /// Thread: control, while nothing is rendered and the worker does not run.
    package mutating func reset() {
        while enqueued.pop() != nil {}
        free.reset()
        filling = nil
        playing = nil
        silenceLeft = latencyFrames
        owedFrames = 0
        outstanding = 0
        isDraining = false
        drainedCycles = 0
        // SAFETY: here and below, `keeps` keeps it.
        seenFlushes = unsafe state.pointee.flushes.load(ordering: .relaxed)
        unsafe state.pointee.isDraining.store(false, ordering: .relaxed)
        unsafe state.pointee.isDrained.store(false, ordering: .relaxed)
    }

    /// Whether the worker has still to return a buffer: only a freewheeling server may be made to wait for it.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func awaitsWorker() -> Bool {
        enqueued.available(wanting: outstanding) < outstanding
    }

    /// Takes and plays a cycle. Any number of frames, even none. Thread: audio. Wait-free.
    ///
    /// - Parameter record: when the cycle began, how many frames it has, and the server's sample rate. A buffer carries the
    ///   rate of its last frame to the worker: a buffer whose rate is another than that of the one before is the one in
    ///   which it changed.
    /// - Returns: how many samples of the inputs were not finite; they are silence.
    @_noLocks @_noAllocation
    mutating func render(
        _ record: borrowing CycleRecord, _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers
    ) -> Int {
        sampleRate = record.sampleRate
        isFreewheeling = record.isFreewheeling
        handedInCycle = 0
        let frames = Int(record.frames)
        framesAhead = frames
        cycle.entryNanoseconds = record.entryNanoseconds
        cycle.frames = record.frames
        cycle.burstFrames = UInt32(truncatingIfNeeded: (frames + pool.frames - 1) / pool.frames * pool.frames)
        obey()
        var broken = 0
        var start = 0
        while start < frames {
            let count = min(frames - start, Plan.maximumFrames)
            let frameTime = record.frameTime &+ UInt32(truncatingIfNeeded: start)
            broken += renderSlice(inputs, outputs, from: start, count: count, frameTime: frameTime)
            start += count
        }
        noteDrained()
        return broken
    }

    /// Sees whether the input is to end, or the part-filled buffer to go to the worker.
    @_noLocks @_noAllocation
    private mutating func obey() {
        if !isDraining, unsafe state.pointee.isDraining.load(ordering: .acquiring) {
            isDraining = true
            handFilling()
        }
        let flushes = unsafe state.pointee.flushes.load(ordering: .acquiring)
        guard flushes != seenFlushes else { return }
        // A flush takes one buffer more than N. While that one is not back, the next flush waits.
        let silentBuffers = (silenceLeft + pool.frames - 1) / pool.frames
        if isFilling && free.count <= silentBuffers { return }
        handFilling()
        seenFlushes = flushes
    }

    @_noLocks @_noAllocation
    private mutating func renderSlice(
        _ inputs: borrowing PortBuffers, _ outputs: borrowing PortBuffers, from start: Int, count: Int,
        frameTime: UInt32
    ) -> Int {
        planes.arrange(frames: count)
        // Every input is read before any output is written: in a feedback loop an input is one of our outputs.
        let broken = inputs.copyFinite(to: planes, planes.all, from: start, count: count)

        // In steps in which neither the buffer that is played ends nor the one that is filled.
        var place = 0
        while place < count {
            beginPlaying()
            beginFilling(frameTime: frameTime &+ UInt32(truncatingIfNeeded: place))
            let length = min(count - place, min(framesLeftToPlay, framesLeftToFill))
            // First what frees a buffer, then what needs one.
            play(into: outputs, from: start + place, count: length)
            framesAhead -= length
            fill(from: place, count: length)
            place += length
        }
        return broken
    }

    // Playing.

    // A comparison with nil would go through the runtime.
    private var isPlaying: Bool {
        @_noLocks @_noAllocation get { if case .some = playing { true } else { false } }
    }

    @_noLocks @_noAllocation
    private mutating func beginPlaying() {
        guard silenceLeft == 0, !isPlaying, let next = enqueued.pop() else { return }
        outstanding -= 1
        playing = next
        playedFrames = 0
    }

    /// Whether there is nothing to play though there should be.
    private var isUnderrun: Bool {
        @_noLocks @_noAllocation get {
            silenceLeft == 0 && !isPlaying && (!isDraining || outstanding > 0)
        }
    }

    private var framesLeftToPlay: Int {
        @_noLocks @_noAllocation get {
            if silenceLeft > 0 { return silenceLeft }
            if let playing { return playing.frames - playedFrames }
            return .max
        }
    }

    @_noLocks @_noAllocation
    private mutating func play(into outputs: borrowing PortBuffers, from start: Int, count: Int) {
        for channel in 0..<outputs.channels {
            guard let output = outputs.run(channel, from: start, count: count) else { continue }
            if let playing {
                pool.read(into: output, buffer: playing.number, channel: channel, from: playedFrames)
            } else {
                output.clear()
            }
        }
        if let playing {
            playedFrames += count
            if playedFrames == playing.frames {
                free.put(playing.number)
                self.playing = nil
            }
        } else if silenceLeft > 0 {
            silenceLeft -= count
        } else if isUnderrun {
            owedFrames += count
            unsafe state.pointee.insertedFrames.count(UInt64(count))
        }
    }

    // Filling.

    private var isFilling: Bool {
        @_noLocks @_noAllocation get { if case .some = filling { true } else { false } }
    }

    /// Takes a free buffer, where one is due: not while input has to be dropped.
    @_noLocks @_noAllocation
    private mutating func beginFilling(frameTime: UInt32) {
        guard !isFilling, !isDraining, owedFrames <= 0, !isUnderrun, let number = free.take() else { return }
        var buffer = QueuedBuffer(number: number, frames: 0, frameTime: frameTime)
        buffer.cycle = cycle
        buffer.cycle.offset = cycle.frames &- UInt32(truncatingIfNeeded: framesAhead)
        buffer.cycle.missedFrames = unsafe state.pointee.droppedFrames.load(ordering: .relaxed)
        filling = buffer
    }

    private var framesLeftToFill: Int {
        @_noLocks @_noAllocation get {
            if let filling { return pool.frames - filling.frames }
            return owedFrames > 0 && !isUnderrun && !isDraining ? owedFrames : .max
        }
    }

    @_noLocks @_noAllocation
    private mutating func fill(from place: Int, count: Int) {
        guard let filling else {
            if isDraining { return }
            owedFrames -= count
            return unsafe state.pointee.droppedFrames.count(UInt64(count))
        }
        for channel in 0..<planes.channels {
            let plane = planes.run(channel, from: place, count: count)
            pool.write(plane, buffer: filling.number, channel: channel, from: filling.frames)
        }
        self.filling?.frames += count
        if filling.frames + count == pool.frames { handFilling() }
    }

    /// Hands what has been filled to the worker.
    @_noLocks @_noAllocation
    private mutating func handFilling() {
        guard var filling else { return }
        self.filling = nil
        filling.sampleRate = sampleRate
        filling.isFreewheeling = isFreewheeling
        filling.restFrames = UInt32(truncatingIfNeeded: framesAhead)
        // There is room for all buffers in the ring.
        guard filling.frames > 0, filled.push(filling) else { return free.put(filling.number) }
        outstanding += 1
        handedInCycle += 1
    }

    /// A cycle after the last frame was played, so that the clients that it went to have heard it.
    @_noLocks @_noAllocation
    private mutating func noteDrained() {
        guard isDraining, silenceLeft == 0, !isPlaying, outstanding == 0 else { return }
        drainedCycles += 1
        if drainedCycles > 1 { unsafe state.pointee.isDrained.store(true, ordering: .releasing) }
    }
}
