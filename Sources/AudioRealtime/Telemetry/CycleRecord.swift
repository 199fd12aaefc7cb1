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
    /// The server's sample rate in hertz; 0 where it was not noted.
    public var sampleRate: UInt32 = 0
    /// Of a queue's buffer: how many frames of the cycle that filled it lie behind its end. The audio thread sees at the end of
    /// that cycle that the buffer is full, so much later than it was. 0 in callback mode.
    public var restFrames: UInt32 = 0
    /// Frames that the unit rendered before this cycle, since it was activated.
    public var position: UInt64 = 0
    /// Cycles whose record was lost before this one, because nobody read the ring. Cumulative.
    public var lostRecords: UInt64 = 0
    /// Whether the server freewheeled: then nothing was to be done in time.
    public var isFreewheeling = false

    /// All zero.
    @_noLocks @_noAllocation public init() {}

    /// Takes over a sample rate in hertz. What no server runs at changes nothing: PipeWire's libjack says 2³² − 1 as long as
    /// it knows none. Thread: the renderer's. Wait-free.
    @_noLocks @_noAllocation
    mutating func follow(sampleRate: UInt32) {
        if sampleRate > 0 && sampleRate <= 3_072_000 { self.sampleRate = sampleRate }
    }
}
