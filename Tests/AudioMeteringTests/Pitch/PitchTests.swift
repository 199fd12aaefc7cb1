import Foundation
import TestSupport
import Testing

@testable import AudioMetering

@Suite("A pitch") struct PitchTests {
    /// Many more by hand, for a figure.
    private static let isLong = ProcessInfo.processInfo.environment["IOUNIT_LONG"] != nil

    /// Without the first two, which are not the middle of three.
    private func readings(of samples: [Float], sampleRate: Int = 48000) throws -> ArraySlice<PitchReading> {
        let analyzer = try PitchAnalyzer(sampleRate: sampleRate, channels: 1)
        analyzer.add(samples.count, of: samples)
        return analyzer.take().dropFirst(2)
    }

    private func cents(_ hertz: Double, from truth: Double) -> Double { abs(1200 * log2(hertz / truth)) }

    private func tone(_ hertz: Double, seconds: Double, sampleRate: Int = 48000, magnitude: Double = 0.3) -> [Float] {
        (0..<Int(seconds * Double(sampleRate))).map {
            Float(magnitude * sin(2 * .pi * hertz * Double($0) / Double(sampleRate) + 1))
        }
    }

    @Test(arguments: [500, 1000, 2000, 8000, 16000, 44_100, 48_000, 96_000, 192_000])
    func `of a tone is right within a cent, from 30 to 4000 Hz or a fifth of the sample rate`(_ sampleRate: Int) throws
    {
        let count = Self.isLong ? 400 : 40
        let highest = min(4000, Double(sampleRate) / 5)
        var generator = SeededGenerator(seed: 60)
        var (worst, given) = (0.0, 0)
        for number in 0..<count {
            let hertz = 30 * pow(highest / 30, Double(number) / Double(count - 1))
            let magnitude = pow(10, Double.random(in: -2...0, using: &generator))
            for reading in try readings(
                of: tone(hertz, seconds: 0.2, sampleRate: sampleRate, magnitude: magnitude), sampleRate: sampleRate)
            {
                let found = try #require(reading.hertz, "\(hertz) Hz")
                worst = max(worst, cents(found, from: hertz))
                given += 1
            }
        }
        if Self.isLong { print("\(sampleRate) Hz: \(given) readings of tones, at worst \(worst) cents off") }
        // A block of a stethoscope's has few samples.
        let most = max(1, 2000 / Double(sampleRate))
        #expect(given >= count && worst <= most, "at worst \(worst) cents in \(given) readings")
    }

    /// Up to twenty partials of any strength.
    private func partials(of hertz: Double, sampleRate: Int, _ generator: inout SeededGenerator) -> [Float] {
        var sound = [Double](repeating: 0, count: sampleRate * 15 / 100)
        var sum = 0.0
        for number in 1...max(1, min(20, Int(0.499 * Double(sampleRate) / hertz))) {
            let step = 2 * .pi * hertz * Double(number) / Double(sampleRate)
            let gain = Double.random(in: 0.05...1, using: &generator) / Double(number).squareRoot()
            let phase = Double.random(in: 0...6.3, using: &generator)
            for frame in sound.indices { sound[frame] += gain * sin(step * Double(frame) + phase) }
            sum += gain
        }
        return sound.map { Float(0.5 * $0 / sum) }
    }

    /// All partials up to half of the rate, each as strong: the sum of a geometric series (Dirichlet's conjugate kernel).
    private func pulse(_ hertz: Double, sampleRate: Int) -> [Float] {
        let count = max(1, (0.499 * Double(sampleRate) / hertz).rounded(.down))
        return (0..<sampleRate * 15 / 100).map { frame in
            let half = .pi * hertz * Double(frame) / Double(sampleRate) + 0.05
            let sum = (cos(half) - cos((2 * count + 1) * half)) / (2 * sin(half))
            return Float(0.5 * sum / count)
        }
    }

    @Test(arguments: [8000, 16000, 44_100, 48_000, 96_000, 192_000])
    func
        `of a tone with partials up to half of the sample rate is right within a cent, and not that of several periods`(
            _ sampleRate: Int
        ) throws
    {
        let count = Self.isLong ? 400 : 12
        let highest = min(4000, Double(sampleRate) / 5) * 0.99
        var generator = SeededGenerator(seed: 63)
        var (worst, given, wrong) = (0.0, 0, [String]())
        for number in 0..<2 * count {
            let hertz = 31 * pow(highest / 31, Double(number / 2) / Double(count))
            let sound =
                number % 2 == 0
                ? pulse(hertz, sampleRate: sampleRate) : partials(of: hertz, sampleRate: sampleRate, &generator)
            for reading in try readings(of: sound, sampleRate: sampleRate) {
                let found = reading.hertz ?? 0
                given += 1
                if cents(found, from: hertz) > 50 {
                    wrong.append("\(hertz) Hz: \(found)")
                } else {
                    worst = max(worst, cents(found, from: hertz))
                }
            }
        }
        if Self.isLong {
            print("\(sampleRate) Hz: \(given) readings of partials, at worst \(worst) cents off, wrong: \(wrong)")
        }
        #expect(given >= count && wrong.isEmpty && worst <= 1, "\(worst) cents; \(wrong.joined(separator: ", "))")
    }

    @Test(arguments: [4100.0, 5000, 8000, 11_000])
    func `of a tone above the range is none, and not that of an octave below`(
        _ hertz: Double
    ) throws {
        let found = try readings(of: tone(hertz, seconds: 0.15)).compactMap(\.hertz)
        #expect(found.isEmpty, "\(found)")
    }

    @Test(arguments: [1e-3, 1e20, 3e38]) func `of a tone of any magnitude is the same`(_ magnitude: Double) throws {
        let hertz = try readings(of: tone(440, seconds: 0.15)).map(\.hertz)
        let found = try readings(of: tone(440, seconds: 0.15, magnitude: magnitude)).map(\.hertz)
        #expect(found.count == hertz.count && !found.isEmpty)
        for (found, hertz) in zip(found, hertz) { #expect(abs((found ?? 0) - (hertz ?? 1)) < 1e-3) }
    }

    @Test func `of one sample beyond all others is none, or some, and no trap`() throws {
        var sound = tone(440, seconds: 0.15)
        sound[3000] = 1e20
        #expect(try !readings(of: sound).isEmpty)
    }

    @Test(arguments: [(0.0, -60.0), (0.001, -40), (0.002, -20)])
    func `of a sung vowel is right within 5 cents, and never an octave off, from 60 to 1500 Hz`(
        _ jitter: Double, _ breath: Double
    ) throws {
        let count = Self.isLong ? 1000 : 20
        var generator = SeededGenerator(seed: 61)
        var (all, given, octaves, worst) = (0, 0, 0, 0.0)
        for number in 0..<count {
            let hertz = 60 * pow(25, Double(number) / Double(count - 1))
            let vowel = SungVowel(
                hertz: hertz, vowel: number, seconds: 0.25, sampleRate: 48000, jitter: jitter, breathDecibels: breath,
                &generator)
            for reading in try readings(of: vowel.samples) {
                all += 1
                guard let found = reading.hertz else { continue }
                given += 1
                // The block that it is of, or one of the two before: it is the middle of three.
                let errors = (0...2).map {
                    cents(found, from: vowel.pitch(before: reading.seconds - 0.02 * Double($0)))
                }
                let error = errors.min() ?? 0
                if error > 600 { octaves += 1 } else { worst = max(worst, error) }
            }
        }
        if Self.isLong {
            print("\(given) of \(all) readings of vowels, at worst \(worst) cents off; \(octaves) octaves")
        }
        #expect(Double(given) >= 0.98 * Double(all), "\(given) of \(all)")
        #expect(Double(octaves) <= 0.001 * Double(given) && worst <= 5, "\(octaves) octaves, \(worst) cents")
    }

    @Test(arguments: ["white", "pink", "brown"]) func `is not given for noise`(_ kind: String) throws {
        var generator = SeededGenerator(seed: 62)
        var (sum, slow) = (0.0, [0.0, 0, 0])
        let noise = (0..<48000 * (Self.isLong ? 120 : 2)).map { _ -> Float in
            let white = Double.random(in: -1...1, using: &generator)
            switch kind {
            case "white": return Float(0.5 * white)
            case "brown":
                sum = 0.999 * sum + 0.02 * white
                return Float(sum)
            default:
                // Paul Kellet's filter: within 0.5 dB of 3 dB an octave.
                slow[0] = 0.99765 * slow[0] + 0.0990460 * white
                slow[1] = 0.963 * slow[1] + 0.2965164 * white
                slow[2] = 0.57 * slow[2] + 1.0526913 * white
                return Float(0.1 * (slow[0] + slow[1] + slow[2] + 0.1848 * white))
            }
        }
        let readings = try readings(of: noise)
        let given = readings.count { $0.hertz != nil }
        if Self.isLong {
            print("\(kind): \(given) of \(readings.count), confidence up to \(readings.map(\.confidence).max() ?? 0)")
        }
        #expect(given == 0, "\(given) of \(readings.count)")
    }

    @Test func `is not given for silence`() throws {
        let readings = try readings(of: [Float](repeating: 0, count: 24000))
        #expect(!readings.isEmpty && readings.allSatisfy { $0.hertz == nil && $0.confidence == 0 })
    }

    @Test func `of a new sample rate is as right`() throws {
        let analyzer = try PitchAnalyzer(sampleRate: 48000, channels: 1)
        analyzer.add(12000, of: tone(440, seconds: 0.25))
        #expect(analyzer.change(sampleRate: 96000) && !analyzer.change(sampleRate: 499))
        analyzer.add(24000, of: tone(440, seconds: 0.25, sampleRate: 96000))
        #expect(abs(try #require(analyzer.reading.hertz) - 440) < 0.1)
        #expect(abs(analyzer.elapsedSeconds - 0.5) < 1e-9)
    }

    @Test(arguments: [(440.0, "A4", 69, 0.0), (261.6256, "C4", 60, 0), (450, "A4", 69, 38.91), (27.5, "A0", 21, 0)])
    func `has a note's name and its distance in cents`(
        _ hertz: Double, _ name: String, _ number: Int, _ cents: Double
    ) {
        let note = PitchNote(hertz: hertz)
        #expect(note.name == name && note.number == number && abs(note.cents - cents) < 0.01, "\(note)")
    }

    @Test(arguments: [0, -1, .nan, .infinity, -.infinity, 1e-300, 1e308])
    func `counts a pitch that no sound has as very low or very high`(_ hertz: Double) {
        let note = PitchNote(hertz: hertz)
        #expect(note.number == (hertz > 1 ? 428 : -290) && abs(note.cents) <= 50 && !note.name.isEmpty, "\(note)")
        #expect(PitchNote(hertz: 440, reference: hertz).cents.isFinite)
    }

    @Test func `counts from another A where one is asked for`() {
        #expect(PitchReading(hertz: 415, confidence: 1).note(reference: 415)?.name == "A4")
        #expect(PitchReading(hertz: 415, confidence: 1).note()?.name == "G#4")
    }
}
