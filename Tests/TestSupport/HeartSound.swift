import Glibc

/// Heart sounds whose beats are known, and sounds that are none. All at 4 kHz, mono. It takes minutes of them to test a meter: they
/// are here because this module is optimised.
package struct HeartSound {
    package static let sampleRate = 4000

    package var samples: [Float]
    /// When the first sounds begin, in seconds.
    package private(set) var beats: [Double] = []

    /// Beats a minute between the first and the last beat of a part.
    package func beatsPerMinute(in part: Range<Double>) -> Double {
        let inside = beats.filter(part.contains)
        return 60 * Double(inside.count - 1) / ((inside.last ?? 0) - (inside.first ?? 0))
    }

    /// The seconds from `start` on.
    package func part(from start: Double, seconds: Double = 10) -> [Float] {
        let first = Int(start * Double(Self.sampleRate))
        return Array(samples[first..<first + Int(seconds * Double(Self.sampleRate))])
    }

    /// The last seconds from `start` on at a rate that divides this one, by a windowed sine cardinal.
    package func part(from start: Double, seconds: Double = 10, sampleRate: Int) -> [Float] {
        let all = part(from: start, seconds: seconds)
        let step = Self.sampleRate / sampleRate
        guard step > 1 else { return all }
        let reach = 24 * step
        let weights = (-reach...reach).map { place -> Double in
            let phase = 0.9 * .pi * Double(place) / Double(step)
            let bell = 0.5 + 0.5 * cos(.pi * Double(place) / Double(reach + 1))
            return 0.9 / Double(step) * bell * (place == 0 ? 1 : sin(phase) / phase)
        }
        return stride(from: 0, to: all.count, by: step).map { center in
            var sum = 0.0
            for place in max(0, center - reach)...min(all.count - 1, center + reach) {
                sum += weights[place - center + reach] * Double(all[place])
            }
            return Float(sum)
        }
    }

    /// How fast, how irregular, how murmuring a heart is.
    package struct Heart {
        package var beatsPerMinute: Double
        /// Standard deviation of the intervals, over their mean.
        package var variability = 0.0
        /// The second sound's level over the first one's.
        package var second: Double
        /// The level of the noise between them over the first one's.
        package var murmur = 0.0

        /// Any that the meter is made for.
        package static func random(_ generator: inout SeededGenerator) -> Heart {
            Heart(
                beatsPerMinute: .random(in: 40...200, using: &generator),
                variability: .random(in: 0...0.08, using: &generator),
                second: .random(in: 0.4...1.2, using: &generator),
                murmur: [0, 0, 0.15, 0.3].randomElement(using: &generator) ?? 0)
        }
    }

    package init(_ heart: Heart, seconds: Double, _ generator: inout SeededGenerator) {
        let rate = Double(Self.sampleRate)
        samples = Array(repeating: 0, count: Int(seconds * rate))
        let first = Self.stroke(seconds: 0.14, hertz: 30...50, &generator)
        let second = Self.stroke(seconds: 0.11, hertz: 45...80, &generator)
        let systole =
            max(0.15, 0.433 - 0.0017 * heart.beatsPerMinute) * Double.random(in: 0.95...1.05, using: &generator)
        let breath = (
            hertz: Double.random(in: 0.15...0.3, using: &generator), phase: Double.random(in: 0...6, using: &generator)
        )
        let murmur = Self.band(generator.noise(count: samples.count), 80...400)
        var time = 0.2
        while time < seconds {
            beats.append(time)
            add(first, at: time, gain: .random(in: 0.85...1.15, using: &generator))
            add(second, at: time + systole, gain: heart.second * .random(in: 0.85...1.15, using: &generator))
            let length = Int(systole * rate)
            for index in 0..<length {
                let place = Int(time * rate) + index
                guard place < samples.count else { break }
                samples[place] += Float(heart.murmur * sin(.pi * Double(index) / Double(length))) * murmur[place]
            }
            let deviation = 0.7 * sin(2 * .pi * breath.hertz * time + breath.phase) + 0.7 * generator.normal()
            time += 60 / heart.beatsPerMinute * max(0.6, 1 + heart.variability * deviation)
        }
    }

    package init(samples: [Float]) { self.samples = samples }

    private mutating func add(_ stroke: [Float], at time: Double, gain: Double) {
        let start = Int(time * Double(Self.sampleRate))
        for (index, sample) in stroke.enumerated() where start + index < samples.count {
            samples[start + index] += Float(gain) * sample
        }
    }

    /// A stroke of three tones under a bell.
    private static func stroke(
        seconds: Double, hertz: ClosedRange<Double>, _ generator: inout SeededGenerator
    ) -> [Float] {
        let tones = (0..<3).map { _ in
            (Double.random(in: hertz, using: &generator), Double.random(in: 0...6.28, using: &generator))
        }
        let stroke = (0..<Int(seconds * Double(sampleRate))).map { frame -> Double in
            let time = Double(frame) / Double(sampleRate)
            let place = (time - 0.35 * seconds) / (0.2 * seconds)
            return exp(-0.5 * place * place) * tones.reduce(0) { $0 + sin(2 * .pi * $1.0 * time + $1.1) }
        }
        let peak = stroke.map(abs).max() ?? 1
        return stroke.map { Float($0 / peak) }
    }
}

// Noise.
extension HeartSound {
    /// What lies in a band, by two filters of first order on each side.
    private static func band(_ samples: [Float], _ hertz: ClosedRange<Double>) -> [Float] {
        func pole(_ hertz: Double) -> Double { exp(-2 * .pi * hertz / Double(sampleRate)) }
        let (low, high) = (pole(hertz.lowerBound), pole(hertz.upperBound))
        var memory = (0.0, 0.0, 0.0, 0.0)
        return samples.map { sample in
            memory.0 = high * memory.0 + (1 - high) * Double(sample)
            memory.1 = high * memory.1 + (1 - high) * memory.0
            memory.2 = low * memory.2 + (1 - low) * memory.1
            memory.3 = low * memory.3 + (1 - low) * (memory.1 - memory.2)
            return Float(memory.1 - memory.2 - memory.3)
        }
    }

    /// With white noise, or noise that falls by 6 dB an octave, so much softer in the band of heart sounds.
    package func with(noiseDecibels: Double, isBrown: Bool, _ generator: inout SeededGenerator) -> HeartSound {
        var noise = generator.noise(count: samples.count)
        if isBrown {
            var sum: Float = 0
            for index in noise.indices {
                sum = 0.999 * sum + noise[index]
                noise[index] = sum
            }
        }
        func power(_ samples: [Float]) -> Double {
            Self.band(samples, 20...150).reduce(0) { $0 + Double($1) * Double($1) }
        }
        let gain = Float((power(samples) / power(noise) * pow(10, -noiseDecibels / 10)).squareRoot())
        var sound = self
        for index in sound.samples.indices { sound.samples[index] += gain * noise[index] }
        return sound
    }
}

// Sounds without a heart.
extension HeartSound {
    /// A bass, a drum and a snare in a steady beat.
    package static func music(seconds: Double, _ generator: inout SeededGenerator) -> HeartSound {
        var sound = HeartSound(samples: Array(repeating: 0, count: Int(seconds * Double(sampleRate))))
        let beat = 60 / Double.random(in: 60...180, using: &generator)
        let notes = Int.random(in: 1...4, using: &generator)
        let roots = (0..<4).map { _ in 41.2 * pow(2, Double(Int.random(in: 0...14, using: &generator)) / 12) }
        let hasDrumOnEach = Bool.random(using: &generator)
        func decaying(_ seconds: Double, _ rate: Double, _ wave: (Double) -> Double) -> [Float] {
            (0..<Int(seconds * Double(sampleRate))).map { frame in
                let time = Double(frame) / Double(sampleRate)
                return Float(exp(-rate * time) * wave(time))
            }
        }
        var number = 0
        while Double(number) * beat < seconds {
            let time = Double(number) * beat
            if hasDrumOnEach || number % 2 == 0 {
                sound.add(decaying(0.15, 25) { sin(2 * .pi * (50 * $0 - 1.5 * exp(-30 * $0))) }, at: time, gain: 1)
            }
            if number % 2 == 1 {
                let snare = generator.noise(count: 400)
                sound.add(decaying(0.1, 50) { Double(snare[Int($0 * Double(sampleRate))]) }, at: time, gain: 0.5)
            }
            for note in 0..<notes {
                let hertz = roots[number / 4 % 4] * ([1, 1, 1.5, 2].randomElement(using: &generator) ?? 1)
                let start = time + Double(note) * beat / Double(notes)
                sound.add(
                    decaying(beat / Double(notes), 4) { sin(2 * .pi * hertz * $0) * min(1, 200 * $0) }, at: start,
                    gain: 0.7)
                let hat = generator.noise(count: 120)
                sound.add(decaying(0.03, 150) { Double(hat[Int($0 * Double(sampleRate))]) }, at: start, gain: 0.2)
            }
            number += 1
        }
        return sound
    }

    /// Syllables of a voice: vowels with two formants, fricatives and pauses, in no steady beat.
    package static func speech(seconds: Double, _ generator: inout SeededGenerator) -> HeartSound {
        var sound = HeartSound(samples: Array(repeating: 0, count: Int(seconds * Double(sampleRate))))
        let pitch = Double.random(in: 85...220, using: &generator)
        var time = Double.random(in: 0...0.3, using: &generator)
        while time < seconds {
            let length = Double.random(in: 0.08...0.3, using: &generator)
            let formants = [
                Double.random(in: 300...800, using: &generator), .random(in: 900...1800, using: &generator),
            ]
            let bend = Double.random(in: -0.2...0.2, using: &generator)
            let vowel = (0..<Int(length * Double(sampleRate))).map { frame -> Float in
                let at = Double(frame) / Double(sampleRate)
                var value = 0.0
                for harmonic in 1...8 {
                    let hertz = pitch * Double(harmonic)
                    let level = formants.reduce(0.05) { $0 + exp(-pow((hertz - $1) / 150, 2)) }
                    value += level * sin(2 * .pi * hertz * (at + bend * at * at))
                }
                return Float(value * sin(.pi * at / length))
            }
            sound.add(vowel, at: time, gain: .random(in: 0.2...1, using: &generator))
            let fricative = generator.noise(count: Int(0.08 * Double(sampleRate)))
            if Bool.random(using: &generator) { sound.add(fricative, at: time + length, gain: 0.1) }
            time +=
                length
                + (Int.random(in: 0..<6, using: &generator) == 0
                    ? 0.5 : Double.random(in: 0.02...0.15, using: &generator))
        }
        return sound
    }
}
