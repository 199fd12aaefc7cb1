import AudioDSP

/// What a shaper does to the signal: y = make-up gain · shape(drive · gain · x).
public struct Parameters: BitwiseCopyable, Sendable, Equatable {
    /// Linear gain.
    public var gain: Float = 1
    /// Linear gain into the shaper; without effect where the shape is `off`.
    public var drive: Float = 1
    /// `off` changes no sample.
    public var shape = Shape.off
    /// Without effect where the shape is `off`.
    public var antialiasing = Antialiasing.off
    /// Without effect where nothing is oversampled.
    public var phase = FilterPhase.linear
    /// Keeps the output's level independent of the drive: behind the shape stands the gain that gives a sine with a peak
    /// of ¼ (−12 dB of full scale), driven and shaped, the RMS level that it had. That level is kept exactly, and others
    /// as far as a shape that limits lets them: what is louder comes out nearer to it, the more so the higher the
    /// drive, and what is softer too. Without effect where the shape is `off`.
    public var hasMakeUpGain = false
    /// Leaves the signal alone: neither gain nor shape.
    public var isBypassed = false
    /// Whether silence goes out; faded over 10 ms.
    public var isMuted = false

    /// Gain and drive of 0 dB, no shape.
    @_noLocks @_noAllocation public init() {}

    /// What the parameters come to. A bypass is no curve and no gain.
    package var shaping: Shaping {
        @_noLocks @_noAllocation get { Shaping(isBypassed ? .off : shape, antialiasing, phase) }
    }

    /// How much later the sound leaves than it came, in frames, once all changes have settled (see
    /// `Shaping.latencyFrames`). With a bypass or without a shape it is 0.
    public var latencyFrames: Double { shaping.latencyFrames }

    /// How many frames pass until the filters have settled.
    package var settlingFrames: Int { shaping.settlingFrames }

    /// The gain that the parameters come to.
    var effectiveGain: Float {
        @_noLocks @_noAllocation get {
            if isBypassed { return 1 }
            return shape == .off ? gain : gain * drive
        }
    }
}
