import AudioDSP
import Synchronization

/// What a feed's audio thread tells others, and is told.
package struct FeedState: ~Copyable {
    /// Set by the control thread: play from the next cycle on.
    package let isStarted = Atomic<Bool>(false)
    /// Set by the worker when it has written the last frame: how many there are. −1 while there may be more.
    package let totalFrames = Atomic<Int>(-1)
    /// JACK's frame clock at the first frame played; −1 before.
    package let startFrameTime = Atomic<Int>(-1)
    package let playedFrames = Atomic<Int>(0)
    /// How often the audio thread was run, whether it played anything or not.
    package let cycles = Atomic<UInt64>(0)
    /// Frames of silence that were played because the worker was late.
    package let underrunFrames = Atomic<Int>(0)
    /// JACK's frame clock after the last frame; −1 before.
    package let endFrameTime = Atomic<Int>(-1)

    package init() {}
}

/// The audio thread of a source: plays frames that a worker has put into a ring.
@safe package struct FeedUnit: ~Copyable {
    /// Filled in by the caller before each `render`.
    package let outputs: PortBuffers
    private var consumer: FrameConsumer
    private let keeper: Cell<FeedState>
    private let state: UnsafeMutablePointer<FeedState>
    private var played = 0

    package init(_ consumer: consuming FrameConsumer, state: Cell<FeedState>) {
        outputs = PortBuffers(channels: consumer.channels)
        self.consumer = consumer
        keeper = state
        unsafe self.state = state.pointer
    }

    /// Whether the worker has still to deliver for a whole cycle: only a freewheeling server may be made to wait.
    ///
    /// - Parameter reserve: how many frames are to be left after the cycle. A server that stops to freewheel wants the next
    ///   cycle in time, and finds no worker that has waited for it.
    ///
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func wouldUnderrun(frames: Int, reserve: Int = 0) -> Bool {
        // SAFETY: here and below, `keeper` keeps the state.
        guard unsafe state.pointee.isStarted.load(ordering: .acquiring) else { return false }
        if consumer.available(wanting: frames + reserve) >= frames + reserve { return false }
        return unsafe state.pointee.totalFrames.load(ordering: .acquiring) < 0
    }

    /// Plays a cycle. Thread: audio. Wait-free.
    ///
    /// - Parameter isHeld: plays silence in this cycle, and keeps its place in the source.
    @_noLocks @_noAllocation
    package mutating func render(frames: Int, frameTime: UInt32, isHeld: Bool = false) {
        unsafe state.pointee.cycles.add(1, ordering: .relaxed)
        var count = 0
        if !isHeld, unsafe state.pointee.isStarted.load(ordering: .acquiring) {
            // The total before what is available: the worker writes them in the opposite order.
            let total = unsafe state.pointee.totalFrames.load(ordering: .acquiring)
            count = min(frames, consumer.available(wanting: frames))
            if played == 0 && count > 0 {
                unsafe state.pointee.startFrameTime.store(Int(frameTime), ordering: .releasing)
            }
            played += count
            unsafe state.pointee.playedFrames.store(played, ordering: .relaxed)
            if total >= 0 && played >= total {
                if unsafe state.pointee.endFrameTime.load(ordering: .relaxed) < 0 {
                    let end = frameTime &+ UInt32(truncatingIfNeeded: count)
                    unsafe state.pointee.endFrameTime.store(Int(end), ordering: .releasing)
                }
            } else if count < frames {
                unsafe state.pointee.underrunFrames.add(frames - count, ordering: .relaxed)
            }
        }
        for channel in 0..<outputs.channels {
            if let output = outputs.run(channel, from: 0, count: frames) {
                consumer.read(into: output.slice(from: 0, count: count), channel: channel)
                output.slice(from: count, count: frames - count).clear()
            }
        }
        consumer.release(count)
    }
}
