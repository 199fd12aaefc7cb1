import AudioDSP

/// What a shaper does to the signal: y = make-up gain · shape(drive · gain · x).
public struct ShaperSetting: BitwiseCopyable, ParameterSetting, Equatable {
    /// Linear gain.
    public var gain: Float = 1
    /// Linear gain into the shaper; without effect where the shape is `off`.
    public var drive: Float = 1
    /// The curve. `off` changes no sample; any other one fades in.
    public var shape = Shape.off
    /// At the cost of latency (see `Antialiasing`); without effect where the shape is `off`.
    public var antialiasing = Antialiasing.off
    /// How the filters of an oversampling delay the sound; without effect where nothing is oversampled.
    public var phase = FilterPhase.linear
    /// Keeps the output's level independent of the drive: behind the shape stands the gain that gives a sine with a peak
    /// of ¼ (−12 dB of full scale), driven and shaped, the RMS level that it had. That level is kept exactly, and others
    /// as far as a shape that limits lets them: what is louder comes out nearer to it, the more so the higher the
    /// drive, and what is softer too. Without effect where the shape is `off`.
    public var hasMakeUpGain = false
    /// Leaves the signal alone, bit for bit: neither gain nor shape.
    public var isBypassed = false
    /// Whether silence goes out; faded over 10 ms.
    public var isMuted = false

    /// Gain and drive of 0 dB, no shape.
    @_noLocks @_noAllocation public init() {}

    /// Its parameters: gain, drive, shape, antialias, phase, compensate, bypass, mute.
    public static let fields = [
        gain, drive, shape, antialias, phase, compensate,
        .flag("bypass", "leave the signal alone: no gain or shape", \.isBypassed),
        .flag("mute", "silence at the outputs", \.isMuted),
    ]

    package typealias Field = ParameterField<Self>
    package static let gain = Field.decibels("gain", "gain of the unit", span: -60...12, \.gain)
    package static let drive = Field.decibels("drive", "gain into the shaper", span: 0...48, \.drive)
    package static let shape = Field.choice("shape", "curve of the shaper", \.shape)
    package static let antialias = Field.choice(
        "antialias", "what is done against the shaper's aliases", \.antialiasing)
    package static let phase = Field.choice("phase", "phase of the filters of an oversampling", \.phase)
    package static let compensate = Field.flag(
        "compensate", "keep the output's level whatever the drive", \.hasMakeUpGain)

    /// The gain in decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing.
    public var gainDecibels: Double {
        get { Self.gain.number(in: self) }
        set { Self.gain.move(to: newValue, in: &self) }
    }

    /// The drive in decibels, −120…60; what lies outside is moved to the nearest end, NaN changes nothing.
    public var driveDecibels: Double {
        get { Self.drive.number(in: self) }
        set { Self.drive.move(to: newValue, in: &self) }
    }

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
