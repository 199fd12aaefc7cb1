import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("A converted stream") struct ExactnessTests {
    private static let rates = [(48_000, 16_000), (44_100, 48_000), (48_000, 44_100), (96_000, 48_000), (8000, 44_101)]

    @Test(arguments: rates, ResamplingQuality.allCases)
    func `is the same to the bit in any cutting`(rates: (Int, Int), quality: ResamplingQuality) throws {
        var generator = SeededGenerator(seed: 1)
        let samples = generator.signal(count: 2 * 9001)
        var conversion = Conversion(rates.0, rates.1, channels: 2, .init(quality: quality))
        let whole = try conversion(samples)
        #expect(whole.count == 2 * (try conversion.converter().outputFrames(of: 9001)))
        for _ in 0..<4 {
            conversion.pieces = generator.split(9001) + [1]
            conversion.requests = generator.split(9001) + [1]
            #expect(firstDifference(try conversion(samples), whole) == nil)
            var converter = try conversion.converter()
            #expect(firstDifference(conversion.push(samples, through: &converter), whole) == nil)
            // And once more, with the same one.
            converter.reset()
            #expect(converter.takenFrames == 0 && converter.madeFrames == 0)
            #expect(firstDifference(conversion.push(samples, through: &converter), whole) == nil)
        }
    }

    @Test func `is the same in any cutting when it is mixed and dithered too`() throws {
        var generator = SeededGenerator(seed: 2)
        let samples = generator.signal(count: 6 * 5003, magnitude: 1.5)
        for (channels, dither) in [(2, Dither.triangular), (2, .noiseShaped), (8, .noiseShaped), (6, .none)] {
            for rate in [48_000, 44_100] {
                var conversion = Conversion(
                    48_000, rate, channels: 6, to: channels, .init(quality: .fast, dither: dither))
                conversion.output.sampleFormat = .int16
                conversion.output.layout = .planar
                var converter = try conversion.converter()
                let whole: [Int16] = try pull(conversion, samples, &converter)
                let clipped = converter.clippedSamples
                #expect(clipped > 0)
                conversion.pieces = generator.split(5003)
                conversion.requests = generator.split(5003) + [1]
                for _ in 0..<2 {
                    converter.reset()
                    #expect(converter.clippedSamples == 0)
                    let again: [Int16] = try pull(conversion, samples, &converter)
                    #expect(again == whole && converter.clippedSamples == clipped)
                }
            }
        }
    }

    private func pull(
        _ conversion: Conversion, _ samples: [Float], _ converter: inout StreamConverter
    ) throws -> [Int16] { try conversion.pull(samples, through: &converter, of: Int16.self) }

    @Test func `is as long as the ratio has it, rounded, whatever the rates and the length`() throws {
        var generator = SeededGenerator(seed: 3)
        let known = [1, 8000, 11_025, 16_000, 22_050, 44_100, 48_000, 88_200, 96_000, 192_000, 12_288_000]
        for round in 0..<150 {
            let quality = ResamplingQuality.allCases[round % 4]
            let first = round % 2 == 0 ? known[round % 10 + 1] : Int.random(in: 1...200_000, using: &generator)
            // Up to 20 times: what comes of it should not take long.
            let low = max(1, first / 20)
            let second = Int.random(in: low...(first * 20), using: &generator)
            let length = [0, 1, 2, 3, 17, Int.random(in: 0...3000, using: &generator)][round % 6]
            var conversion = Conversion(first, second, .init(quality: quality))
            conversion.pieces = generator.split(length + 1) + [5]
            let made = try conversion([Float](repeating: 0.25, count: length)).count
            // Half a frame counts as one.
            let exact = (2 * length * second + first) / (2 * first)
            #expect(made == exact, "\(length) frames, \(first) to \(second) hertz, \(quality)")
        }
    }

    @Test(arguments: [(3, 1), (44_100, 11_025), (48_000, 8000), (96_000, 11_025), (256, 1)])
    func `is as long too where straight lines skip frames`(rates: (Int, Int)) throws {
        for length in 0..<300 {
            let conversion = Conversion(rates.0, rates.1, .init(quality: .linear))
            let made = try conversion([Float](repeating: 0.25, count: length)).count
            #expect(made == (2 * length * rates.1 + rates.0) / (2 * rates.0), "\(length) frames")
        }
    }

    @Test(arguments: [(1, 256), (256, 1), (187, 47_872)])
    func `spans a factor of 256`(rates: (Int, Int)) throws {
        let conversion = Conversion(rates.0, rates.1, .init(quality: .best))
        let made = try conversion([Float](repeating: 0.25, count: 1000))
        #expect(made.count == Int((1000 * Double(rates.1) / Double(rates.0)).rounded()))
    }

    @Test(arguments: rates, ResamplingQuality.allCases)
    func `begins at time 0 and ends with the last frame`(rates: (Int, Int), quality: ResamplingQuality) throws {
        // 1/20 of the lower rate, where straight lines are still straight enough; with a phase, so that neither the first
        // frame nor the last is 0.
        let hertz = Double(min(rates.0, rates.1)) / 20
        let frames = rates.0 / 4
        let made = try Conversion(rates.0, rates.1, .init(quality: quality))(
            sine(hertz, frames: frames, sampleRate: rates.0, phase: 1))
        let ideal = sine(hertz, frames: made.count, sampleRate: rates.1, phase: 1)
        // Half way in the phase is right to a thousandth of a frame, or it would differ by more than this.
        let slope = Float(0.5 * 2 * Double.pi * hertz / Double(rates.1))
        let bound = quality == .linear ? 0.01 : slope / 1000
        let middle = made.count / 4..<(made.count * 3 / 4)
        let worst = middle.map { abs(made[$0] - ideal[$0]) }.max() ?? 1
        #expect(worst < bound, "off by \(worst)")
        // At the ends the filter sees the silence beside the stream, half of it: no frame more, no frame less.
        for index in [0, made.count - 1] {
            #expect(abs(made[index]) > 0.02 && abs(made[index]) < 0.6, "\(index): \(made[index])")
        }
    }

    @Test func `has an impulse where it was`() throws {
        for quality in [ResamplingQuality.fast, .medium, .best] {
            var samples = [Float](repeating: 0, count: 2000)
            samples[1000] = 1
            let up = try Conversion(24_000, 96_000, .init(quality: quality))(samples)
            let peak = up.indices.max { up[$0] < up[$1] }
            #expect(peak == 4000)
            // The filter is symmetrical.
            let skew =
                (1...400).map { (distance: Int) -> Float in abs(up[4000 - distance] - up[4000 + distance]) }.max() ?? 1
            #expect(skew < 1e-5, "\(quality): \(skew)")
        }
    }

    @Test func `keeps what is no number to itself`() throws {
        var generator = SeededGenerator(seed: 4)
        let samples = generator.signal(count: 4000)
        for rate in [48_000, 32_000] {
            var broken = samples
            var mended = samples
            for (index, value) in [
                (0, Float.nan), (1000, .infinity), (1001, -.infinity), (3999, .signalingNaN), (70, 3e38),
            ] {
                broken[index] = value
                mended[index] = 0
            }
            let conversion = Conversion(48_000, rate)
            var converter = try conversion.converter()
            let made: [Float] = try conversion.pull(broken, through: &converter)
            #expect(firstDifference(made, try conversion(mended)) == nil)
            #expect(converter.nonFiniteSamples == 5)
            converter.reset()
            #expect(converter.nonFiniteSamples == 0)
        }
    }

    @Test func `takes the rates and channels that can be converted, and says which cannot`() throws {
        func kind(_ input: StreamFormat, _ output: StreamFormat, _ settings: ConverterSettings = .init())
            -> ConversionError.Kind?
        {
            do throws(ConversionError) {
                _ = try StreamConverter(from: input, to: output, settings)
                return nil
            } catch {
                return error.kind
            }
        }
        func format(_ rate: Int, _ channels: Int) -> StreamFormat { StreamFormat(sampleRate: rate, channels: channels) }
        #expect(kind(format(0, 1), format(48_000, 1)) == .unsupportedRate)
        #expect(kind(format(48_000, 1), format(-1, 1)) == .unsupportedRate)
        #expect(kind(format(187, 1), format(48_000, 1)) == .unsupportedRate)
        #expect(kind(format(188, 1), format(48_000, 1)) == nil)
        #expect(kind(format(1, 1), format(1, 1)) == nil)
        #expect(kind(format(48_000, 0), format(48_000, 1)) == .unsupportedChannels)
        #expect(kind(format(48_000, 1), format(48_000, 2000)) == .unsupportedChannels)
        #expect(kind(format(48_000, 1024), format(48_000, 1024)) == nil)
        #expect(kind(format(48_000, 128), format(44_100, 128)) == nil)
        #expect(kind(format(48_000, 129), format(44_100, 129)) == .unsupportedChannels)
        #expect(kind(format(48_000, 129), format(44_100, 2)) == nil)
        #expect(
            kind(format(48_000, 3), format(48_000, 2), .init(matrix: ChannelMatrix(from: 2, to: 2)))
                == .unsupportedChannels)
        #expect(StreamConverter.canConvert(from: 188, to: 48_000) && !StreamConverter.canConvert(from: 187, to: 48_000))
    }
}
