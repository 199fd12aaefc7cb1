import Foundation
import TestSupport

/// A vowel as it is sung: a glottal source through the formants of the mouth, whose pitch is known at each sample.
///
/// The source is Rosenberg's pulse (1971), opened for 40 % of the period and closed within 16 %, with a jitter of each period and
/// a shimmer of its level; the formants are resonances of second order in series (D. H. Klatt, 1980), and the lips differentiate.
/// Above its first formant a singer raises that to the pitch (J. Sundberg, 1975).
struct SungVowel {
    /// Of the five vowels a, i, u, e, o: frequencies in hertz (Peterson and Barney, 1952).
    static let formants: [[Double]] = [
        [730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480], [570, 840, 2410],
    ]

    private(set) var samples: [Float]
    /// The pitch at each sample, in hertz.
    private(set) var truth: [Double]
    private let sampleRate: Int

    /// - Parameters:
    ///   - jitter: standard deviation of a period, over its mean. A trained voice has 0.002.
    ///   - breathDecibels: the level of the noise of breath under the voice.
    init(
        hertz: Double, vowel: Int, seconds: Double, sampleRate: Int, jitter: Double = 0.001,
        breathDecibels: Double = -40,
        _ generator: inout SeededGenerator
    ) {
        self.sampleRate = sampleRate
        let rate = Double(sampleRate)
        let count = Int(seconds * rate)
        var phase = Double.random(in: 0..<1, using: &generator)
        var (now, level) = (hertz, 1.0)
        truth = []
        var flow: [Double] = []
        for _ in 0..<count {
            truth.append(now)
            flow.append(level * Self.pulse(phase))
            phase += now / rate
            if phase >= 1 {
                phase -= 1
                now = hertz * (1 + jitter * generator.normal())
                level = 1 + 0.01 * generator.normal()
            }
        }
        for formant in Self.formants[vowel % Self.formants.count] where formant < 0.45 * rate {
            let frequency = max(formant, hertz)
            Self.resonate(&flow, frequency, bandwidth: 50 + 0.04 * frequency, rate)
        }
        let voice = zip(flow, [0] + flow).map { $0 - $1 }
        let power = voice.reduce(0) { $0 + $1 * $1 } / Double(count)
        let scale = 0.1 / power.squareRoot()
        let breath = 0.1 * pow(10, breathDecibels / 20)
        samples = voice.map { Float(scale * $0 + breath * generator.normal()) }
    }

    /// The mean pitch of the 100 ms before a moment, in hertz.
    func pitch(before seconds: Double) -> Double {
        let end = Int((seconds * Double(sampleRate)).rounded())
        let part = truth[max(0, end - sampleRate / 10)..<end]
        return part.reduce(0, +) / Double(part.count)
    }

    private static func pulse(_ phase: Double) -> Double {
        if phase < 0.4 { return 0.5 * (1 - cos(.pi * phase / 0.4)) }
        if phase < 0.56 { return cos(.pi / 2 * (phase - 0.4) / 0.16) }
        return 0
    }

    private static func resonate(_ samples: inout [Double], _ hertz: Double, bandwidth: Double, _ rate: Double) {
        let radius = exp(-.pi * bandwidth / rate)
        let (b, c) = (2 * radius * cos(2 * .pi * hertz / rate), -radius * radius)
        var (first, second) = (0.0, 0.0)
        for index in samples.indices {
            let output = (1 - b - c) * samples[index] + b * first + c * second
            (first, second) = (output, first)
            samples[index] = output
        }
    }
}
