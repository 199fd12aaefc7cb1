/// Where JACK's transport was at the first frame of a block.
public struct TapTransport: BitwiseCopyable, Sendable, Equatable {
    /// The frame of the transport's timeline; wraps at 2³².
    public var frame: UInt32
    /// Whether it moved on with each frame.
    public var isRolling: Bool

    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public init(frame: UInt32, isRolling: Bool) {
        self.frame = frame
        self.isRolling = isRolling
    }

    /// Where it is so many frames later, if nobody moves it.
    @_noLocks @_noAllocation
    package func advanced(by frames: Int) -> TapTransport {
        TapTransport(frame: isRolling ? frame &+ UInt32(truncatingIfNeeded: frames) : frame, isRolling: isRolling)
    }
}
