/// What is known of a mode while it is measured. Deviations are how far intervals were from nominal.
public struct LiveFigures: Sendable {
    /// As in the report.
    public var name: String
    /// Callbacks that were measured so far.
    public var callbacks: UInt64 = 0
    /// The last deviation, in nanoseconds; negative is early. `nil` before the first.
    public var now: Int64?
    /// The farthest from nominal since the figures were taken last, in nanoseconds without sign; `nil` where there was none.
    public var recent: Int64?
    /// In nanoseconds without sign, of all so far: at most 0.1 % off. `nil` before there are 100.
    public var p99: Int64?
    /// The farthest of all so far, in nanoseconds without sign; `nil` before the first.
    public var worst: Int64?
    /// Wall time for which no frame was rendered.
    public var lostNanoseconds: UInt64 = 0
    /// Intervals between cycles longer than 1.5 periods.
    public var longIntervals: UInt64 = 0
    /// What JACK reported.
    public var xruns: UInt64 = 0
    /// Frames that a queue dropped, or played silence for.
    public var missedFrames: UInt64 = 0

    /// Nothing yet.
    public init(name: String) { self.name = name }
}
