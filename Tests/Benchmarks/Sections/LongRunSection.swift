import AudioDSP
import Threads

extension Section {
    static let longRun = Section(
        name: "longrun",
        introduction: """
            Whether what a shaper remembers drifts: one noise with a constant in it, of 8000 frames and driven threefold,
            again and again, as many samples as --samples says.
            difference: the largest between what came of the noise at the end and near the start, in millionths of full
            scale. peak: the highest of the whole run to that near the start. ns: for a sample.
            """
    ) { workshop in
        let shapings = [
            Shaping(.cubic, .adaa), Shaping(.cubic, .best), Shaping(.cubic, .best, .minimum), Shaping(.tanh, .adaa),
            Shaping(.table, .adaa), Shaping(.asymmetric), Shaping(.asymmetric, .best, .minimum),
        ]
        let runs = shapings.map { LongRun($0, samples: workshop.longRunSamples) }
        let rows = zip(shapings, runs).map { shaping, run in
            [
                "\(shaping.shape.name), \(shaping.antialiasing.name), \(shaping.phase.name)", "\(run.samples)",
                (run.difference * 1e6).text(3), run.peakRatio.text(6), run.nanosecondsPerSample.text(2),
            ]
        }
        print(Table(["shape, mode, phase", "samples", "difference", "peak", "ns"], rows).text)
        let length = runs.map(\.samples).min() ?? 0
        return [
            Goal(
                "largest difference after \(length) samples", (runs.map(\.difference).max() ?? 1) * 1e6, atMost: 1,
                unit: " millionths"),
            Goal("highest peak, to that near the start", runs.map(\.peakRatio).max() ?? 2, atMost: 1.0001, digits: 4),
        ]
    }
}

/// A shaper that hears the same again and again.
private struct LongRun {
    private static let period = 8000
    private static let block = 64
    /// Until the blocker of DC has settled to the last digit of what it rounds.
    private static let settlingPeriods = 20

    /// Whole periods, and no fewer than those that are compared.
    let samples: Int
    let difference: Double
    let peakRatio: Double
    let nanosecondsPerSample: Double

    init(_ shaping: Shaping, samples: Int) {
        let periods = max(Self.settlingPeriods + 2, samples / Self.period)
        self.samples = periods * Self.period
        var shaper = AntialiasedShaper(channels: 1)
        let memory = SampleBlock(channels: 2, frames: Self.period)
        let input = Samples(memory.channel(0), count: Self.period)
        let output = Samples(memory.channel(1), count: Self.period)
        var random: UInt64 = 1
        for index in 0..<Self.period {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            input[index] = 0.1 + 0.8 * (Float(random >> 40) / 8_388_608 - 1)
        }
        /// Returns the largest magnitude.
        func playOnce() -> Float {
            output.copy(from: input)
            var peak: Float = 0
            for start in stride(from: 0, to: Self.period, by: Self.block) {
                let part = output.slice(from: start, count: Self.block)
                shaper.process(part, channel: 0, setting: 0, shaping, gain: Ramp(3))
                peak = max(peak, part.level().peak)
            }
            return peak
        }
        let start = MonotonicClock.nanoseconds()
        for _ in 0..<Self.settlingPeriods { _ = playOnce() }
        let firstPeak = playOnce()
        let first = (0..<Self.period).map { output[$0] }
        var peak = firstPeak
        for _ in (Self.settlingPeriods + 1)..<periods { peak = max(peak, playOnce()) }
        nanosecondsPerSample = Double(MonotonicClock.nanoseconds() - start) / Double(self.samples)
        difference = (0..<Self.period).map { abs(Double(output[$0]) - Double(first[$0])) }.max() ?? 0
        peakRatio = Double(peak) / Double(firstPeak)
    }
}
