/// What the audio thread notes of each cycle.
public struct CycleRecord: BitwiseCopyable, Sendable, Equatable {
    /// When the callback began, on the monotonic clock.
    public var entryNanoseconds: UInt64 = 0
    /// When the callback ended, on the monotonic clock.
    public var exitNanoseconds: UInt64 = 0
    /// JACK's frame clock at the start of the cycle; wraps at 2³².
    public var frameTime: UInt32 = 0
    /// Length of the cycle in frames.
    public var frames: UInt32 = 0
    /// Frames that the unit rendered before this cycle, since it was activated.
    public var position: UInt64 = 0
    /// Cycles whose record was lost before this one, because nobody read the ring. Cumulative.
    public var lostRecords: UInt64 = 0
    /// Frames that the taps dropped up to the end of this cycle, because nobody read their rings. Cumulative.
    public var tapDroppedFrames: UInt64 = 0

    @_noLocks @_noAllocation public init() {}
}
