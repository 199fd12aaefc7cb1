/// A part of a run in which each callback had as many frames, at the same sample rate: where the server changes its period or
/// its rate, another begins.
public struct PeriodPart: Sendable, Equatable {
    /// Frames of each callback.
    public var frames: Int
    /// The server's, in hertz.
    public var sampleRate: Int
    /// The time that the frames last.
    public var nominalNanoseconds: Double
    /// When its first callback began, since the beginning of the measurement.
    public var startNanoseconds: Int64
    /// Between starts of one of its callbacks and the next.
    public var interval = Distribution()
    /// How far each interval was from the part's own nominal time, without sign.
    public var deviation = Distribution()

    /// - Parameter sampleRate: in hertz, 1 or more.
    public init(frames: Int, sampleRate: Int, startNanoseconds: Int64) {
        self.frames = frames
        self.sampleRate = sampleRate
        nominalNanoseconds = Double(frames) * 1e9 / Double(sampleRate)
        self.startNanoseconds = startNanoseconds
    }
}
