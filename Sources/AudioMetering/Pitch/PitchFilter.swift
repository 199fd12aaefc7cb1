import Glibc

/// Takes away what lies far above any pitch, and leaves out samples that then tell nothing more.
///
/// The tops of a sound's likeness to itself are as narrow as its highest partial. Partials near half of the sample rate have tops
/// that lie between two samples, and a multiple of the period that happens to fall onto one looked more alike than the period.
///
/// A sine cardinal under Blackman's window (F. J. Harris, "On the Use of Windows for Harmonic Analysis with the Discrete Fourier
/// Transform", 1978): −6 dB at three tenths of the rate that is left, −74 dB at its half.
struct PitchFilter {
    /// Frames of which one is left.
    let stride: Int
    private let taps: [Double]
    /// The newest stands before `next`.
    private var recent: [Double]
    private var next = 0
    /// Frames until one is left: at first as many as there are taps, or silence that nobody played would be in the sound.
    private var missing: Int

    private static let tapsPerFrame = 24
    /// Of the rate that is left.
    private static let cutoff = 0.3

    init(stride: Int) {
        self.stride = stride
        let count = Self.tapsPerFrame * stride
        let taps = (0..<count).map { index in
            // Between two taps, as the count is even: never 0.
            let place = Double(index) - Double(count - 1) / 2
            let turn = 2 * Double.pi * place / Double(count)
            let window = 0.42 + 0.5 * cos(turn) + 0.08 * cos(2 * turn)
            return sin(2 * .pi * Self.cutoff / Double(stride) * place) / place * window
        }
        let sum = taps.reduce(0, +)
        self.taps = taps.map { $0 / sum }
        recent = Array(repeating: 0, count: count)
        missing = count
    }

    /// - Returns: after each `stride` frames a sample of the rate that is left.
    mutating func add(_ sample: Double) -> Float? {
        recent[next] = sample
        next = next + 1 == recent.count ? 0 : next + 1
        missing -= 1
        guard missing == 0 else { return nil }
        missing = stride
        var sum = 0.0
        let older = recent.count - next
        for index in 0..<older { sum += taps[index] * recent[next + index] }
        for index in older..<recent.count { sum += taps[index] * recent[index - older] }
        return Float(max(-Double(Float.greatestFiniteMagnitude), min(Double(Float.greatestFiniteMagnitude), sum)))
    }
}
