import Glibc
import TestSupport
import Testing

/// What the figures of the shaper are measured with.
@Suite("A meter of aliases")
struct AliasMeterTests {
    /// A sine, its third harmonic of half the height, and a tone of so many decibels that is no harmonic.
    private func signal(_ sine: [Float], toneTurns: Int, toneDecibels: Double) -> [Float] {
        let height = pow(10, toneDecibels / 20)
        return sine.enumerated().map { index, sample in
            let x = Double(sample)
            // sin 3a = 3 sin a − 4 sin³ a.
            let harmonic = 3 * x - 4 * x * x * x
            let angle = 2 * Double.pi * Double(toneTurns * index) / Double(AliasMeter.frames)
            return Float(x + 0.5 * harmonic + height * cos(angle))
        }
    }

    @Test(arguments: [-20.0, -60, -90])
    func `finds the aliases that were put into a signal, to 0.05 dB`(_ decibels: Double) {
        let meter = AliasMeter(frequency: 1244.5)
        let purity = meter.purity(of: signal(meter.sine(gain: 1), toneTurns: 1000, toneDecibels: decibels))
        #expect(abs(purity - (10 * log10(1.25) - decibels)) <= 0.05, "\(purity)")
    }

    @Test func `does not count what lies beyond 20 kHz, nor a constant`() {
        let meter = AliasMeter(frequency: 1244.5)
        // Of 8192 frames at 44.1 kHz, 3750 turns are 20.2 kHz, and none is a constant.
        for turns in [3750, 0] {
            let purity = meter.purity(of: signal(meter.sine(gain: 1), toneTurns: turns, toneDecibels: -20))
            #expect(purity > 110, "\(purity)")
        }
    }

    @Test func `takes a sine alone for pure`() {
        for frequency in [1244.5, 5000] {
            let meter = AliasMeter(frequency: frequency)
            #expect(meter.purity(of: meter.sine(gain: 10)) > 120)
        }
    }
}
