import AudioDSP
import AudioFigures
import Fourier
import Glibc

/// Finds out from what was heard how long the probe signal was on its way. A pure function of the blocks.
///
/// Each block is one round of the signal, sample t mod length at its place. Blocks are averaged, each as far as it can
/// be trusted, so that noise and single faults average out; and what is left over tells how good the result is.
public struct LatencyEstimator {
    /// Blocks that count.
    public private(set) var blocks = 0
    /// Blocks of another length, or with samples that are no numbers or beyond 10¹³.
    public private(set) var discarded = 0
    /// The greatest sample of the blocks that count, without its sign; 1 is full scale.
    public private(set) var peak: Float = 0
    /// What each block says by itself; the last 8192.
    public private(set) var readings: [LatencyReading] = []

    private static let readingCapacity = 8192
    /// No sound has a greater sample, and the sums of a round of such ones are numbers.
    private static let greatestSample: Float = 1e13
    /// A peak of the correlation counts from this many times its root mean square on. In noise alone the greatest of a
    /// million independent values, as normally distributed, is beyond it once in a thousand million times.
    private static let prominence = 8.0
    /// The greatest false alarm probability at which a latency is reported.
    private static let falseAlarms = 1e-6
    /// Ways whose strengths are closer together than this make a finding ambiguous.
    private static let rivalry = 0.7
    /// Single precision knows nothing below this share of the signal's power.
    private static let precision = 1e-14

    private let signal: ProbeSignal
    private let transform: RealTransform
    // In double precision: what the blocks have in common is taken away from what they are.
    private var realSum: [Double]
    private var imaginarySum: [Double]
    private var weights = 0.0
    /// Of all blocks in the band, times their weights.
    private var power = 0.0
    private var heardPower = 0.0
    private var shiftedRounds = ShiftedRounds()

    /// - Parameter signal: the one that is sent.
    public init(_ signal: ProbeSignal) {
        self.signal = signal
        transform = RealTransform(length: signal.lengthFrames)
        realSum = [Double](repeating: 0, count: signal.band.count)
        imaginarySum = realSum
    }

    /// Takes the next round of the signal.
    ///
    /// - Parameters:
    ///   - block: as long as the signal, and in step with it.
    ///   - endFrameTime: the frame clock after the last frame that was taken into it.
    public mutating func add(_ block: [Float], endFrameTime: UInt32 = 0) {
        guard block.count == signal.lengthFrames, block.allSatisfy({ abs($0) <= Self.greatestSample }) else {
            discarded += 1
            return
        }
        blocks += 1
        peak = block.reduce(peak) { max($0, abs($1)) }
        let heard = block.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(block.count)
        heardPower += heard
        let lines = whitened(transform.lines(of: block))
        let correlation = correlation(lines)
        shiftedRounds.add(
            correlation, power: lines.reduce(0) { $0 + Double($1.r) * Double($1.r) + Double($1.i) * Double($1.i) })
        let fit = fit(lines, correlation)
        if readings.count == Self.readingCapacity { readings.removeFirst() }
        readings.append(
            LatencyReading(
                endFrameTime: endFrameTime,
                finding: finding(
                    fit, falseAlarms: falseAlarms(prominence: fit.prominence), noisePower: fit.best.noisePower,
                    heardPower: heard)))
        weigh(lines, fit.best)
    }

    /// What all blocks together say, or `nil` before the second one.
    public var finding: LatencyFinding? {
        guard blocks >= 2 else { return nil }
        let heard = heardPower / Double(blocks)
        guard weights > 0 else { return .absent(heardDecibels: decibels(heard)) }
        let mean = mean
        let fit = fit(mean, correlation(mean))
        // What the blocks have in common, and how much a block of unit weight is off it.
        var common = 0.0
        for index in realSum.indices {
            common += realSum[index] * realSum[index] + imaginarySum[index] * imaginarySum[index]
        }
        let scatter = max(0, power - common / weights) / Double(blocks - 1)
        let ofMean = scatter / weights
        let ofBlock = ofMean * Double(blocks)
        let steady = max(0, fit.best.noisePower - ofMean)
        let falseAlarms = max(
            falseAlarms(prominence: fit.prominence), shiftedRounds.falseAlarmProbability(at: fit.best.frames))
        let whole = finding(fit, falseAlarms: falseAlarms, noisePower: ofBlock + steady, heardPower: heard)
        switch whole {
        case .measured: return whole
        case .ambiguous(let ways) where areSteady(ways): return whole
        default: return placesOfMoving.map { .moving(frames: $0) } ?? whole
        }
    }

    /// Whether all rounds have the same two ways. Rounds that tell only one of them all tell the same one, the stronger one.
    private func areSteady(_ ways: [Double]) -> Bool {
        func near(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1.5 }
        let places = readings.map(\.finding.places)
        let single = places.filter { $0.count == 1 }.joined()
        return places.joined().allSatisfy { place in ways.contains { near($0, place) } }
            && single.allSatisfy { near($0, single.first ?? $0) }
    }

    /// Where most rounds by themselves tell places, and all of these are near each other, the least and the greatest.
    ///
    /// Rounds whose delays differ have no common one, and their sum is none's. By chance the peaks of three rounds lie
    /// so close together in 3 of 1000 cases, and each of them stands out of its round too.
    private var placesOfMoving: ClosedRange<Double>? {
        let told = readings.map(\.finding.places).filter { !$0.isEmpty }
        guard let first = told.first?.first, told.count >= 3, 2 * told.count > readings.count else { return nil }
        let length = Double(signal.lengthFrames)
        // A delay just below the signal's length is one just below none.
        let offsets = told.joined().map { ($0 - first).remainder(dividingBy: length) }
        guard let least = offsets.min(), let greatest = offsets.max(), greatest - least <= length / 32
        else { return nil }
        return first + least...first + greatest
    }

    /// The correlation of the mean of all blocks with the signal, for each whole frame of delay, 1 at the height of a
    /// wire's. For plots.
    public var correlation: [Float] {
        guard weights > 0 else { return [Float](repeating: 0, count: signal.lengthFrames) }
        let height = Float(Double(signal.band.count) * signal.amplitude)
        return correlation(mean).map { $0 / height }
    }

    /// Of all blocks, by their weights.
    private var mean: [SpectrumLine] {
        realSum.indices.map { SpectrumLine(r: Float(realSum[$0] / weights), i: Float(imaginarySum[$0] / weights)) }
    }

    /// The lines of the band with the signal's own phases undone.
    private func whitened(_ lines: [SpectrumLine]) -> [SpectrumLine] {
        signal.band.map { number in
            let (line, turn) = (lines[number], signal.whitening[number - signal.band.lowerBound])
            return SpectrumLine(r: line.r * turn.r - line.i * turn.i, i: line.r * turn.i + line.i * turn.r)
        }
    }

    private func correlation(_ lines: [SpectrumLine]) -> [Float] {
        var all = [SpectrumLine](repeating: SpectrumLine(), count: signal.lengthFrames / 2 + 1)
        all.replaceSubrange(signal.band, with: lines)
        // Each line stands for itself and for its negative frequency.
        return transform.block(of: all).map { $0 / 2 }
    }

    /// The way that the signal has most probably come, the next best one, and how far the first stands out.
    private struct Fit {
        var best: DelayFit
        var rival: DelayFit
        var prominence: Double
    }

    private func fit(_ lines: [SpectrumLine], _ correlation: [Float]) -> Fit {
        let correlation = DelayCorrelation(correlation)
        func fit(_ peak: DelayCorrelation.Peak) -> DelayFit {
            DelayFit(
                lines, band: signal.band, length: signal.lengthFrames, near: peak.frames, isInverted: peak.isInverted)
        }
        let (first, second) = (fit(correlation.greatest), fit(correlation.second))
        // Between two whole frames the lower one may be the higher one.
        return first.strength >= second.strength
            ? Fit(best: first, rival: second, prominence: correlation.greatest.prominence)
            : Fit(best: second, rival: first, prominence: correlation.greatest.prominence)
    }

    /// The probability that the greatest value of normally distributed noise stands out as far.
    private func falseAlarms(prominence: Double) -> Double {
        let ofOne = erfc(prominence / 2.0.squareRoot())
        return max(-expm1(-ofOne * Double(signal.lengthFrames)), ShiftedRounds.leastProbability)
    }

    private func finding(
        _ fit: Fit, falseAlarms: Double, noisePower: Double, heardPower: Double
    ) -> LatencyFinding {
        let best = fit.best
        guard fit.prominence >= Self.prominence, falseAlarms <= Self.falseAlarms, best.strength > 0 else {
            return .absent(heardDecibels: decibels(heardPower))
        }
        guard fit.rival.strength < Self.rivalry * best.strength else {
            return .ambiguous(frames: [best.frames, fit.rival.frames])
        }
        let gain = best.strength / (Double(signal.band.count) * signal.amplitude)
        let noise = max(noisePower, best.signalPower * Self.precision)
        return .measured(
            LatencyEstimate(
                frames: best.frames, errorFrames: best.errorFrames, isInverted: best.isInverted,
                levelDecibels: Decibels.decibels(gain),
                signalToNoiseDecibels: 10 * log10(best.signalPower / noise), falseAlarmProbability: falseAlarms))
    }

    /// Adds a block to the sum, with the weight that its signal has over its noise: one in which a cycle went wrong
    /// counts for little beside one in which none did.
    private mutating func weigh(_ lines: [SpectrumLine], _ fit: DelayFit) {
        guard fit.signalPower > 0 else { return }
        let weight = fit.signalPower / max(fit.noisePower, fit.signalPower * 1e-9)
        for (index, line) in lines.enumerated() {
            let (real, imaginary) = (Double(line.r), Double(line.i))
            realSum[index] += weight * real
            imaginarySum[index] += weight * imaginary
            power += weight * (real * real + imaginary * imaginary)
        }
        weights += weight
    }

    private func decibels(_ power: Double) -> Double? { power > 0 ? 10 * log10(power) : nil }
}

extension LatencyFinding {
    /// Where the signal was heard. Of a way that moved within a round, at several places.
    fileprivate var places: [Double] {
        if case .ambiguous(let frames) = self { frames } else { estimate.map { [$0.frames] } ?? [] }
    }
}
