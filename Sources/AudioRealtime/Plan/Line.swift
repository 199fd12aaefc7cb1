import AudioDSP
import Synchronization

/// Two linear gains: of the left and the right channel, or twice the same.
package struct Gains: BitwiseCopyable, Sendable, Equatable {
    package var left: Float
    package var right: Float

    @_noLocks @_noAllocation
    package init(_ left: Float, _ right: Float) {
        self.left = left
        self.right = right
    }

    package static let unity = Gains(1, 1)
    package static let silence = Gains(0, 0)

    @_noLocks @_noAllocation
    func of(_ isRight: Bool) -> Float { isRight ? right : left }

    /// As one number, which is read and written at once.
    var bits: UInt64 {
        @_noLocks @_noAllocation get { UInt64(left.bitPattern) << 32 | UInt64(right.bitPattern) }
    }

    @_noLocks @_noAllocation
    init(bits: UInt64) {
        left = Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32))
        right = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    }
}

/// The path of the sound from one node to another: a delay, which keeps parallel paths aligned, and gains that change in
/// ramps. To connect and to disconnect is a change of gains from or to silence; so what fades is always a line.
@safe package struct Line: ~Copyable {
    /// What the control thread wants, as bits, and how many frames are to pass before that.
    private let wanted: Atomic<UInt64>
    private let wantedAfter = Atomic<Int>(0)
    /// How often it was told something, and of how much it has reached the end.
    private let told = Atomic<Int>(0)
    private let done = Atomic<Int>(0)
    private var seen = 0
    private var waiting = 0
    private var left: Ramp
    private var right: Ramp
    private var history: History
    package let delayFrames: Int

    /// - Parameters:
    ///   - channels: of the node that it comes from.
    ///   - gains: in force from the first frame on.
    ///   - delayFrames: 0 or more.
    package init(channels: Int, gains: Gains, delayFrames: Int) {
        wanted = Atomic(gains.bits)
        left = Ramp(gains.left)
        right = Ramp(gains.right)
        self.delayFrames = delayFrames
        history = History(channels: channels, capacity: delayFrames)
    }

    // Control.

    /// Sets out for other gains. Thread: control. Wait-free.
    ///
    /// - Parameter frames: how many frames are to pass first, as a filter needs to settle that the sound comes from.
    package func move(to gains: Gains, after frames: Int = 0) {
        wantedAfter.store(frames, ordering: .relaxed)
        wanted.store(gains.bits, ordering: .relaxed)
        told.add(1, ordering: .releasing)
    }

    /// Where it is heading. Thread: control. Wait-free.
    package var target: Gains { Gains(bits: wanted.load(ordering: .relaxed)) }

    /// Whether it has arrived there and stays. Thread: control. Wait-free.
    var isAtRest: Bool { done.load(ordering: .acquiring) == told.load(ordering: .relaxed) }

    /// Takes the wanted gains over at once, and forgets what was delayed. Thread: control, while no plan is rendered.
    package mutating func reset() {
        seen = told.load(ordering: .relaxed)
        done.store(seen, ordering: .relaxed)
        waiting = 0
        left = Ramp(target.left)
        right = Ramp(target.right)
        history.clear()
    }

    // Audio.

    /// Carries a block. Thread: audio. Wait-free.
    ///
    /// Of one channel and many, the one goes to or comes of all of them. Of two channels on either side, the second has
    /// the right gain, and all others have the left.
    ///
    /// - Parameters:
    ///   - scratch: a plane that nobody else uses, for what was delayed.
    ///   - stores: replaces what the target holds; else adds to it.
    ///   - rampFrames: how long a change lasts.
    @_noLocks @_noAllocation
    mutating func carry(
        from source: Bundle, to target: Bundle, in planes: borrowing Planes, frames: Int, scratch: Int, stores: Bool,
        rampFrames: Int
    ) {
        if stillGains(rampFrames) != nil && delayFrames == 0 {
            carryPart(from: source, to: target, in: planes, 0, frames, scratch, stores)
        } else {
            carryChange(from: source, to: target, in: planes, frames: frames, scratch, stores, rampFrames)
        }
    }

    /// The gains where they stand still; `nil` while they change, or are about to. Thread: audio. Wait-free.
    @inline(__always) @_noLocks @_noAllocation
    mutating func stillGains(_ rampFrames: Int) -> Gains? {
        look(rampFrames)
        guard waiting == 0 && left.remaining == 0 && right.remaining == 0 else { return nil }
        if done.load(ordering: .relaxed) != seen { done.store(seen, ordering: .releasing) }
        return Gains(left.target, right.target)
    }

    /// Out of line: most lines carry sound as it is, in most blocks.
    @inline(never) @_noLocks @_noAllocation
    private mutating func carryChange(
        from source: Bundle, to target: Bundle, in planes: borrowing Planes, frames: Int, _ scratch: Int,
        _ stores: Bool,
        _ rampFrames: Int
    ) {
        if delayFrames > 0 {
            for channel in 0..<source.channels {
                history.write(planes.run(source, channel, count: frames), channel: channel)
            }
        }
        var start = 0
        while start < frames {
            let count = waiting > 0 ? min(waiting, frames - start) : frames - start
            carryPart(from: source, to: target, in: planes, start, count, scratch, stores)
            left.advance(by: count)
            right.advance(by: count)
            if delayFrames > 0 { history.advance(by: count) }
            if waiting > 0 {
                waiting -= count
                if waiting == 0 { setOut(rampFrames) }
            }
            start += count
        }
    }

    @_noLocks @_noAllocation
    private func carryPart(
        from source: Bundle, to target: Bundle, in planes: borrowing Planes, _ start: Int, _ count: Int,
        _ scratch: Int, _ stores: Bool
    ) {
        let pairs = max(source.channels, target.channels)
        for pair in 0..<pairs {
            let gain = pairs == 2 && pair == 1 ? right : left
            let from = min(pair, source.channels - 1)
            let output = planes.run(target, min(pair, target.channels - 1), from: start, count: count)
            var input = planes.run(source, from, from: start, count: count)
            if delayFrames > 0 {
                input = planes.run(scratch, count: count)
                history.read(into: input, channel: from, delay: delayFrames)
            }
            if stores && pair < target.channels {
                output.copy(from: input)
                output.applyGain(gain)
            } else {
                output.add(input, gain: gain)
            }
        }
    }

    @_noLocks @_noAllocation
    private mutating func look(_ rampFrames: Int) {
        let count = told.load(ordering: .acquiring)
        guard count != seen else { return }
        seen = count
        // A gain that is changed before it is heard at all does not shorten that.
        waiting = max(waiting, wantedAfter.load(ordering: .relaxed))
        if waiting == 0 { setOut(rampFrames) }
    }

    @_noLocks @_noAllocation
    private mutating func setOut(_ rampFrames: Int) {
        let gains = Gains(bits: wanted.load(ordering: .relaxed))
        if left.target != gains.left { left.move(to: gains.left, over: rampFrames) }
        if right.target != gains.right { right.move(to: gains.right, over: rampFrames) }
    }
}
