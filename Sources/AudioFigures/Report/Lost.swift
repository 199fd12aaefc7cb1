/// Lost time, three ways at once, because no single one is right in every server mode.
///
/// `nil` is what was not counted, as by a log that does not tell.
public struct Lost: Sendable, Equatable {
    /// Frames of JACK's frame clock that were not rendered. Blind in sync mode.
    public var gapFrames: UInt64? = 0
    /// Wall time for which no frame was rendered. Right in every mode.
    public var nanoseconds: UInt64? = 0
    /// Intervals longer than 1.5 periods.
    public var longIntervals: UInt64? = 0
    /// What JACK reported, and the sum of the delays that it named (right in sync mode, about 0 in async).
    public var xruns: UInt64?
    /// `nil` where JACK named none.
    public var xrunDelayNanoseconds: UInt64?
    /// Nothing was lost; of xruns nothing is known.
    public init() {}

    /// Nothing was counted.
    package static var unknown: Lost {
        var lost = Lost()
        (lost.gapFrames, lost.nanoseconds, lost.longIntervals) = (nil, nil, nil)
        return lost
    }
}
