import AudioDSP
import Synchronization

/// A delay node on the audio thread. Its length may change while sound runs: for the length of a ramp both delays are
/// heard, the old one fading into the new one.
@safe package struct DelayState: ~Copyable {
    private let wanted: Atomic<Int>
    /// What was wanted when the block began.
    private var told: Int
    private var history: History
    private var delay: Int
    /// The delay that is being faded to, while `fade` runs.
    private var nextDelay: Int
    private var fade = Ramp(0)
    package let maximumFrames: Int

    /// - Parameters:
    ///   - frames: 0…`maximumFrames`.
    ///   - maximumFrames: the longest delay that it can be told.
    package init(channels: Int, frames: Int, maximumFrames: Int) {
        precondition(frames >= 0 && frames <= maximumFrames)
        self.maximumFrames = maximumFrames
        wanted = Atomic(frames)
        told = frames
        delay = frames
        nextDelay = frames
        history = History(channels: channels, capacity: max(1, maximumFrames))
    }

    /// - Parameter frames: moved to the nearest of 0…`maximumFrames`.
    /// Thread: control. Wait-free.
    package func move(to frames: Int) { wanted.store(max(0, min(frames, maximumFrames)), ordering: .relaxed) }

    /// Takes the wanted delay over at once, and forgets what was heard. Thread: control, while nothing is processed.
    package mutating func reset() {
        told = wanted.load(ordering: .relaxed)
        delay = told
        nextDelay = told
        fade = Ramp(0)
        history.clear()
    }

    /// Begins a block in a loop. Returns how long it may be: no longer than the delay, or it would hear itself; at least one
    /// frame. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func begin() -> Int {
        told = wanted.load(ordering: .relaxed)
        return max(1, min(told, min(delay, nextDelay)))
    }

    /// Writes a block and reads the one that is due, in place. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func process(
        _ planes: borrowing Planes, _ bundle: Bundle, frames: Int, scratch: Int, rampFrames: Int
    ) {
        told = wanted.load(ordering: .relaxed)
        write(planes, bundle, frames: frames)
        read(planes, bundle, frames: frames, scratch: scratch, shortest: 0, rampFrames: rampFrames)
        history.advance(by: frames)
    }

    /// In a loop: reads the block that is due, no longer than `begin` said. The delay is one frame at least.
    /// Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    mutating func recall(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int, scratch: Int, rampFrames: Int) {
        read(planes, bundle, frames: frames, scratch: scratch, shortest: 1, rampFrames: rampFrames)
    }

    /// In a loop: takes the block that comes around. A loop that amplifies grows without end: where a sample is beyond what
    /// counts as sound, all that it remembers is forgotten, and the loop begins again from silence. Thread: audio. Wait-free.
    ///
    /// - Returns: how many samples were not finite; they are silence.
    @_noLocks @_noAllocation
    mutating func store(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) -> Int {
        let broken = planes.silenceNotFinite(bundle, frames: frames)
        write(planes, bundle, frames: frames)
        history.advance(by: frames)
        if broken > 0 { history.clear() }
        return broken
    }

    @_noLocks @_noAllocation
    private func write(_ planes: borrowing Planes, _ bundle: Bundle, frames: Int) {
        for channel in 0..<bundle.channels {
            history.write(planes.run(bundle, channel, count: frames), channel: channel)
        }
    }

    @_noLocks @_noAllocation
    private mutating func read(
        _ planes: borrowing Planes, _ bundle: Bundle, frames: Int, scratch: Int, shortest: Int, rampFrames: Int
    ) {
        var start = 0
        while start < frames {
            let isFading = beginFade(shortest, rampFrames)
            let count = isFading ? min(fade.remaining, frames - start) : frames - start
            for channel in 0..<bundle.channels {
                let block = planes.run(bundle, channel, from: start, count: count)
                history.read(into: block, channel: channel, delay: max(shortest, delay) - start)
                guard isFading else { continue }
                let other = planes.run(scratch, count: count)
                history.read(into: other, channel: channel, delay: max(shortest, nextDelay) - start)
                block.crossfade(to: other, along: fade)
            }
            fade.advance(by: count)
            if isFading && fade.remaining == 0 { delay = nextDelay }
            start += count
        }
    }

    /// Whether one delay is being faded to another.
    @_noLocks @_noAllocation
    private mutating func beginFade(_ shortest: Int, _ rampFrames: Int) -> Bool {
        if fade.remaining > 0 { return true }
        guard told != delay else { return false }
        nextDelay = told
        fade = Ramp(0)
        fade.move(to: 1, over: rampFrames)
        if rampFrames == 0 { delay = told }
        return rampFrames > 0
    }
}
