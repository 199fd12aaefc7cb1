import AudioDSP
import Synchronization

/// How a detour is doing, for who asks. Thread: any. Wait-free.
package struct DetourReport: ~Copyable {
    /// How much later the sound leaves than it came, without what the work itself adds, in frames.
    package let waitFrames = Atomic<Int>(0)
    /// Frames of silence because the worker was late.
    package let underrunFrames = Atomic<UInt64>(0)

    package init() {}
}

/// A node whose work is a worker's, in pieces of 10 ms: its sound goes there through a tap, and comes back through a ring.
///
/// The audio thread does no more than to copy. What comes back always leaves at the same distance from what went out: the time
/// that a piece takes to be gathered, and the longer of a piece and a cycle for the work. The worker has at least a cycle for a
/// piece, or a piece less a cycle where that is shorter. Frames that are not back in time are silence, and are not heard later.
/// Behind a queue, all buffers that a cycle fills are rendered at once: a cycle here then means all of them.
@safe package struct DetourState: ~Copyable {
    private let outward: Cell<TapWriter>
    /// Every frame that went out, in order, and none besides.
    private var back: FrameConsumer
    private let report: Cell<DetourReport>
    private var sampleRate: Int
    private let expectedBurst: Int
    /// Of this run.
    private var longestBurst: Int
    private var waitFrames = 0
    /// The number of the frame that goes out next, since the node was made.
    private var position = 0
    /// The number of the first frame of this run, or of the first that was not heard when the wait grew. Those before it are not
    /// heard any more.
    private var firstFrame = 0
    /// The number of the oldest frame in the ring.
    private var oldest = 0

    /// - Parameters:
    ///   - outward: of as many channels as the node has. The positions of its blocks count from the node's making.
    ///   - back: likewise.
    ///   - sampleRate: in hertz.
    ///   - expectedBurst: the longest cycle that is expected, in frames: the wait need not grow when it comes.
    package init(
        _ outward: Cell<TapWriter>, _ back: consuming FrameConsumer, _ report: Cell<DetourReport>, sampleRate: Int,
        expectedBurst: Int = 0
    ) {
        (self.expectedBurst, longestBurst) = (expectedBurst, expectedBurst)
        self.outward = outward
        self.back = back
        self.report = report
        self.sampleRate = sampleRate
        setWait()
    }

    /// Some frames are for converters, which never have the last ones ready.
    @_noLocks @_noAllocation
    private static func waitFrames(sampleRate: Int, longestBurst: Int) -> Int {
        let piece = (sampleRate + 99) / 100
        return piece + max(piece, longestBurst) + 5 * ((sampleRate + 47_999) / 48_000)
    }

    @_noLocks @_noAllocation
    private mutating func setWait() {
        waitFrames = Self.waitFrames(sampleRate: sampleRate, longestBurst: longestBurst)
        // SAFETY: here and below, the cell keeps the report.
        unsafe report.pointer.pointee.waitFrames.store(waitFrames, ordering: .relaxed)
    }

    /// Begins a run from silence. Thread: control, while nothing is processed.
    package mutating func reset(sampleRate: Int) {
        longestBurst = expectedBurst
        begin(sampleRate)
    }

    /// The rate of what is processed from now on, in hertz. Between two blocks. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func changeRate(to sampleRate: Int) {
        if sampleRate != self.sampleRate { begin(sampleRate) }
    }

    @_noLocks @_noAllocation
    private mutating func begin(_ sampleRate: Int) {
        self.sampleRate = sampleRate
        firstFrame = position
        setWait()
    }

    /// Whether what a cycle of this length needs is back. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func isReady(for frames: Int) -> Bool {
        let end = position + frames - max(waitFrames, Self.waitFrames(sampleRate: sampleRate, longestBurst: frames))
        return end <= max(firstFrame, oldest) || back.available(wanting: end - oldest) >= end - oldest
    }

    /// Processes a block in place. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(_ planes: borrowing Planes, _ bundle: Bundle, _ block: borrowing TapBlock) {
        let frames = Int(block.frames)
        let burst = max(frames, Int(block.cycle.burstFrames))
        if burst > longestBurst {
            // The silence until the next frame is due is no underrun.
            firstFrame = max(firstFrame, position - waitFrames)
            longestBurst = burst
            setWait()
        }
        var own = copy block
        own.position = UInt64(position)
        // SAFETY: the cells are kept. What finds no room does not come back, which `pull` counts.
        unsafe outward.pointer.pointee.write(own, planes, bundle)
        pull(planes, bundle, frames)
        position += frames
    }

    @_noLocks @_noAllocation
    private mutating func pull(_ planes: borrowing Planes, _ bundle: Bundle, _ frames: Int) {
        let next = position - waitFrames
        let wanted = max(next, firstFrame)
        discard(before: wanted)
        let before = max(0, min(frames, max(oldest, wanted) - next))
        let rest = frames - before
        // Frames that come between here and `discard` are late: the next block drops them.
        let available = oldest < wanted ? 0 : min(rest, back.available(wanting: rest))
        for channel in 0..<bundle.channels {
            planes.run(bundle, channel, count: before).clear()
            back.read(into: planes.run(bundle, channel, from: before, count: available), channel: channel)
            planes.run(bundle, channel, from: before + available, count: rest - available).clear()
        }
        back.release(available)
        oldest += available
        let isBeginning = max(0, min(frames, firstFrame - next))
        let late = frames - available - isBeginning
        if late > 0 { unsafe report.pointer.pointee.underrunFrames.add(UInt64(late), ordering: .relaxed) }
    }

    /// Lets go of frames that are due no more.
    @_noLocks @_noAllocation
    private mutating func discard(before wanted: Int) {
        guard oldest < wanted else { return }
        let passed = min(wanted - oldest, back.available(wanting: wanted - oldest))
        back.release(passed)
        oldest += passed
    }
}
