import Glibc

/// What may be heard beside a signal, at 48 kHz.
public enum Disturbance: String, CaseIterable, Sendable {
    case white, pink, hum, music

    /// With a root mean square of 1.
    public func samples(_ count: Int, _ generator: inout SeededGenerator) -> [Float] {
        var sound =
            switch self {
            case .white: generator.noise(count: count, rms: 1)
            case .pink: Self.pink(count, &generator)
            case .hum: Self.hum(count, &generator)
            case .music: Self.music(count, &generator)
            }
        let power = sound.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(count)
        let level = Float(max(power.squareRoot(), 1e-9))
        for index in sound.indices { sound[index] /= level }
        return sound
    }

    /// White noise through Kellet's filter, 3 dB an octave to 0.05 dB.
    private static func pink(_ count: Int, _ generator: inout SeededGenerator) -> [Float] {
        let poles: [(pole: Float, gain: Float)] = [
            (0.99886, 0.0555179), (0.99332, 0.0750759), (0.969, 0.153852), (0.8665, 0.3104856), (0.55, 0.5329522),
            (-0.7616, -0.016898),
        ]
        var states = [Float](repeating: 0, count: poles.count)
        return generator.noise(count: count, rms: 1).map { white in
            for (index, filter) in poles.enumerated() {
                states[index] = filter.pole * states[index] + filter.gain * white
            }
            return states.reduce(0, +) + 0.5362 * white
        }
    }

    /// The mains and its harmonics, a little off 50 Hz.
    private static func hum(_ count: Int, _ generator: inout SeededGenerator) -> [Float] {
        let frequency = Double.random(in: 49.8...50.2, using: &generator) * 2 * .pi / 48000
        var sound = [Float](repeating: 0, count: count)
        for harmonic in 1...20 {
            let gain = Float(Double.random(in: 0.2...1, using: &generator) / sqrt(Double(harmonic)))
            let phase = Double.random(in: 0...6.28, using: &generator)
            for index in sound.indices {
                sound[index] += gain * Float(cos(frequency * Double(harmonic * index) + phase))
            }
        }
        return sound
    }

    /// Chords of notes that decay, with harmonics, and drums, on the beats of some tempo.
    private static func music(_ count: Int, _ generator: inout SeededGenerator) -> [Float] {
        var sound = [Float](repeating: 0, count: count)
        let scale = [0, 2, 4, 5, 7, 9, 11]
        let beat = 48000 * 30 / Double.random(in: 70...160, using: &generator)
        // It has begun before.
        var time = -2 * beat
        while time < Double(count) {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Of C major.
                let key =
                    12 * Int.random(in: 4...6, using: &generator) + scale[Int.random(in: 0..<7, using: &generator)]
                let frequency = 440 * exp2(Double(key - 69) / 12) * 2 * .pi / 48000
                let decay = 48000 * Double.random(in: 0.05...0.5, using: &generator)
                let gain = Double.random(in: 0.3...1, using: &generator)
                for index in max(0, Int(time))..<max(0, min(count, Int(time + 4 * decay))) {
                    let age = Double(index) - time
                    let tone = (1...6).reduce(0.0) { $0 + cos(frequency * Double($1) * age) / Double($1) }
                    sound[index] += Float(gain * exp(-age / decay) * tone)
                }
            }
            if Bool.random(using: &generator) {
                let decay = 48000 * Double.random(in: 0.01...0.06, using: &generator)
                for index in max(0, Int(time))..<max(0, min(count, Int(time + 5 * decay))) {
                    let age = Double(index) - time
                    sound[index] += Float(exp(-age / decay) * Double.random(in: -2...2, using: &generator))
                }
            }
            time += beat * (Bool.random(using: &generator) ? 1 : 2)
        }
        return sound
    }
}
