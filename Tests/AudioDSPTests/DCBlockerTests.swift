import AudioDSP
import Glibc
import TestSupport
import Testing

@Suite("The blocker of DC behind the asymmetric curve")
struct DCBlockerTests {
    /// What becomes of the amplitude of a sine so small that the curve is straight, once the start is forgotten.
    private func gain(atHertz frequency: Double, sampleRate: Int) -> Double {
        let step = 2 * Double.pi * frequency / Double(sampleRate)
        let settling = sampleRate / 2
        // Whole turns: a tenth of a second of any multiple of 10 Hz.
        let measured = sampleRate / 10
        let input = (0..<(settling + measured)).map { Float(0.001 * sin(step * Double($0))) }
        var shaper = AntialiasedShaper(channels: 1)
        shaper.setSampleRate(sampleRate)
        let output = processed(input) {
            shaper.process($0, channel: 0, setting: 0, Shaping(.asymmetric), gain: Ramp(1))
        }
        var cosine = 0.0
        var sine = 0.0
        for frame in settling..<(settling + measured) {
            cosine += Double(output[frame]) * cos(step * Double(frame))
            sine += Double(output[frame]) * sin(step * Double(frame))
        }
        return hypot(cosine, sine) * 2 / Double(measured) / 0.001
    }

    @Test(arguments: [8000, 44_100, 48_000, 192_000])
    func `has its corner at 10 Hz, whatever the sample rate`(_ sampleRate: Int) {
        let straight = gain(atHertz: 1000, sampleRate: sampleRate)
        let corner = Decibels.decibels(gain(atHertz: 10, sampleRate: sampleRate) / straight)
        #expect(abs(corner + 3.01) <= 0.05, "\(corner) dB")
        let above = Decibels.decibels(gain(atHertz: 100, sampleRate: sampleRate) / straight)
        #expect(abs(above + 0.043) <= 0.02, "\(above) dB")
    }

    @Test("takes a constant away within a tenth of a second")
    func constantsGo() {
        let constant = shaped([Float](repeating: 0.7, count: 9600), Shaping(.asymmetric))
        #expect(abs(constant[0]) > 0.1)
        #expect(abs(constant[4800]) < abs(constant[0]) * 0.003)
        #expect(abs(constant[9599]) < 1e-5)
    }

    @Test("lets even harmonics through, which the odd curves have none of")
    func evenHarmonics() {
        let meter = AliasMeter(frequency: 500)
        let sine = meter.sine(gain: 0.5)
        // What is the same half a period later is even harmonics. 93 turns in 8192 frames do not halve evenly, so that
        // what is looked at is the mean of the samples' cubes: 0 for a wave that is its own mirror image.
        func skew(_ shape: Shape) -> Double {
            let output = shaped(sine, Shaping(shape, .best)).suffix(AliasMeter.frames).map(Double.init)
            let power = output.reduce(0) { $0 + $1 * $1 } / Double(output.count)
            return output.reduce(0) { $0 + $1 * $1 * $1 } / Double(output.count) / (power * power.squareRoot())
        }
        #expect(abs(skew(.asymmetric)) > 0.1)
        #expect(abs(skew(.cubic)) < 1e-3)
    }
}
