/// What the audio thread says of a block that it hands to a tap.
///
/// Counters are cumulative since the unit was made, so a dropped block loses no information: from one block to the next the
/// reader knows what lies between them.
public struct TapBlock: BitwiseCopyable, Sendable, Equatable {
    /// When the callback began, on the monotonic clock; for a further part of a period that is rendered in parts, as much
    /// later as the parts before it last.
    public var entryNanoseconds: UInt64 = 0
    /// Frames that the unit rendered before this block, in all of its runs.
    public var position: UInt64 = 0
    /// How many of them went to no tap because of a pause.
    public var pausedFrames: UInt64 = 0
    /// JACK's frame clock at the first frame; wraps at 2³².
    public var frameTime: UInt32 = 0
    /// Length of the block in frames.
    public var frames: UInt32 = 0
    /// The number of the run. Where it differs from that of the block before, another run began between.
    public var runNumber: UInt32 = 0
    /// The run that rendered it.
    public var run: TapRun
    /// Whether the server freewheeled: such a block lasts as long as any other, but took another time.
    public var isFreewheeling = false
    /// Where JACK's transport was at the first frame; `nil` where the unit does not follow it.
    public var transport: TapTransport?
    /// The cycle in which its first frame came.
    package var cycle = TapCycle()

    /// - Parameter run: the one that the block belongs to.
    @_noLocks @_noAllocation
    public init(run: TapRun) { self.run = run }
}

/// The cycle of JACK's in which the first frame of a block came: the block is the cycle, or a part of it where a loop or a queue's
/// buffer is shorter, or a buffer that it takes several cycles to fill. All zero where nobody says, as in tests: then the block is the cycle.
package struct TapCycle: BitwiseCopyable, Sendable, Equatable {
    /// When its callback began, on the monotonic clock. Behind a queue the block was rendered later.
    package var entryNanoseconds: UInt64 = 0
    /// Frames of input that a queue had not taken by then, since it was made. The block's position does not count them.
    package var missedFrames: UInt64 = 0
    /// Its length in frames.
    package var frames: UInt32 = 0
    /// How many of them lie before the block. More than there are in a part of a buffer that it took several cycles to fill.
    package var offset: UInt32 = 0
    /// How many frames are rendered at a time, while a worker is in time: the cycle, or at most as many whole buffers of a queue as a cycle can fill.
    package var burstFrames: UInt32 = 0

    @_noLocks @_noAllocation package init() {}
}

/// A block of a tap with its samples, interleaved: one copy for all readers.
package struct TappedBlock: Sendable {
    package let block: TapBlock
    /// No more than those of the block.
    package let samples: [Float]
}

/// From one start of a unit, or change of the server's sample rate, to the next: what does not change meanwhile, and why
/// it began.
public struct TapRun: BitwiseCopyable, Sendable, Equatable {
    /// Why the unit was started.
    public enum Cause: UInt8, BitwiseCopyable, Sendable {
        /// For the first time, or as after a stop of no particular reason.
        case start
        /// It was stopped and started again on purpose.
        case restart
        /// The server went away and came back.
        case reset
        /// The server changed its sample rate while the unit ran.
        case rateChange
    }

    /// In hertz.
    public var sampleRate: UInt32
    /// Why it began.
    public var cause: Cause

    /// - Parameter sampleRate: in hertz, 1 or more.
    @_noLocks @_noAllocation
    public init(sampleRate: Int, cause: Cause = .start) {
        self.sampleRate = UInt32(clamping: max(1, sampleRate))
        self.cause = cause
    }
}

/// Where JACK's transport was at the first frame of a block.
public struct TapTransport: BitwiseCopyable, Sendable, Equatable {
    /// The frame of the transport's timeline; wraps at 2³².
    public var frame: UInt32
    /// Whether it moved on with each frame.
    public var isRolling: Bool
    /// Whether it waits for slow clients before it rolls, or on a slave of NetJack2 for the master. In jackd2 also for one cycle
    /// after each locate.
    public var isStarting: Bool

    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public init(frame: UInt32, isRolling: Bool, isStarting: Bool = false) {
        self.frame = frame
        self.isRolling = isRolling
        self.isStarting = isStarting
    }

    /// Where it is so many frames later, if nobody moves it.
    @_noLocks @_noAllocation
    package func advanced(by frames: Int) -> TapTransport {
        var later = self
        if isRolling { later.frame &+= UInt32(truncatingIfNeeded: frames) }
        return later
    }
}
