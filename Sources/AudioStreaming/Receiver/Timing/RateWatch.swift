/// Notices that a clock's rate has changed, from the times by which frames come later than they were due.
///
/// Each second it takes their median, which late packets hardly move. A change of rate shows as medians that run away from zero: farther
/// than they usually are, twice in a row, and on the same side. Where a network's delay varies for seconds, they usually are far off, and it
/// takes more to stand out.
struct RateWatch: Sendable {
    private var errors: [Double] = []
    private var start: Double?
    /// The last three, the newest at the end.
    private var medians = (0.0, 0.0, 0.0)
    /// Of the medians.
    private var variance: Double?
    private var count = 0

    static let seconds = 1.0
    /// Beyond so many standard deviations a median is no chance.
    private static let reach = 6.0
    private static let leastErrors = 5
    /// Medians that the variance is of, and those before it is known.
    private static let memory = 30.0
    private static let learning = 10

    /// - Parameters:
    ///   - error: by how much a frame came later than it was due, in seconds.
    ///   - time: in seconds.
    ///   - jitter: standard deviation of the errors, in seconds, for the time before that of the medians is known.
    /// - Returns: by how much they are off, where the rate has changed; `nil` as a rule.
    mutating func add(_ error: Double, at time: Double, jitter: Double) -> Double? {
        let start = self.start ?? time
        self.start = start
        errors.append(error)
        guard time - start > Self.seconds, errors.count >= Self.leastErrors else { return nil }
        errors.sort()
        let median = errors[errors.count / 2]
        errors.removeAll(keepingCapacity: true)
        self.start = time
        medians = (medians.1, medians.2, median)
        count += 1
        let usual = variance ?? 0.25 * jitter * jitter
        // One that is far off is no measure of the others.
        let square = min(median * median, 4 * usual)
        variance = usual + max(1 / Double(count + 1), 1 / Self.memory) * (square - usual)
        guard count > Self.learning, median * median > Self.reach * Self.reach * usual, runsAway else { return nil }
        return median
    }

    /// Of the second before.
    var median: Double { medians.2 }

    private var runsAway: Bool {
        let side = medians.2 > 0 ? 1.0 : -1.0
        let (first, second, third) = (side * medians.0, side * medians.1, side * medians.2)
        return second > 0 && second > 1.05 * first && third > 1.05 * second
    }

    /// What came before does not count any more.
    mutating func reset() {
        errors.removeAll(keepingCapacity: true)
        start = nil
        medians = (0, 0, 0)
    }
}
