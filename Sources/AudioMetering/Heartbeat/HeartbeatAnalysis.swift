import Glibc

/// Finds the heart's rate in 10 s of an envelope.
///
/// 1. The autocorrelation of the envelope: each distance at which it has a peak may be the period.
/// 2. For each of them the beats, as the path through the envelope that fits it best (`PulseTrack`). A beat is a first sound with
///    a second one behind it at the distance where the autocorrelation has its peak below the period.
/// 3. Half and double: the shortest period counts whose beats are all there, and at whose double the envelope repeats too. Where
///    first and second sounds were taken for beats, the double is off, because their distances differ.
/// 4. Above 200 a minute both sounds of a heart lie evenly, and its double period repeats as well: where a period below that fits
///    as well as the one that was found, there are two candidates and no number.
/// 5. No number where that is not clear, or something else makes the sound.
struct HeartbeatAnalysis {
    private typealias Reading = HeartbeatReading

    /// How many steps of the envelope are looked at: 10 s.
    static let steps = Int(10 * HeartSoundEnvelope.rate)

    private static let rate = HeartSoundEnvelope.rate
    /// Standard deviation of the smoothing, in steps: 18 ms.
    private static let smoothing = 0.018 * rate
    /// The distances at which a period is looked for, in seconds.
    private static let periods = 0.28...1.55
    /// Of 200 to 315 beats a minute, in seconds.
    private static let fastPeriods = 0.19...0.3
    /// Of the height at the period that was found: from there on a fast one is as likely. Of hearts of 100 to 200 a minute 96 % stay
    /// below it, of those from 205 on 2 %.
    private static let doubtfulShare = 0.93
    /// Where the second sound is looked for behind the first one, in seconds: it comes no later, and nothing tells two sounds apart
    /// that come sooner.
    private static let secondSound = 0.12...0.45

    /// A period and the beats at its distance.
    private struct Hypothesis {
        /// In steps.
        var period: Double
        /// The autocorrelation at the period.
        var height: Double
        /// In steps.
        var beats: [Double]
        /// How high the envelope is at the weaker beats, over the mean of all.
        var support: Double
        /// In steps; `nil` where there is none.
        var second: Int?

        /// The mean of the distances, but for those that differ from their neighbours by more than a heart's do: there a beat was
        /// taken for another sound.
        var meanPeriod: Double {
            let distances = self.distances
            let good = distances.indices.filter { index in
                let near = distances[max(0, index - 2)..<min(distances.count, index + 3)].sorted()
                return abs(distances[index] / near[near.count / 2] - 1) < 0.18
            }
            let taken = good.count > 2 ? good.map { distances[$0] } : distances
            return taken.reduce(0, +) / Double(taken.count)
        }

        var distances: [Double] { zip(beats.dropFirst(), beats).map { $0 - $1 } }

        /// Between neighbouring distances, but for jumps far beyond the others: there a beat was taken for another sound, or sound
        /// is missing.
        var differences: [Double] {
            let all = zip(distances.dropFirst(), distances).map { $0 - $1 }
            let usual = max(1, all.map(abs).sorted()[all.count / 2])
            return all.filter { abs($0) <= 4 * usual }
        }
    }

    /// - Parameters:
    ///   - envelope: the last `steps` steps.
    ///   - start: when they began, in seconds.
    static func reading(of envelope: [HeartSoundEnvelope.Step], startSeconds start: Double) -> HeartbeatReading {
        guard envelope.count >= steps else { return Reading(.tooShort) }
        let heart = smoothed(envelope.map(\.heart)).map { $0.squareRoot() }
        guard let series = normalised(heart) else { return Reading(.silence) }
        let correlation = correlation(of: series)
        let peaks = peaks(of: correlation, in: scaled(periods))
        guard let highest = peaks.map({ correlation[$0] }).max(), highest > 0 else { return Reading(.noPulse) }
        let confidence = min(1, highest)
        guard !hasOtherSounds(envelope, beside: heart) else { return Reading(.otherSounds, confidence: confidence) }
        let candidates = peaks.filter { correlation[$0] >= 0.45 * highest }.compactMap {
            hypothesis(series, correlation, peak: $0)
        }
        guard let chosen = choose(candidates, correlation, highest) else {
            return Reading(.noPulse, confidence: confidence)
        }
        var reading = reading(of: chosen, series, startSeconds: start)
        reading.candidates = rates(beside: chosen, correlation)
        if reading.absence == nil || reading.absence == .noSecondSound, !reading.candidates.isEmpty {
            reading = Reading(.ambiguous, confidence: reading.confidence, candidates: reading.candidates)
        }
        return reading
    }

    /// The rate that was found and another one above 200 a minute that fits nearly as well, or whose half fits; rising. None where
    /// there is no doubt.
    private static func rates(beside chosen: Hypothesis, _ correlation: [Double]) -> [Reading.Candidate] {
        func candidate(_ period: Double) -> Reading.Candidate {
            Reading.Candidate(
                beatsPerMinute: 60 * rate / period, strength: max(0, min(1, correlation[Int(period.rounded())])))
        }
        guard chosen.height >= Reading.lowestConfidence else { return [] }
        if chosen.period < rate * 60 / (Reading.rates.upperBound + 0.5) {
            return [candidate(2 * chosen.period), candidate(chosen.period)]
        }
        let other = peaks(of: correlation, in: scaled(fastPeriods)).filter { Double($0) < 0.8 * chosen.period }
            .max { correlation[$0] < correlation[$1] }
        guard let other, correlation[other] >= doubtfulShare * chosen.height else { return [] }
        return [candidate(chosen.period), candidate(Double(other) + offset(correlation, other))]
    }

    /// The shortest period whose beats are all there and that repeats; else the one that fits best.
    private static func choose(
        _ candidates: [Hypothesis], _ correlation: [Double], _ highest: Double
    ) -> Hypothesis? {
        let fastest = rate * 60 / (HeartbeatReading.rates.upperBound + 5)
        let good = candidates.first { candidate in
            candidate.meanPeriod >= fastest && candidate.support > 0.35 && candidate.height > 0.7 * highest
                && repeats(candidate, correlation)
        }
        return good ?? candidates.max { $0.height * max(0.05, $0.support) < $1.height * max(0.05, $1.support) }
    }

    /// Whether the envelope repeats at the double of the period too, and not beside it.
    private static func repeats(_ candidate: Hypothesis, _ correlation: [Double]) -> Bool {
        let near = Int(1.75 * candidate.period)...Int(2.25 * candidate.period)
        guard near.upperBound < correlation.count - 1, let place = near.max(by: { correlation[$0] < correlation[$1] })
        else { return true }
        let isOff = abs(Double(place) / (2 * candidate.period) - 1) > 0.045
        return !isOff || correlation[place] <= 0.9 * candidate.height
    }

    private static func reading(
        of chosen: Hypothesis, _ series: [Double], startSeconds start: Double
    ) -> HeartbeatReading {
        var reading = Reading(.noPulse, confidence: max(0, min(1, chosen.height)))
        let beatsPerMinute = 60 * rate / chosen.meanPeriod
        guard chosen.height >= Reading.lowestConfidence, chosen.beats.count >= 5,
            (Reading.rates.lowerBound - 0.5...Reading.rates.upperBound + 0.5).contains(beatsPerMinute)
        else { return reading }
        guard abs(beatsPerMinute - 60 * rate / chosen.period) <= tolerance(chosen.support) else { return reading }
        guard isPair(chosen, series) else {
            reading.absence = .noSecondSound
            return reading
        }
        reading.absence = nil
        reading.beatsPerMinute = beatsPerMinute
        reading.beats = chosen.beats.map { start + $0 / rate }
        reading.secondSoundSeconds = chosen.second.map { Double($0) / rate }
        if reading.confidence >= Reading.lowestVariabilityConfidence, chosen.beats.count >= 8 {
            let differences = chosen.differences
            let mean = differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count)
            reading.variabilityMilliseconds = 1000 / rate * mean.squareRoot()
        }
        return reading
    }

    /// By how many beats a minute the mean of the distances may differ from the autocorrelation's period. It rests on the first and
    /// the last beat alone: where beats are weak, as in noise, one of them may be a chance, and only where both agree there is
    /// an answer. Where they are clear, a heart that is irregular differs by more.
    private static func tolerance(_ support: Double) -> Double { 0.7 + 3.5 * max(0, support - 0.5) }

    /// Whether a second sound follows the beats, at a distance that a heart has: systole takes 413 ms − 1.7 ms for each beat a
    /// minute, and some 20 ms until the valves close (A. M. Weissler, 1968). From 133 beats a minute on both sounds lie too
    /// close, and too evenly, to be asked for.
    private static func isPair(_ chosen: Hypothesis, _ series: [Double]) -> Bool {
        let period = chosen.period / rate
        guard period > 0.45 else { return true }
        let systole = max(0.15, 0.433 - 0.0017 * 60 / period)
        let profile = profile(series, after: chosen.beats, steps: Int(chosen.period))
        guard let lowest = profile.min(), let first = profile.first, first > lowest else { return false }
        let last = profile.count - Int(0.1 * rate)
        return peaks(
            of: profile, in: Int(secondSound.lowerBound * rate)...max(last, Int(secondSound.lowerBound * rate))
        )
        .contains { place in
            // Which of both sounds is the first one is not known.
            let seconds = Double(place) / rate
            guard min(abs(seconds - systole), abs(period - seconds - systole)) < 0.12 * period else { return false }
            let before = profile[..<place].min() ?? lowest
            let behind = profile[(place + 1)...].min() ?? lowest
            return profile[place] - max(before, behind) > 0.08 * (first - lowest)
        }
    }

    /// The mean of the series behind the beats.
    private static func profile(_ series: [Double], after beats: [Double], steps: Int) -> [Double] {
        (0..<max(1, steps)).map { step in
            let values = beats.map { Int($0.rounded()) + step }.filter(series.indices.contains).map { series[$0] }
            return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
        }
    }

    /// The beats at a peak of the autocorrelation.
    private static func hypothesis(_ series: [Double], _ correlation: [Double], peak: Int) -> Hypothesis? {
        let period = Double(peak) + offset(correlation, peak)
        let second = second(correlation, period: period)
        let worth = paired(series, second)
        var beats = PulseTrack(worth, period: period).beats
        guard beats.count >= 4 else { return nil }
        // A sound that the window cuts off is no beat.
        let middle = beats.map { worth[$0] }.sorted()[beats.count / 2]
        while beats.count > 4, worth[beats[0]] < 0.5 * middle { beats.removeFirst() }
        while beats.count > 4, let last = beats.last, worth[last] < 0.5 * middle { beats.removeLast() }
        let values = beats.map { worth[$0] }
        let mean = values.reduce(0, +) / Double(values.count)
        let weak = values.sorted()[Int(0.15 * Double(values.count - 1))]
        return Hypothesis(
            period: period, height: correlation[peak],
            beats: beats.map { Double($0) + offset(worth, $0) }, support: mean > 0 ? weak / mean : 0,
            second: second)
    }

    /// The distance of the second sound in steps: the highest peak of the autocorrelation below the period.
    private static func second(_ correlation: [Double], period: Double) -> Int? {
        let range = scaled(secondSound)
        let last = max(range.lowerBound + 2, min(range.upperBound, Int(0.62 * period)))
        return peaks(of: correlation, in: range.lowerBound...last).filter { correlation[$0] > 0.1 }
            .max { correlation[$0] < correlation[$1] }
    }

    /// How well a beat would fit at each step: the envelope there, and where the second sound would be.
    private static func paired(_ series: [Double], _ second: Int?) -> [Double] {
        guard let second else { return series }
        return series.indices.map { step in
            // At the end the second sound is still to come.
            let other = step + second < series.count ? series[step + second] : series[step]
            return (series[step] + 0.7 * other) / 1.7
        }
    }

    /// Whether something above 1 kHz comes and goes. The envelope of steady noise varies by a few per cent.
    private static func hasOtherSounds(_ envelope: [HeartSoundEnvelope.Step], beside heart: [Double]) -> Bool {
        let other = smoothed(envelope.map(\.other)).map { $0.squareRoot() }
        let (mean, deviation) = moments(other)
        return deviation > 0.3 * mean && deviation > 0.1 * moments(heart).deviation
    }
}

// Series of numbers.
extension HeartbeatAnalysis {
    private static func scaled(_ seconds: ClosedRange<Double>) -> ClosedRange<Int> {
        Int(seconds.lowerBound * rate)...Int(seconds.upperBound * rate)
    }

    private static func moments(_ series: [Double]) -> (mean: Double, deviation: Double) {
        let mean = series.reduce(0, +) / Double(series.count)
        let power = series.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(series.count)
        return (mean, power.squareRoot())
    }

    /// With mean 0 and standard deviation 1; `nil` where nothing varies.
    private static func normalised(_ series: [Double]) -> [Double]? {
        let (mean, deviation) = moments(series)
        guard deviation > 1e-9 else { return nil }
        return series.map { ($0 - mean) / deviation }
    }

    /// Convolved with a bell.
    private static func smoothed(_ series: [Double]) -> [Double] {
        let radius = Int(4 * smoothing)
        let bell = (-radius...radius).map { exp(-0.5 * (Double($0) / smoothing) * (Double($0) / smoothing)) }
        let sum = bell.reduce(0, +)
        return series.indices.map { step in
            var value = 0.0
            for (index, weight) in bell.enumerated() {
                let place = step + index - radius
                if series.indices.contains(place) { value += weight * series[place] }
            }
            return value / sum
        }
    }

    /// The autocorrelation at distances up to 2.2 s, each over as many products as there are; 1 at 0.
    private static func correlation(of series: [Double]) -> [Double] {
        (0..<Int(2.2 * rate)).map { distance in
            var sum = 0.0
            for step in 0..<(series.count - distance) { sum += series[step] * series[step + distance] }
            return sum / Double(series.count - distance)
        }
    }

    private static func peaks(of series: [Double], in range: ClosedRange<Int>) -> [Int] {
        range.filter { isPeak(series, $0) }
    }

    private static func isPeak(_ series: [Double], _ place: Int) -> Bool {
        place > 0 && place < series.count - 1 && series[place] >= series[place - 1]
            && series[place] > series[place + 1]
    }

    /// How far the top of the parabola through a peak and its neighbours lies beside it, −0.5…0.5; 0 where it is no peak.
    private static func offset(_ series: [Double], _ place: Int) -> Double {
        guard isPeak(series, place) else { return 0 }
        return parabolaTop(series[place - 1], series[place], series[place + 1])?.offset ?? 0
    }
}
