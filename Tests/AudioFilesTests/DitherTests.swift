import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("Dither") struct DitherTests {
    private static let frames = 400_000

    /// What 16 bits of a signal differ from it, in LSB.
    private func error(
        _ dither: Dither, _ signal: (Int) -> Double, sampleRate: Int = 48_000, seed: UInt64 = 1
    ) throws -> [Double] {
        let from = StreamFormat(sampleRate: sampleRate, channels: 1, sampleFormat: .float64)
        let to = StreamFormat(sampleRate: sampleRate, channels: 1, sampleFormat: .int16)
        var converter = try StreamConverter(from: from, to: to, .init(dither: dither, ditherSeed: seed))
        let source = (0..<Self.frames).map(signal)
        var made: [Int16] = []
        converter.push(PCMBuffer(from, source.map { $0 / 32_768 })) { made += $0.samples(of: Int16.self) }
        #expect(made.count == source.count && converter.clippedSamples == 0)
        return zip(made, source).map { Double($0) - $1 }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    private func power(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } / Double(values.count) }
    private func correlation(_ left: [Double], _ right: [Double]) -> Double {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
            / (Double(left.count) * (power(left) * power(right)).squareRoot())
    }

    /// In LSB: levels between two steps, and sines smaller and larger than one.
    private static let signals: [@Sendable (Int) -> Double] = [
        { _ in 0 }, { _ in 0.25 }, { _ in 0.5 }, { _ in -17.37 }, { 0.4 * sin(0.0717 * Double($0)) },
        { 1000 * sin(0.0717 * Double($0)) },
    ]

    @Test(arguments: signals.indices)
    func `of triangular noise has mean 0 and power q²/4, whatever the signal`(index: Int) throws {
        let error = try error(.triangular, Self.signals[index])
        // The total error of TPDF: q²/12 of rounding and twice as much of noise. Its standard deviation is 1/2; that of the
        // mean is 1/2 / √n = 0.0008, and that of the power about 0.0005.
        #expect(abs(mean(error)) < 5 * 0.0008)
        #expect(abs(power(error) - 3.0 / 12) < 5 * 0.0005)
        #expect(error.allSatisfy { abs($0) <= 1.5 })
        // White, within 5 / √n.
        for lag in [1, 2, 7] {
            #expect(abs(correlation(Array(error.dropLast(lag)), Array(error.dropFirst(lag)))) < 5 * 0.0016)
        }
        // And nothing of the signal is in it.
        let signal = (0..<Self.frames).map(Self.signals[index])
        if index > 3 { #expect(abs(correlation(error, signal)) < 5 * 0.0016) }
    }

    @Test func `is what keeps the error apart from the signal`() throws {
        // Without it a small sine comes out as silence, and the error is the sine.
        let bare = try error(.none, Self.signals[4])
        #expect(correlation(bare, (0..<Self.frames).map(Self.signals[4])) < -0.99)
    }

    /// The power of the error in a band of 1/24 of the rate around a frequency, in LSB² over the whole rate: a mean of
    /// periodograms.
    private func density(_ error: [Double], _ frequency: Double) -> Double {
        let length = 2000
        var sum = 0.0
        var count = 0
        for start in stride(from: 0, to: min(error.count, 200_000) - length, by: length) {
            for bin in 0..<3 {
                let turn = 2 * Double.pi * (frequency + Double(bin) / Double(length))
                var (real, imaginary) = (0.0, 0.0)
                for index in 0..<length {
                    // Hann's window, or the filter's peaks leak into its valleys.
                    let windowed = error[start + index] * (1 - cos(2 * Double.pi * Double(index) / Double(length)))
                    real += windowed * cos(turn * Double(index))
                    imaginary += windowed * sin(turn * Double(index))
                }
                sum += (real * real + imaginary * imaginary) / (1.5 * Double(length))
                count += 1
            }
        }
        return sum / Double(count)
    }

    @Test(arguments: [(48_000, true), (44_100, true), (96_000, false), (8000, false)])
    func `that is shaped has the spectrum of its filter`(rate: (Int, Bool)) throws {
        let error = try error(.noiseShaped, Self.signals[5], sampleRate: rate.0)
        let taps = rate.1 ? [1, -2.033, 2.165, -1.959, 1.590, -0.6149] : [1, -1]
        // The power of a filter on white noise is the sum of its squares.
        let gain = taps.reduce(0) { $0 + $1 * $1 }
        #expect(abs(power(error) / (0.25 * gain) - 1) < 0.02)
        #expect(abs(10 * log10(gain) - (rate.1 ? 12.2 : 3)) < 0.1)
        for frequency in [0.02, 0.08, 0.2, 0.35, 0.45] {
            let turn = 2 * Double.pi * frequency
            let real = taps.enumerated().reduce(0) { $0 + $1.element * cos(turn * Double($1.offset)) }
            let imaginary = taps.enumerated().reduce(0) { $0 + $1.element * sin(turn * Double($1.offset)) }
            let wanted = 0.25 * (real * real + imaginary * imaginary)
            let measured = density(error, frequency)
            // 297 periodograms: 1/√297 is 6 %.
            #expect(abs(measured / wanted - 1) < 0.35, "at \(frequency): \(measured), \(wanted) expected")
        }
    }

    @Test func `is the same for the same seed, and another for another`() throws {
        let first = try error(.triangular, Self.signals[1])
        #expect(try error(.triangular, Self.signals[1]) == first)
        #expect(abs(correlation(try error(.triangular, Self.signals[1], seed: 2), first)) < 0.35)
        #expect(try error(.triangular, Self.signals[1], seed: 2) != first)
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
