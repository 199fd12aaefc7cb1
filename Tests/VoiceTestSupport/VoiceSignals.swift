import Foundation
import Fourier
import TestSupport

/// Signals whose truth is known: speech, rooms, noise. The same seed gives the same signal.
package enum VoiceSignals {
    /// Something that comes and goes as speech does: syllables of three formants on a voice that glides, hisses between them, and
    /// pauses. The peak is at half of full scale.
    package static func speech(seconds: Double, seed: UInt64, sampleRate: Int = 48_000, pitch: Double = 120) -> [Float]
    {
        var random = SeededGenerator(seed: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let rate = Double(sampleRate)
        let count = Int(seconds * rate)
        var signal = [Double](repeating: 0, count: count)
        var start = 0
        var syllables = 0
        var phase = 0.0
        while start < count {
            let length = Int(uniform(0.12...0.26) * rate)
            var formants = [(uniform(250...850), 80.0), (uniform(850...2300), 110.0), (uniform(2300...3400), 160.0)]
                .map { Resonator(hertz: $0.0, width: $0.1, sampleRate: rate) }
            let (from, to) = (pitch * uniform(0.85...1.3), pitch * uniform(0.75...1.15))
            let isHissing = uniform(0...1) < 0.25
            for frame in 0..<min(length, count - start) {
                let part = Double(frame) / Double(length)
                let envelope = sin(.pi * part)
                var source = 0.02 * uniform(-1...1)
                if isHissing && part < 0.3 { source = 0.5 * uniform(-1...1) }
                phase += (from + (to - from) * part) / rate
                if phase >= 1 {
                    phase -= 1
                    source += 30
                }
                var value = 0.0
                for index in formants.indices { value += formants[index].process(source) / Double(index + 1) }
                signal[start + frame] += envelope * value + (isHissing && part < 0.3 ? envelope * source * 0.2 : 0)
            }
            start += length + Int(uniform(0.0...0.05) * rate)
            syllables += 1
            if syllables % 8 == 0 { start += Int(uniform(0.15...0.4) * rate) }
        }
        let peak = signal.reduce(0) { max($0, abs($1)) }
        return signal.map { Float($0 / peak / 2) }
    }

    package static func noise(_ count: Int, decibels: Double, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        let scale = Float(pow(10, decibels / 20) * 3.0.squareRoot())
        return (0..<count).map { _ in Float.random(in: -scale...scale, using: &random) }
    }

    /// Noise that comes and goes four times a second, so that it is not taken for one that stays.
    package static func gusts(seconds: Double, seed: UInt64, sampleRate: Int) -> [Float] {
        noise(Int(seconds * Double(sampleRate)), decibels: -20, seed: seed).enumerated().map { frame, sample in
            sample * Float(max(0.01, sin(2 * .pi * 4 * Double(frame) / Double(sampleRate))))
        }
    }

    /// What a room of 64 ms makes of a signal: noise that decays by 60 dB, so loud that the echo is `decibels` beside the signal.
    package static func echo(
        of signal: [Float], decibels: Double = -6, delayFrames: Int = 0, seed: UInt64 = 7, sampleRate: Int = 48_000
    ) -> [Float] {
        let length = sampleRate * 64 / 1000
        var impulse = noise(length, decibels: 0, seed: seed)
        for frame in impulse.indices { impulse[frame] *= Float(exp(-6.9 * Double(frame) / Double(length))) }
        var echo = convolve(signal, impulse)
        let gain = Float((power(signal) / power(echo)).squareRoot() * pow(10, decibels / 20))
        for frame in echo.indices { echo[frame] *= gain }
        return Array(([Float](repeating: 0, count: delayFrames) + echo).prefix(signal.count))
    }

    /// The microphone: echo, and noise of 30 dB below.
    package static func microphone(_ echo: [Float], seed: UInt64 = 3) -> [Float] {
        let noise = noise(echo.count, decibels: 10 * log10(power(echo)) - 30, seed: seed)
        return zip(echo, noise).map(+)
    }

    /// Two loudspeakers, of which each plays a voice and, 10 dB softer, that of the other, and what a microphone hears of them through
    /// a way from each: noise is 30 dB below.
    package static func stereoEcho(seconds: Double) -> (near: [Float], far: [[Float]]) {
        let voices = [speech(seconds: seconds, seed: 1), speech(seconds: seconds, seed: 6, pitch: 170)]
        let far = [voices, voices.reversed()].map { pair in
            zip(pair[0], pair[1]).map { (own: Float, other: Float) -> Float in own + 0.316 * other }
        }
        let echoes = far.enumerated().map { echo(of: $1, delayFrames: 480, seed: 7 + UInt64($0)) }
        return (microphone(zip(echoes[0], echoes[1]).map(+)), far)
    }

    package static func power(_ signal: some Sequence<Float>) -> Double {
        var (sum, count) = (0.0, 0)
        for sample in signal {
            sum += Double(sample) * Double(sample)
            count += 1
        }
        return sum / Double(max(1, count))
    }

    /// By how much the second is softer than the first between two times, in dB.
    package static func reduction(
        _ near: [Float], _ clean: [Float], seconds: ClosedRange<Double>, sampleRate: Int = 48_000
    )
        -> Double
    {
        let range = Int(seconds.lowerBound * Double(sampleRate))..<Int(seconds.upperBound * Double(sampleRate))
        return 10 * log10(power(near[range]) / power(clean[range]))
    }

    package static func convolve(_ signal: [Float], _ impulse: [Float]) -> [Float] {
        let length = 16_384
        let piece = length - impulse.count
        let transform = RealTransform(length: length)
        let filter = Lines(transform.lines(of: impulse + [Float](repeating: 0, count: piece)))
        var output = [Float](repeating: 0, count: signal.count + length)
        for start in stride(from: 0, to: signal.count, by: piece) {
            let part = Array(signal[start..<min(start + piece, signal.count)])
            var lines = Lines(transform.lines(of: part + [Float](repeating: 0, count: length - part.count)))
            lines.multiply(by: filter)
            let block = transform.block(of: lines.values)
            for frame in block.indices { output[start + frame] += block[frame] / Float(length) }
        }
        return Array(output.prefix(signal.count))
    }

    /// How many frames later the second has what the first has: where they correlate best.
    package static func lag(of late: [Float], behind early: [Float]) -> Int {
        var length = 2
        while length < early.count + late.count { length *= 2 }
        let transform = RealTransform(length: length)
        let first = Lines(transform.lines(of: early + [Float](repeating: 0, count: length - early.count)))
        var second = Lines(transform.lines(of: late + [Float](repeating: 0, count: length - late.count)))
        second.multiply(byConjugateOf: first)
        let correlation = transform.block(of: second.values)
        return (0..<length / 2).max { abs(correlation[$0]) < abs(correlation[$1]) } ?? 0
    }
}

/// A resonance of second order.
private struct Resonator {
    private let a: Double
    private let b: Double
    private let gain: Double
    private var last = (0.0, 0.0)

    init(hertz: Double, width: Double, sampleRate: Double) {
        let radius = exp(-.pi * width / sampleRate)
        a = 2 * radius * cos(2 * .pi * hertz / sampleRate)
        b = -radius * radius
        gain = 1 - radius
    }

    mutating func process(_ input: Double) -> Double {
        let output = gain * input + a * last.0 + b * last.1
        last = (output, last.0)
        return output
    }
}
