/// What a loudness meter shows.
///
/// Loudness is in LUFS (ITU-R BS.1770, EBU R 128), from `gateLUFS` on; −∞ is anything softer, or less sound so far than
/// the figure needs.
public struct LoudnessReading: Sendable, Equatable {
    /// The absolute gate of BS.1770 and EBU Tech 3341, in LUFS: what is softer counts as silence.
    public static let gateLUFS = -70.0

    /// Of the last 0.4 s.
    public var momentaryLUFS = -Double.infinity
    /// Of the last 3 s.
    public var shortTermLUFS = -Double.infinity
    /// Of all sound since the start but what lies below −70 LUFS, or more than 10 LU below the rest. Sound above 30 LUFS counts as
    /// 29.95, where the meter's histogram ends, here and in the range.
    public var integratedLUFS = -Double.infinity
    /// The loudest 0.4 s since the start.
    public var maximumMomentaryLUFS = -Double.infinity
    /// The loudest 3 s since the start.
    public var maximumShortTermLUFS = -Double.infinity
    /// Loudness range (EBU Tech 3342), in LU; `nil` until 3 s have been above the gate.
    public var rangeLU: Double?
    /// The highest true peak of each channel since the start, in dBTP; −∞ is silence.
    public var truePeakDecibels: [Double] = []
    /// The highest true peak of all channels in the last 3 s.
    public var recentTruePeakDecibels = -Double.infinity
    /// Frames that never reached the meter, or had a sample rate that it does not take. Where it is not 0, no figure above is of the whole sound.
    public var droppedFrames: UInt64 = 0

    /// That of a meter which has heard nothing.
    public init() {}

    /// The same without what is of the last seconds: for a time in which no sound comes to the meter.
    package var ofThePast: Self {
        var reading = self
        reading.momentaryLUFS = -.infinity
        reading.shortTermLUFS = -.infinity
        reading.recentTruePeakDecibels = -.infinity
        return reading
    }
}
