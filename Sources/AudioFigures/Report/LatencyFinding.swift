/// What a probe has found out about a way.
public enum LatencyFinding: Sendable, Equatable {
    /// The latency is known.
    case measured(LatencyEstimate)
    /// Nothing of the probe signal is in what was heard, whose level in decibels of full scale this is; `nil` for
    /// digital silence.
    case absent(heardDecibels: Double?)
    /// The signal came on several ways at about the same strength: after so many frames, the strongest first.
    case ambiguous(frames: [Double])
    /// The latency changed from round to round, as behind a resampler that has not settled yet, between these frames.
    case moving(frames: ClosedRange<Double>)

    /// What was measured, if anything was.
    public var estimate: LatencyEstimate? {
        if case .measured(let estimate) = self { estimate } else { nil }
    }
}

/// How long a way is, and how well that is known.
public struct LatencyEstimate: Sendable, Equatable {
    /// From the frame clock's time of sending to that of hearing; a delay of the signal's length counts as none.
    public var frames: Double
    /// `frames` is off by no more than this, in at least 99 of 100 measurements.
    public var errorFrames: Double
    /// Whether what was heard is upside down.
    public var isInverted: Bool
    /// How much louder the signal is heard than it was sent, in decibels; 0 for a wire.
    public var levelDecibels: Double
    /// The signal's power over that of all else that was heard in its band (noise, distortion, echoes), in decibels.
    /// At most 140: single precision tells no more.
    public var signalToNoiseDecibels: Double
    /// The probability that noise alone, or a sound that has nothing to do with the signal, gives such a finding; not less
    /// than 10⁻¹⁵.
    public var falseAlarmProbability: Double

    /// - Parameters:
    ///   - errorFrames: how far `frames` may be off, 0 or more.
    ///   - levelDecibels: against what was sent.
    ///   - falseAlarmProbability: 0…1.
    public init(
        frames: Double, errorFrames: Double, isInverted: Bool, levelDecibels: Double, signalToNoiseDecibels: Double,
        falseAlarmProbability: Double
    ) {
        self.frames = frames
        self.errorFrames = errorFrames
        self.isInverted = isInverted
        self.levelDecibels = levelDecibels
        self.signalToNoiseDecibels = signalToNoiseDecibels
        self.falseAlarmProbability = falseAlarmProbability
    }
}

/// What one round of the probe signal says by itself.
public struct LatencyReading: Sendable, Equatable {
    /// JACK's frame clock after the round's last frame; wraps at 2³².
    public var endFrameTime: UInt32
    /// What the round says.
    public var finding: LatencyFinding

    /// - Parameter endFrameTime: JACK's frame clock after the round's last frame.
    public init(endFrameTime: UInt32, finding: LatencyFinding) {
        self.endFrameTime = endFrameTime
        self.finding = finding
    }
}
