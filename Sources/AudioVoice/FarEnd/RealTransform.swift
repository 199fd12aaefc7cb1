import CKissFFT

/// The discrete Fourier transform of real blocks of one length. AudioMeasurement has such a one too, but with it would come all
/// that measures. Thread: one at a time.
@safe package final class RealTransform {
    /// In samples, a power of two.
    package let length: Int
    private let forward: OpaquePointer
    private let backward: OpaquePointer

    /// - Parameter length: a power of two, 2 or more.
    package init(length: Int) {
        precondition(length >= 2 && length & (length - 1) == 0)
        guard let forward = unsafe kiss_fftr_alloc(CInt(length), 0, nil, nil),
            let backward = unsafe kiss_fftr_alloc(CInt(length), 1, nil, nil)
        else { preconditionFailure("there is no memory for a transform of \(length) samples") }
        self.length = length
        unsafe self.forward = forward
        unsafe self.backward = backward
    }

    deinit {
        // SAFETY: allocated above in one piece each, and nobody else frees them.
        unsafe free(UnsafeMutableRawPointer(forward))
        unsafe free(UnsafeMutableRawPointer(backward))
    }

    /// The lines 0 to length / 2 of a block.
    package func lines(of block: [Float]) -> [kiss_fft_cpx] {
        precondition(block.count == length)
        var lines = [kiss_fft_cpx](repeating: kiss_fft_cpx(), count: length / 2 + 1)
        // SAFETY: both arrays are as long as the function wants.
        unsafe kiss_fftr(forward, block, &lines)
        return lines
    }

    /// The block of a spectrum, times its length.
    package func block(of lines: [kiss_fft_cpx]) -> [Float] {
        precondition(lines.count == length / 2 + 1)
        var block = [Float](repeating: 0, count: length)
        // SAFETY: as above.
        unsafe kiss_fftri(backward, lines, &block)
        return block
    }
}

/// What is known of two signals together, averaged over time: their cross spectrum and the power of each.
struct CrossSpectrum {
    var cross: [kiss_fft_cpx]
    var far: [Float]
    var near: [Float]

    init(lines: Int) {
        cross = [kiss_fft_cpx](repeating: kiss_fft_cpx(), count: lines)
        far = [Float](repeating: 0, count: lines)
        near = far
    }

    /// Adds a pair of spectra, and forgets so much of what was there: 0, all, to 1, nothing.
    mutating func add(far x: [kiss_fft_cpx], near y: [kiss_fft_cpx], keeping memory: Float) {
        for line in cross.indices {
            let (a, b) = (x[line], y[line])
            cross[line].r = memory * cross[line].r + (b.r * a.r + b.i * a.i)
            cross[line].i = memory * cross[line].i + (b.i * a.r - b.r * a.i)
            far[line] = memory * far[line] + (a.r * a.r + a.i * a.i)
            near[line] = memory * near[line] + (b.r * b.r + b.i * b.i)
        }
    }

    /// The cross spectrum in relation to the powers: near 1 where one signal is what the other makes of it.
    func coherence(_ line: Int) -> kiss_fft_cpx {
        let scale = 1 / (far[line] * near[line] + .leastNormalMagnitude).squareRoot()
        return kiss_fft_cpx(r: cross[line].r * scale, i: cross[line].i * scale)
    }
}
