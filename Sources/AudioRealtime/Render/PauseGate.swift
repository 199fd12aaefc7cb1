import AudioDSP
import Synchronization

/// Fades the outputs out for a pause, and in at its end. While it is shut, nothing goes to the taps.
@safe package struct PauseGate: ~Copyable {
    /// Set by the control thread.
    private let isPaused: Cell<Atomic<Bool>>
    private let wanted: UnsafeMutablePointer<Atomic<Bool>>
    private var level = Ramp(1)

    package init(_ isPaused: Cell<Atomic<Bool>>) {
        self.isPaused = isPaused
        unsafe wanted = isPaused.pointer
        reset()
    }

    /// Takes over at once what is wanted. Thread: control, while nothing is rendered.
    package mutating func reset() { level = Ramp(target) }

    private var target: Float {
        // SAFETY: `isPaused` keeps it.
        @_noLocks @_noAllocation get { unsafe wanted.pointee.load(ordering: .relaxed) ? 0 : 1 }
    }

    /// Begins a block; returns whether any of it may be heard. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func begin(rampFrames: Int) -> Bool {
        // One that was shut before is silent up to here, but what opens now is kept.
        if level.target != target { level.move(to: target, over: rampFrames) }
        return level.target == 1 || level.remaining > 0
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func apply(to block: Samples) {
        if level.remaining > 0 || level.target != 1 { block.applyGain(level) }
    }

    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func advance(by frames: Int) { level.advance(by: frames) }
}
