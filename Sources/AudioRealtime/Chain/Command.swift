import AudioDSP

/// A change of one parameter, on its way to the audio thread.
public enum Command: BitwiseCopyable, Sendable {
    /// Linear gain.
    case gain(Float)
    /// Linear gain into the shaper.
    case drive(Float)
    case shape(Shape)
    case antialiasing(Antialiasing)
    case phase(FilterPhase)
    case makeUpGain(Bool)
    case bypass(Bool)
    case mute(Bool)
    case pause(Bool)
}

/// What the unit is told to do to the signal: y = make-up gain · shape(drive · gain · x).
public struct Parameters: BitwiseCopyable, Sendable, Equatable {
    /// Linear gain.
    public var gain: Float = 1
    /// Linear gain into the shaper; without effect where the shape is `off`.
    public var drive: Float = 1
    public var shape = Shape.cubic
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
    public var isMuted = false
    /// Silent, and once it is, nothing goes to the taps.
    public var isPaused = false

    @_noLocks @_noAllocation public init() {}

    @_noLocks @_noAllocation
    public mutating func apply(_ command: Command) {
        switch command {
        case .gain(let value): gain = value
        case .drive(let value): drive = value
        case .shape(let value): shape = value
        case .antialiasing(let value): antialiasing = value
        case .phase(let value): phase = value
        case .makeUpGain(let value): hasMakeUpGain = value
        case .bypass(let value): isBypassed = value
        case .mute(let value): isMuted = value
        case .pause(let value): isPaused = value
        }
    }

    /// What the parameters come to. A bypass is no curve and no gain.
    package var shaping: Shaping {
        @_noLocks @_noAllocation get { Shaping(isBypassed ? .off : shape, antialiasing, phase) }
    }

    /// How much later the sound leaves than it came, in frames, once all changes have settled (see
    /// `Shaping.latencyFrames`). With a bypass or without a shape it is 0.
    public var latencyFrames: Double { shaping.latencyFrames }

    /// Whether nothing is to be heard.
    var isSilent: Bool { @_noLocks @_noAllocation get { isMuted || isPaused } }

    /// The gain that the parameters come to.
    var effectiveGain: Float {
        @_noLocks @_noAllocation get {
            if isBypassed { return 1 }
            return shape == .off ? gain : gain * drive
        }
    }
}
