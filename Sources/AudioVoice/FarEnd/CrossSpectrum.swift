import Fourier

/// What is known of two signals together, averaged over time: their cross spectrum and the power of each.
struct CrossSpectrum {
    var cross: [SpectrumLine]
    var far: [Float]
    var near: [Float]

    init(lines: Int) {
        cross = [SpectrumLine](repeating: SpectrumLine(), count: lines)
        far = [Float](repeating: 0, count: lines)
        near = far
    }

    /// Adds a pair of spectra, and forgets so much of what was there: 0, all, to 1, nothing.
    mutating func add(far x: [SpectrumLine], near y: [SpectrumLine], keeping memory: Float) {
        for line in cross.indices {
            let (a, b) = (x[line], y[line])
            cross[line].r = memory * cross[line].r + (b.r * a.r + b.i * a.i)
            cross[line].i = memory * cross[line].i + (b.i * a.r - b.r * a.i)
            far[line] = memory * far[line] + (a.r * a.r + a.i * a.i)
            near[line] = memory * near[line] + (b.r * b.r + b.i * b.i)
        }
    }

    /// The cross spectrum in relation to the powers: near 1 where one signal is what the other makes of it.
    func coherence(_ line: Int) -> SpectrumLine {
        let scale = 1 / (far[line] * near[line] + .leastNormalMagnitude).squareRoot()
        return SpectrumLine(r: cross[line].r * scale, i: cross[line].i * scale)
    }
}
