import AudioFigures
import Threads

/// Which stalls a calibration injects, and when: the same for the same seed.
struct CalibrationPlan: Sendable {
    struct Step: Sendable, Equatable {
        var cause: Blame
        var stallNanoseconds: UInt64
        /// How long nothing is done before it.
        var pauseNanoseconds: UInt64
    }

    /// How many periods lie between two stalls at least: an account of lost time looks at sixteen on either side.
    static let quietPeriods = 44

    let steps: [Step]

    /// - Parameters:
    ///   - stalls: of each of the three kinds.
    ///   - periodNanoseconds: a stall lasts three periods at least, so that nobody can take it for jitter.
    init(stalls: Int, periodNanoseconds: Double, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let shortest = max(5e6, 3 * periodNanoseconds)
        let quiet = max(30e6, Double(Self.quietPeriods) * periodNanoseconds)
        let causes = [Blame.own, .upstream, .wakeup].flatMap { Array(repeating: $0, count: stalls) }
        steps = causes.shuffled(using: &generator).map { cause in
            Step(
                cause: cause,
                stallNanoseconds: UInt64(Double.random(in: shortest...1.6 * shortest, using: &generator)),
                pauseNanoseconds: UInt64(Double.random(in: quiet...1.5 * quiet, using: &generator)))
        }
    }
}
