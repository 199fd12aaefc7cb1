import Foundation
import Testing

@testable import AudioMetering

/// The EBU permits a true-peak meter to show up to 0.2 dB too much and 0.4 dB too little.
@Suite("True peak: the EBU's cases") struct TruePeakCaseTests {
    private func reading(_ sampleRate: Int = 48000, frames: Int, _ sample: (Double) -> Double) throws -> LoudnessReading
    {
        let analyzer = try LoudnessAnalyzer(sampleRate: sampleRate, channels: 2)
        // The second channel is quieter by 20 dB.
        let block = (0..<frames).flatMap { (frame: Int) -> [Float] in
            let value = sample(Double(frame))
            return [Float(value), Float(0.1 * value)]
        }
        analyzer.add(frames, of: block)
        return analyzer.reading
    }

    private func expect(_ peaks: [Double], _ first: Double, _ location: SourceLocation = #_sourceLocation) {
        #expect(peaks.count == 2, sourceLocation: location)
        for (peak, expected) in zip(peaks, [first, first - 20]) {
            #expect((expected - 0.4...expected + 0.2).contains(peak), "\(peaks)", sourceLocation: location)
        }
    }

    /// Tech 3341, cases 15 to 19: period in frames, phase in degrees, amplitude.
    static let tones: [(period: Double, phase: Double, amplitude: Double)] = [
        (4, 0, 0.5), (4, 45, 0.5), (6, 60, 0.5), (8, 67.5, 0.5), (4, 45, 1.41),
    ]

    @Test(arguments: tones)
    func `cases 15 to 19: the peak of a tone is found between its samples`(
        _ period: Double, _ phase: Double, _ amplitude: Double
    ) throws {
        let reading = try reading(frames: 24000) { frame in
            // Faded in, because a tone that begins from nothing overshoots where its band is limited.
            amplitude * min(1, frame / 4800) * sin(2 * .pi * (frame / period + phase / 360))
        }
        expect(reading.truePeakDecibels, 20 * log10(amplitude))
        #expect(reading.recentTruePeakDecibels == reading.truePeakDecibels[0])
    }

    /// What cases 20 to 23 ask for: the EBU makes them by a filter that it does not name.
    @Test(arguments: [0, 0.25, 0.5, 0.75])
    func `the peak of a short burst is found wherever it lies between two samples`(_ offset: Double) throws {
        let reading = try reading(frames: 4800) { frame in
            let time = frame - 2400 - offset
            return exp(-time * time / 800) * cos(2 * .pi * time / 4)
        }
        expect(reading.truePeakDecibels, 0)
    }

    @Test(arguments: [44100, 88200, 96000])
    func `every rate that leaves room for it is oversampled`(_ sampleRate: Int) throws {
        // The samples are 3 dB below the peaks of the wave or, of the slower one that twice the rate is enough for, 0.7 dB.
        let period = sampleRate < 96000 ? 4.0 : 8
        let reading = try reading(sampleRate, frames: sampleRate / 2) { frame in
            0.5 * min(1, frame / 4800) * sin(2 * .pi * (frame + 0.5) / period)
        }
        expect(reading.truePeakDecibels, 20 * log10(0.5))
    }

    @Test func `the recent peak is forgotten after 3 s, the highest is not`() throws {
        var programme = try Programme()
        programme.play(-6, seconds: 1)
        programme.play(-40, seconds: 2.9)
        #expect(abs(programme.reading.recentTruePeakDecibels + 6) < 0.2)
        programme.play(-40, seconds: 0.2)
        #expect(abs(programme.reading.recentTruePeakDecibels + 40) < 0.2)
        #expect(abs(programme.reading.truePeakDecibels[0] + 6) < 0.2)
    }
}
