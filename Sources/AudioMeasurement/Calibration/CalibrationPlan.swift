import AudioFigures

/// Which stalls a calibration injects, and when: the same for the same seed.
package struct CalibrationPlan: Sendable {
    package struct Step: Sendable, Equatable {
        package var cause: Blame
        package var stallNanoseconds: UInt64
        /// How long nothing is done before it.
        package var pauseNanoseconds: UInt64
    }

    /// How many periods lie between two stalls at least: an account of lost time looks at sixteen on either side.
    package static let quietPeriods = 44

    package let steps: [Step]

    /// - Parameters:
    ///   - stalls: of each of the three kinds.
    ///   - periodNanoseconds: a stall lasts three periods at least, so that nobody can take it for jitter.
    package init(stalls: Int, periodNanoseconds: Double, seed: UInt64) {
        var generator = Shuffle(state: seed)
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

    /// Splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
    private struct Shuffle: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
