/// What the server lost in the last minutes, for the page. Only seconds in which something was lost take room.
package struct LossHistory {
    /// Losses in so many seconds are one bin.
    package static let stepSeconds = 5
    /// How far back it goes.
    static let spanSeconds = 600

    package struct Bin: Encodable, Equatable {
        /// Of the run, at which it begins.
        package var second: Int
        package var xruns: UInt64
        package var milliseconds: Double

        package init(second: Int, xruns: UInt64, milliseconds: Double) {
            (self.second, self.xruns, self.milliseconds) = (second, xruns, milliseconds)
        }
    }

    package private(set) var bins: [Bin] = []
    private var before: (xruns: UInt64, nanoseconds: UInt64) = (0, 0)

    package init() {}

    /// - Parameters:
    ///   - xruns: since the start of the run.
    ///   - lostNanoseconds: since the start of the run, as far as it is settled.
    ///   - elapsed: seconds since the start of the run.
    package mutating func update(xruns: UInt64, lostNanoseconds: UInt64, at elapsed: Double) {
        let second = Int(elapsed) / Self.stepSeconds * Self.stepSeconds
        bins.removeAll { second - $0.second > Self.spanSeconds }
        defer { before = (xruns, lostNanoseconds) }
        let counted = xruns - min(xruns, before.xruns)
        let lost = lostNanoseconds - min(lostNanoseconds, before.nanoseconds)
        guard counted > 0 || lost > 0 else { return }
        if bins.last?.second != second { bins.append(Bin(second: second, xruns: 0, milliseconds: 0)) }
        bins[bins.count - 1].xruns += counted
        bins[bins.count - 1].milliseconds += Double(lost) / 1e6
    }
}
