import Glibc

/// A sine of so many turns in a power of two of frames, and how much of what is made of it is harmonics.
///
/// The turns are odd: their multiples fall on different frequencies of the spectrum, so that no alias hides behind a
/// harmonic. All is periodic, so that no window is needed.
package struct AliasMeter {
    package static let frames = 8192
    /// Before the period that is measured.
    package static let settlingFrames = 1024
    private static let sampleRate = 44_100.0
    private static let highest = 20_000.0

    private let turns: Int

    /// - Parameter frequency: in Hz of 44.1 kHz, to be met within 5.4 Hz.
    package init(frequency: Double) {
        turns = 2 * Int(((frequency * Double(Self.frames) / Self.sampleRate - 1) / 2).rounded()) + 1
    }

    package func sine(gain: Double) -> [Float] {
        (-Self.settlingFrames..<Self.frames).map { frame in
            Float(gain * sin(2 * .pi * Double(turns * frame) / Double(Self.frames)))
        }
    }

    /// Decibels from the harmonics up to 20 kHz to everything else up to there, DC left out.
    ///
    /// - Parameter output: what became of the sine.
    package func purity(of output: [Float]) -> Double {
        var real = output.suffix(Self.frames).map(Double.init)
        var imaginary = [Double](repeating: 0, count: Self.frames)
        transform(&real, &imaginary)
        var harmonics = 0.0
        var others = 0.0
        for bin in 1...Int(Self.highest / Self.sampleRate * Double(Self.frames)) {
            let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
            if bin % turns == 0 { harmonics += power } else { others += power }
        }
        return 10 * log10(harmonics / others)
    }

    /// The discrete Fourier transform, in place (Cooley and Tukey, 1965): the order reversed bit by bit, then halves of
    /// growing length put together.
    private func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        let count = real.count
        var reversed = 0
        for index in 1..<count {
            var bit = count / 2
            while reversed & bit != 0 {
                reversed ^= bit
                bit /= 2
            }
            reversed |= bit
            if index < reversed { real.swapAt(index, reversed) }
        }
        var length = 2
        while length <= count {
            for step in 0..<(length / 2) {
                let angle = -2 * .pi * Double(step) / Double(length)
                let cosine = cos(angle)
                let sine = sin(angle)
                for low in stride(from: step, to: count, by: length) {
                    let high = low + length / 2
                    let turnedReal = real[high] * cosine - imaginary[high] * sine
                    let turnedImaginary = real[high] * sine + imaginary[high] * cosine
                    real[high] = real[low] - turnedReal
                    imaginary[high] = imaginary[low] - turnedImaginary
                    real[low] += turnedReal
                    imaginary[low] += turnedImaginary
                }
            }
            length *= 2
        }
    }
}
