import AudioFigures

/// The earliest and the latest of a run's callbacks, step by step: the run may be of any length, the steps are at most 600.
///
/// When a run outgrows its steps, each two become one, and from then on a step lasts twice as long.
struct IntervalSeries: Sendable {
    static let capacity = 600

    private(set) var stepNanoseconds: Int64 = 1_000_000
    private(set) var steps: [Series.Step?] = []

    /// - Parameters:
    ///   - nanoseconds: when the interval ended, since the beginning. What was before is left out.
    ///   - deviation: how much longer than nominal it was, in nanoseconds.
    mutating func add(at nanoseconds: Int64, deviation: Int64) {
        guard nanoseconds >= 0 else { return }
        while nanoseconds / stepNanoseconds >= Self.capacity { coarsen() }
        let index = Int(nanoseconds / stepNanoseconds)
        while steps.count <= index { steps.append(nil) }
        let new = Series.Step(earliest: deviation, latest: deviation)
        steps[index] = Self.union(steps[index], new)
    }

    private mutating func coarsen() {
        stepNanoseconds *= 2
        steps = stride(from: 0, to: steps.count, by: 2).map { index in
            Self.union(steps[index], index + 1 < steps.count ? steps[index + 1] : nil)
        }
    }

    private static func union(_ first: Series.Step?, _ second: Series.Step?) -> Series.Step? {
        guard let first, let second else { return first ?? second }
        return Series.Step(
            earliest: min(first.earliest, second.earliest), latest: max(first.latest, second.latest))
    }
}
