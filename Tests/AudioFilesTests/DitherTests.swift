import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("Dither") struct DitherTests {
    /// What 16 bits of a signal differ from it, in LSB.
    private func error(
        _ dither: Dither, _ signal: [Double], sampleRate: Int = 48_000, seed: UInt64 = 1
    ) throws -> [Double] {
        let from = StreamFormat(sampleRate: sampleRate, channels: 1, sampleFormat: .float64)
        let to = StreamFormat(sampleRate: sampleRate, channels: 1, sampleFormat: .int16)
        var converter = try StreamConverter(from: from, to: to, .init(dither: dither, ditherSeed: seed))
        var made: [Int16] = []
        converter.push(PCMBuffer(from, signal.map { $0 / 32_768 })) { made += $0.samples(of: Int16.self) }
        #expect(made.count == signal.count && converter.clippedSamples == 0)
        return zip(made, signal).map { Double($0) - $1 }
    }

    private static func signal(_ index: Int, frames: Int) -> [Double] { (0..<frames).map(signals[index]) }

    /// In LSB: levels between two steps, and sines smaller and larger than one.
    private static let signals: [@Sendable (Int) -> Double] = [
        { _ in 0 }, { _ in 0.25 }, { _ in 0.5 }, { _ in -17.37 }, { 0.4 * sin(0.0717 * Double($0)) },
        { 1000 * sin(0.0717 * Double($0)) },
    ]

    @Test(arguments: signals.indices)
    func `of triangular noise has mean 0 and power q²/4, whatever the signal`(index: Int) throws {
        let signal = Self.signal(index, frames: 400_000)
        let error = try error(.triangular, signal)
        // The total error of TPDF: q²/12 of rounding and twice as much of noise. Its standard deviation is 1/2; that of the
        // mean is 1/2 / √n = 0.0008, and that of the power about 0.0005.
        #expect(abs(error.mean) < 5 * 0.0008)
        #expect(abs(error.power - 3.0 / 12) < 5 * 0.0005)
        #expect(error.allSatisfy { abs($0) <= 1.5 })
        // White, within 5 / √n.
        for lag in [1, 2, 7] { #expect(abs(error.correlation(with: error, lag: lag)) < 5 * 0.0016) }
        // And nothing of the signal is in it.
        if index > 3 { #expect(abs(error.correlation(with: signal)) < 5 * 0.0016) }
    }

    @Test func `is what keeps the error apart from the signal`() throws {
        // Without it a small sine comes out as silence, and the error is the sine.
        let signal = Self.signal(4, frames: 20_000)
        #expect(try error(.none, signal).correlation(with: signal) < -0.99)
    }

    @Test(arguments: [(48_000, true), (44_100, true), (96_000, false), (8000, false)])
    func `that is shaped has the spectrum of its filter`(rate: (Int, Bool)) throws {
        let error = try error(.noiseShaped, Self.signal(5, frames: 200_000), sampleRate: rate.0)
        let taps = rate.1 ? [1, -2.033, 2.165, -1.959, 1.590, -0.6149] : [1, -1]
        // The power of a filter on white noise is the sum of its squares.
        let gain = taps.reduce(0) { $0 + $1 * $1 }
        #expect(abs(error.power / (0.25 * gain) - 1) < 0.02)
        #expect(abs(10 * log10(gain) - (rate.1 ? 12.2 : 3)) < 0.1)
        for frequency in [0.02, 0.08, 0.2, 0.35, 0.45] {
            let turn = 2 * Double.pi * frequency
            let real = taps.enumerated().reduce(0) { $0 + $1.element * cos(turn * Double($1.offset)) }
            let imaginary = taps.enumerated().reduce(0) { $0 + $1.element * sin(turn * Double($1.offset)) }
            let wanted = 0.25 * (real * real + imaginary * imaginary)
            let measured = error.density(at: frequency, length: 2000)
            // 297 periodograms: 1/√297 is 6 %.
            #expect(abs(measured / wanted - 1) < 0.35, "at \(frequency): \(measured), \(wanted) expected")
        }
    }

    @Test func `is the same for the same seed, and another for another`() throws {
        let signal = Self.signal(1, frames: 20_000)
        let first = try error(.triangular, signal)
        #expect(try error(.triangular, signal) == first)
        let other = try error(.triangular, signal, seed: 2)
        #expect(abs(other.correlation(with: first)) < 0.35 && other != first)
    }

    @Test func `stays within bounds where the signal clips`() throws {
        let from = StreamFormat(sampleRate: 48_000, channels: 2, sampleFormat: .float32)
        let to = StreamFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int16)
        var converter = try StreamConverter(from: from, to: to, .init(dither: .noiseShaped))
        var made: [Int16] = []
        let loud = [Float](repeating: 4, count: 20_000)
        converter.push(PCMBuffer(from, loud)) { made += $0.samples(of: Int16.self) }
        converter.push(PCMBuffer(from, [Float](repeating: 0, count: 2000))) { made += $0.samples(of: Int16.self) }
        #expect(converter.clippedSamples == 20_000)
        #expect(made.prefix(20_000).allSatisfy { $0 == 32_767 })
        // The sum of the filter's magnitudes times 1.5 LSB.
        #expect(made.suffix(2000).allSatisfy { abs($0) <= 15 })
    }
}
