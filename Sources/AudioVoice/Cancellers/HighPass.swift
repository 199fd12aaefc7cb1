import Glibc

/// Takes away what lies below the voice: a Butterworth filter of second order at 80 Hz, for a library that has none.
struct HighPass {
    private let gain: Double
    private let feedback: (Double, Double)
    private var last: (Double, Double) = (0, 0)

    /// By the bilinear transform.
    ///
    /// - Parameter sampleRate: in hertz.
    init(sampleRate: Int) {
        let k = tan(.pi * 80 / Double(sampleRate))
        let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
        gain = norm
        feedback = (2 * (k * k - 1) * norm, (1 - 2.0.squareRoot() * k + k * k) * norm)
    }

    mutating func process(_ sample: Float) -> Float {
        let now = Double(sample) - feedback.0 * last.0 - feedback.1 * last.1
        let output = gain * (now - 2 * last.0 + last.1)
        last = (now, last.0)
        return Float(output)
    }

    mutating func clear() { last = (0, 0) }
}
