import CKissFFT

/// One line of a spectrum.
package typealias SpectrumLine = kiss_fft_cpx

/// The discrete Fourier transform of a block of a fixed length, in single precision.
///
/// Thread: one at a time; it has memory of its own for what is in between.
@safe package final class Spectrum {
    /// In frames, a power of two.
    package let length: Int
    private let forward: OpaquePointer
    private let backward: OpaquePointer

    /// - Parameter length: a power of two, 2 or more.
    package init(length: Int) {
        precondition(length >= 2 && length & (length - 1) == 0)
        // It gives none for an odd length, or where there is no memory.
        guard let forward = unsafe kiss_fftr_alloc(CInt(length), 0, nil, nil),
            let backward = unsafe kiss_fftr_alloc(CInt(length), 1, nil, nil)
        else { preconditionFailure("there is no memory for a transform of \(length) frames") }
        self.length = length
        unsafe self.forward = forward
        unsafe self.backward = backward
    }

    deinit {
        // SAFETY: allocated above in one piece each, and nobody else frees them.
        unsafe free(UnsafeMutableRawPointer(forward))
        unsafe free(UnsafeMutableRawPointer(backward))
    }

    /// The lines 0 to length / 2 of a block's spectrum.
    package func lines(of block: [Float]) -> [SpectrumLine] {
        precondition(block.count == length)
        var lines = [SpectrumLine](repeating: SpectrumLine(), count: length / 2 + 1)
        // SAFETY: both arrays have the lengths that the function's description asks for.
        unsafe kiss_fftr(forward, block, &lines)
        return lines
    }

    /// The block whose spectrum this is, times its length.
    package func block(of lines: [SpectrumLine]) -> [Float] {
        precondition(lines.count == length / 2 + 1)
        var block = [Float](repeating: 0, count: length)
        // SAFETY: as above.
        unsafe kiss_fftri(backward, lines, &block)
        return block
    }
}
