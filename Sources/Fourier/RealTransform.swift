import CKissFFT

/// One line of a spectrum.
package typealias SpectrumLine = kiss_fft_cpx

/// The discrete Fourier transform of real blocks of one length, in single precision.
///
/// Thread: one at a time; it has memory of its own for what is in between.
package final class RealTransform {
    /// In samples, a power of two.
    package let length: Int
    private let forward: KissPlan
    /// Made for the first block: who only looks at spectra needs none.
    private lazy var backward = KissPlan(length: length, isBackward: true)

    /// - Parameter length: a power of two, 2 or more.
    package init(length: Int) {
        precondition(length >= 2 && length & (length - 1) == 0)
        self.length = length
        forward = KissPlan(length: length, isBackward: false)
    }

    /// The lines 0 to length / 2 of a block's spectrum.
    package func lines(of block: [Float]) -> [SpectrumLine] {
        precondition(block.count == length)
        var lines = [SpectrumLine](repeating: SpectrumLine(), count: length / 2 + 1)
        // SAFETY: both arrays have the lengths that the function's description asks for.
        unsafe kiss_fftr(forward.state, block, &lines)
        return lines
    }

    /// The block whose spectrum this is, times its length.
    package func block(of lines: [SpectrumLine]) -> [Float] {
        precondition(lines.count == length / 2 + 1)
        var block = [Float](repeating: 0, count: length)
        // SAFETY: as above.
        unsafe kiss_fftri(backward.state, lines, &block)
        return block
    }
}

/// What KISS FFT knows of a length and a direction.
@safe private final class KissPlan {
    let state: OpaquePointer

    init(length: Int, isBackward: Bool) {
        // It gives none for an odd length, or where there is no memory: nothing could go on then.
        guard let state = unsafe kiss_fftr_alloc(CInt(length), isBackward ? 1 : 0, nil, nil) else {
            preconditionFailure("there is no memory for a transform of \(length) samples")
        }
        unsafe self.state = state
    }

    deinit {
        // SAFETY: allocated above in one piece, and nobody else frees it.
        unsafe free(UnsafeMutableRawPointer(state))
    }
}
