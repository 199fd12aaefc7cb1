import Fourier
import Glibc

/// The delay at which a whitened spectrum fits the probe signal best, and how well it does.
///
/// In white noise the best delay is where the correlation is greatest (Knapp and Carter, "The generalized correlation
/// method for estimation of time delay", IEEE Trans. ASSP 24, 1976): there C(τ) = ± Σ Re(Uₖ exp(i ωₖ τ)) has no slope.
/// Newton's method finds it, which is the same as a straight line through the origin, fitted to the phases with their
/// strength as weight.
struct DelayFit {
    private(set) var frames: Double
    /// Of the correlation there.
    let isInverted: Bool
    /// The correlation's height.
    private(set) var strength = 0.0
    /// In at least 99 of 100 cases the delay is off by less.
    private(set) var errorFrames = 0.0
    /// Power of what the signal accounts for, its strength and phase being free in each of the parts of the band.
    private(set) var signalPower = 0.0
    /// Power of all else in the band.
    private(set) var noisePower = 0.0

    private let length: Int

    /// - Parameters:
    ///   - lines: of the band, the signal's own phases undone.
    ///   - frames: of a whole frame near the greatest correlation.
    init(_ lines: [SpectrumLine], band: Range<Int>, length: Int, near frames: Int, isInverted: Bool) {
        self.length = length
        self.isInverted = isInverted
        self.frames = Double(frames)
        climb(lines, band)
        judge(lines, band)
        // The clock has no beginning: a way of no length may come out as a hair less than a whole round.
        if self.frames >= Double(length) - 1 { self.frames -= Double(length) }
    }

    /// Finds the top by Newton's method: at most a quarter of a frame at a time, because further away there may be
    /// another one.
    private mutating func climb(_ lines: [SpectrumLine], _ band: Range<Int>) {
        for _ in 0..<32 {
            var slope = 0.0
            var curvature = 0.0
            strength = 0
            turn(lines, band) { _, frequency, real, imaginary in
                strength += real
                slope += frequency * imaginary
                curvature += frequency * frequency * real
            }
            let step = curvature > 0 ? slope / curvature : (slope > 0 ? 0.25 : -0.25)
            frames -= min(max(step, -0.25), 0.25)
            if abs(step) < 1e-9 { break }
        }
    }

    /// One part of the band, which gives a delay of its own.
    private struct Part {
        var real = 0.0
        var imaginary = 0.0
        var power = 0.0
        /// Σ ω Im
        var slope = 0.0
        /// Σ ω² Re
        var curvature = 0.0
        /// Σ (ω Im)²
        var scatter = 0.0
        var lines = 0.0

        /// How far this part's delay is from that of all.
        var deviation: Double { slope / curvature }
        /// The variance that noise gives that deviation.
        var variance: Double { max(0, scatter - slope * slope / lines) / (curvature * curvature) }
        /// Whether the part holds enough of the signal to have a delay: its phase is known to a third of a radian.
        var hasDelay: Bool { curvature > 0 && variance * curvature < 0.1 * real }
    }

    private static let parts = 32

    /// Standard errors in the error bar. By Student's distribution 2.75 would do for 99 of 100 with so many parts, but
    /// found from parts a standard error comes out a little small: with 3 the bar held in 5947 of 6000 trials in noise.
    private static let standardErrors = 3.5

    /// The error bar: standard errors, found from how much the parts of the band differ and not from how much
    /// single lines do, so that it holds where neighbouring lines err alike (Liang and Zeger, Biometrika 73, 1986).
    /// Where the parts differ by more than noise makes them (Cochran's Q, Biometrics 10, 1954), the way delays
    /// frequencies differently and has no single delay: the root mean square of that difference is added.
    private mutating func judge(_ lines: [SpectrumLine], _ band: Range<Int>) {
        var parts = [Part](repeating: Part(), count: Self.parts)
        turn(lines, band) { index, frequency, real, imaginary in
            let part = index * Self.parts / lines.count
            parts[part].real += real
            parts[part].imaginary += imaginary
            parts[part].power += real * real + imaginary * imaginary
            parts[part].slope += frequency * imaginary
            parts[part].curvature += frequency * frequency * real
            parts[part].scatter += frequency * frequency * imaginary * imaginary
            parts[part].lines += 1
        }
        for part in parts {
            let signal = (part.real * part.real + part.imaginary * part.imaginary) / part.lines
            signalPower += signal
            noisePower += max(0, part.power - signal) * part.lines / (part.lines - 1)
        }
        let count = Double(Self.parts)
        let curvature = parts.reduce(0) { $0 + $1.curvature }
        let slopes = parts.reduce(0) { $0 + $1.slope * $1.slope }
        let standardError = (slopes * count / (count - 1)).squareRoot() / max(curvature, .leastNormalMagnitude)
        errorFrames = max(Self.standardErrors * standardError + dispersion(parts), 1e-5)
    }

    /// How far apart the delays of the parts are, beyond what noise explains; in frames.
    private func dispersion(_ parts: [Part]) -> Double {
        let parts = parts.filter(\.hasDelay)
        guard parts.count > 1 else { return 0 }
        let ratio = parts.reduce(0) { sum, part in
            sum + part.deviation * part.deviation / max(part.variance, .leastNormalMagnitude)
        }
        let count = Double(parts.count)
        guard ratio > count + 3 * (2 * count).squareRoot() else { return 0 }
        let excess = parts.reduce(0) { $0 + $1.curvature * ($1.deviation * $1.deviation - $1.variance) }
        return max(0, excess / parts.reduce(0) { $0 + $1.curvature }).squareRoot()
    }

    /// Hands over each line as it is with the delay undone: its number in the band, its angular frequency in radians a
    /// frame, and its value, turned over if the signal is upside down.
    private func turn(
        _ lines: [SpectrumLine], _ band: Range<Int>, _ body: (Int, Double, Double, Double) -> Void
    ) {
        let step = 2 * Double.pi / Double(length)
        // A phasor that is turned on from line to line: a multiplication in place of two functions. It stays within
        // 1e-10 for two million lines.
        let first = step * Double(band.lowerBound) * frames
        var cosine = cos(first) * (isInverted ? -1 : 1)
        var sine = sin(first) * (isInverted ? -1 : 1)
        let (turnCosine, turnSine) = (cos(step * frames), sin(step * frames))
        for (index, line) in lines.enumerated() {
            let (real, imaginary) = (Double(line.r), Double(line.i))
            body(
                index, step * Double(band.lowerBound + index), real * cosine - imaginary * sine,
                real * sine + imaginary * cosine)
            (cosine, sine) = (cosine * turnCosine - sine * turnSine, cosine * turnSine + sine * turnCosine)
        }
    }
}
