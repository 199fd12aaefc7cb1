/// Lost time, three ways at once, because no single one is right in every server mode.
public struct Lost: Sendable, Equatable, Encodable {
    /// Frames of JACK's frame clock that were not rendered. Blind in sync mode.
    public var gapFrames: UInt64 = 0
    /// Wall time for which no frame was rendered. Right in every mode.
    public var wallNanoseconds: UInt64 = 0
    /// Intervals longer than 1.5 periods.
    public var longIntervals: UInt64 = 0
    /// What JACK reported, and the sum of the delays that it named (right in sync mode, about 0 in async).
    public var xruns: UInt64 = 0
    public var xrunDelayNanoseconds: UInt64 = 0
    public init() {}
}
