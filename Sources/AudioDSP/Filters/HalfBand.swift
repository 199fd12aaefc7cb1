/// The half-band filters of the oversampler. Their constants come from `Tests/AudioDSPTests/Reference/halfband.py`, which
/// says how they are found, and a test compares.
///
/// To 20 kHz at 44.1 kHz, in proportion at other rates, the pass band is flat to 0.0001 dB, and all that would fold
/// back to below 20 kHz is held down by 100 dB at the least.
package enum HalfBand {
    /// The filtering branch of a linear-phase filter: one tap of each symmetric pair, from the outside inwards. Its other
    /// branch is a delay of half as many samples as both have taps.
    package static func taps(_ stage: Oversampling.Stage) -> [Float] {
        switch stage {
        case .first:
            [
                0.000021241616, -0.00003607941, 0.00006572537, -0.000110417226, 0.00017514342, -0.0002659175,
                0.0003898727, -0.0005553522, 0.0007719948, -0.0010508219, 0.0014043284, -0.0018465923, 0.0023934133,
                -0.0030625088, 0.0038737946, -0.0048498046, 0.006016316, -0.007403288, 0.009046277, -0.010988582,
                0.0132845305, -0.01600461, 0.01924366, -0.023134345, 0.027870318, -0.033747945, 0.041246682,
                -0.051197167, 0.06517335, -0.0865568, 0.12415491, -0.21029137, 0.63597906,
            ]
        case .second:
            [
                -0.00050399604, 0.004112935, -0.0180864, 0.057677295, -0.16064773, 0.6174463,
            ]
        }
    }

    /// The all-pass sections of a minimum-phase filter, (a + z⁻²) / (1 + a z⁻²) at the higher rate, by pairs: one of the
    /// branch that comes first and one of the branch that is a sample later.
    package static func sections(_ stage: Oversampling.Stage) -> [SIMD2<Float>] {
        switch stage {
        case .first:
            [
                SIMD2(0.037365116, 0.13936183),
                SIMD2(0.28134602, 0.43626183),
                SIMD2(0.58446115, 0.71706545),
                SIMD2(0.83458203, 0.94430405),
            ]
        case .second:
            [
                SIMD2(0.0400294, 0.16276072),
                SIMD2(0.38124958, 0.7376964),
            ]
        }
    }

    /// The delay at DC, in samples of the higher rate. An all-pass section adds 2 (1 − a) / (1 + a) to its branch.
    static func delay(_ stage: Oversampling.Stage, _ phase: FilterPhase) -> Double {
        switch phase {
        case .linear: Double(2 * taps(stage).count - 1)
        case .minimum:
            sections(stage).reduce(0.5) { delay, pair in
                let even = Double(pair.x)
                let odd = Double(pair.y)
                return delay + (1 - even) / (1 + even) + (1 - odd) / (1 + odd)
            }
        }
    }
}
