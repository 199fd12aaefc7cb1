/// When the sender rendered a frame, by its own wall clock: any time may come.
struct RenderTime: Sendable, Equatable {
    /// Since the stream's beginning, at its rate.
    var frame: Int
    /// Since 1970 in UTC.
    var wallNanoseconds: Int64

    /// How long ago the sender rendered a frame, in seconds; `nil` where its time cannot be: it is too far from ours to be counted.
    ///
    /// - Parameters:
    ///   - streamFrame: at the stream's rate.
    ///   - now: of this machine's wall clock, in nanoseconds since 1970 in UTC.
    ///   - rate: of the stream, in hertz.
    func age(of streamFrame: Double, at now: Int64, rate: Int) -> Double? {
        let (passed, isImpossible) = now.subtractingReportingOverflow(wallNanoseconds)
        guard !isImpossible else { return nil }
        return Double(passed) / 1e9 - (streamFrame - Double(frame)) / Double(rate)
    }
}
