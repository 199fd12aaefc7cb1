import AudioFigures
import AudioMeasurement
import Glibc
import TestSupport
import Testing

@Suite("A latency in noise") struct LatencyNoiseTests {
    private static let runs = 16
    private static let rounds = 3
    private let way = Way(ProbeSignal(lengthFrames: 1 << 13))

    private func finding(
        _ disturbance: Disturbance, level: Double, clean: [Float]?, _ generator: inout SeededGenerator
    ) throws -> LatencyFinding {
        let length = way.signal.lengthFrames
        let sound = disturbance.samples(Self.rounds * length, &generator)
        var estimator = LatencyEstimator(way.signal)
        for round in 0..<Self.rounds {
            estimator.add((0..<length).map { (clean?[$0] ?? 0) + Float(level) * sound[round * length + $0] })
        }
        return try #require(estimator.finding)
    }

    /// From a signal that is lost in it to one that is nearly clean.
    @Test(arguments: Disturbance.allCases)
    func `is within what is told as its error, in 19 of 20 runs and more`(_ disturbance: Disturbance) throws {
        var generator = SeededGenerator(seed: 340)
        let power = rms(way.signal.samples)
        var told = 0
        var within = 0
        var worst = 0.0
        for _ in 0..<Self.runs {
            let ratio = Double.random(in: -20...40, using: &generator)
            let frames = Double.random(in: 0...3000, using: &generator)
            let finding = try finding(
                disturbance, level: power * pow(10, -ratio / 20), clean: way.heard(after: frames), &generator)
            guard let estimate = finding.estimate else { continue }
            told += 1
            worst = max(worst, abs(estimate.frames - frames))
            if abs(estimate.frames - frames) <= estimate.errorFrames { within += 1 }
            #expect(estimate.falseAlarmProbability <= 1e-6)
        }
        #expect(told >= Self.runs * 9 / 10, "\(told)")
        #expect(within * 20 >= told * 19, "\(within) of \(told)")
        #expect(worst < 2)
    }

    @Test(arguments: Disturbance.allCases)
    func `is told in no run without a signal`(_ disturbance: Disturbance) throws {
        var generator = SeededGenerator(seed: 341)
        var told = 0
        for _ in 0..<Self.runs / 2 {
            if try finding(disturbance, level: 0.1, clean: nil, &generator).estimate != nil { told += 1 }
        }
        #expect(told == 0)
    }
}
