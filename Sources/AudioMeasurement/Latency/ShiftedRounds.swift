import Glibc

/// How great a peak of the correlation with the probe signal is by chance: the null distribution of the greatest one.
///
/// The signal comes back in each round at the same delay, and nothing else does. Rounds that are shifted against each other
/// hold all that was heard, but no common delay: the greatest peak of their sum is one by chance. Gravitational waves are
/// told from noise in this way ("time slides": Was et al., Class. Quantum Grav. 27, 2010). No law of the noise is assumed:
/// a sound that is in one round alone makes the same peak with and without the shifts.
struct ShiftedRounds {
    /// Rounds are added up in this many sums, so that memory has a limit.
    private static let sumCount = 8
    private static let shiftCount = 32
    /// What a law that was fitted to so few peaks says below this means nothing.
    static let leastProbability = 1e-15

    private var sums: [[Float]] = []
    private var rounds = 0

    /// Takes the next round.
    ///
    /// - Parameters:
    ///   - correlation: for each whole frame of delay.
    ///   - power: of all in the band. Each round counts as much as the others, or a loud one would decide alone.
    mutating func add(_ correlation: [Float], power: Double) {
        guard power > 0 else { return }
        let scale = Float(1 / power.squareRoot())
        if sums.count < Self.sumCount {
            sums.append(correlation.map { $0 * scale })
        } else {
            let number = rounds % Self.sumCount
            for index in correlation.indices { sums[number][index] += scale * correlation[index] }
        }
        rounds += 1
    }

    /// The probability that what is no path gives a peak as great as the one at a delay; 1 before the second round.
    /// Not less than `leastProbability`.
    func falseAlarmProbability(at frames: Double) -> Double {
        guard let length = sums.first?.count, sums.count > 1 else { return 1 }
        let place = Int(frames.rounded())
        let peak = (place - 1...place + 1).reduce(0) { greatest, place in
            max(greatest, abs(sums.reduce(0) { $0 + $1[(place + length) % length] }))
        }
        let peaks = (0..<Self.shiftCount).map { Double(greatestPeak(shift: $0)) }
        // Maxima follow Gumbel's law; location and scale by the method of moments.
        let count = Double(peaks.count)
        let mean = peaks.reduce(0, +) / count
        let variance = peaks.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        let scale = max((6 * variance).squareRoot() / .pi, mean * 1e-6, .leastNormalMagnitude)
        let location = mean - 0.577_215_664_9 * scale
        return max(-expm1(-exp(-(Double(peak) - location) / scale)), Self.leastProbability)
    }

    /// The greatest of the sum of all, each shifted by a place of its own: no two have the same one.
    private func greatestPeak(shift: Int) -> Float {
        let length = sums[0].count
        let step = length / sums.count
        var sum = [Float](repeating: 0, count: length)
        for (number, other) in sums.enumerated() {
            // Within half a step: the golden section spreads them evenly.
            let share = (Double((shift + 1) * (number + 1)) * 0.618_033_988_75).truncatingRemainder(dividingBy: 1)
            let offset = number * step + Int(share * Double(step / 2))
            for index in 0..<length - offset { sum[index] += other[index + offset] }
            for index in length - offset..<length { sum[index] += other[index + offset - length] }
        }
        return sum.reduce(0) { max($0, abs($1)) }
    }
}
