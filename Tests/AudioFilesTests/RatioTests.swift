import AudioFiles
import Glibc
import TestSupport
import Testing

@Suite("A ratio that varies") struct RatioTests {
    private static let rate = 48_000
    private static let hertz = 997.0

    /// Pulls a sine through in blocks of 480 frames, with the ratio that is asked for before each.
    private func swept(
        _ quality: ResamplingQuality, seconds: Double, _ ratio: (Int) -> Double
    ) throws -> (made: [Float], ratios: [Double]) {
        let settings = ConverterSettings(quality: quality, variesRatio: true)
        let conversion = Conversion(Self.rate, Self.rate, settings)
        var converter = try conversion.converter()
        let samples = sine(Self.hertz, frames: Int(seconds * Double(Self.rate)), sampleRate: Self.rate)
        var source = Conversion.Source(samples: samples, format: conversion.input, pieces: [331, 17, 480])
        var output = PCMBuffer(conversion.output, capacityFrames: 480)
        var (made, ratios) = ([Float](), [Double]())
        while true {
            try converter.setRatio(ratio(ratios.count))
            ratios.append(converter.ratio)
            let status = converter.convert(into: &output) { source.next() }
            if status == .endOfStream { return (made, ratios) }
            #expect(status == .haveData)
            made += output.samples(of: Float.self)
        }
    }

    @Test(arguments: [ResamplingQuality.fast, .medium, .best, .linear])
    func `changes without a click`(quality: ResamplingQuality) throws {
        // Far more than any two clocks differ: ±2 %, another each hundredth of a second, jumps among them.
        let (made, _) = try swept(quality, seconds: 3) { 1 + 0.02 * sin(Double($0)) }
        // A sine A sin(ωn) differs from one frame to the next by A ω at the most, and its curvature is A ω² at the most; a
        // click of any size is in the second difference. 1.02² and the quality's own error are the rest.
        let omega = 2 * Double.pi * Self.hertz / Double(Self.rate) / 0.98
        let own = quality == .linear ? 0.5 * omega * omega : 1e-3 * omega * omega
        let inside = made.dropFirst(1000).dropLast(1000).map(Double.init)
        var (slope, curvature) = (0.0, 0.0)
        for index in 2..<inside.count {
            slope = max(slope, abs(inside[index] - inside[index - 1]))
            curvature = max(curvature, abs(inside[index] - 2 * inside[index - 1] + inside[index - 2]))
        }
        #expect(slope <= 0.5 * omega * 1.001, "\(slope)")
        #expect(curvature <= 0.5 * omega * omega * 1.02 + own, "\(curvature), \(0.5 * omega * omega)")
        // Without any slide it would be seen: by so much the phase of one frame jumps.
        #expect(slope > 0.5 * omega * 0.95)
    }

    /// Where each frame lies, in frames of the input, as the documentation has it: each call makes 480 frames at its ratio,
    /// but for the slide of 256 frames to it.
    private func positions(_ frames: Int, _ ratios: [Double]) -> [Double] {
        var (position, last) = (0.0, 1.0)
        var all: [Double] = []
        for ratio in ratios {
            for frame in 0..<480 {
                all.append(position)
                position += 1 / (frame < 256 ? last + (ratio - last) * Double(frame) / 256 : ratio)
            }
            last = ratio
        }
        return Array(all.prefix(frames))
    }

    @Test(arguments: [ResamplingQuality.fast, .medium, .best])
    func `puts each frame where it says, to 1/500 of a frame`(quality: ResamplingQuality) throws {
        for sweep in [{ _ in 1.02 }, { 1 + 0.01 * sin(Double($0) / 7) }] as [(Int) -> Double] {
            let (made, ratios) = try swept(quality, seconds: 2, sweep)
            let omega = 2 * Double.pi * Self.hertz / Double(Self.rate)
            var worst = 0.0
            for (index, position) in positions(made.count, ratios).enumerated()
            where index > 1000 && index < made.count - 1000 {
                worst = max(worst, abs(Double(made[index]) - 0.5 * sin(omega * position)))
            }
            #expect(worst < 0.5 * omega / 500, "off by \(worst / (0.5 * omega)) frames")
        }
    }

    @Test(arguments: [ResamplingQuality.medium, .linear])
    func `gives as many frames as the time that it took has`(quality: ResamplingQuality) throws {
        let (made, ratios) = try swept(quality, seconds: 3) { 1 + 0.01 * sin(Double($0) / 7) }
        let last = positions(made.count, ratios).last ?? 0
        #expect(abs(last - 143_999) <= 1, "the last of \(made.count) frames lies at \(last)")
    }

    @Test func `that never changes is the same to the bit as one that cannot`() throws {
        let samples = sine(440, frames: 5000, sampleRate: 48_000)
        // For the best, another library makes a ratio that varies.
        let fixed = Conversion(48_000, 44_100, .init(quality: .medium))
        let varying = Conversion(48_000, 44_100, .init(quality: .medium, variesRatio: true))
        #expect(firstDifference(try fixed(samples), try varying(samples)) == nil)
    }

    @Test func `goes back to that of the rates with reset`() throws {
        let samples = sine(440, frames: 5000, sampleRate: 48_000)
        let conversion = Conversion(48_000, 44_100, .init(quality: .fast, variesRatio: true))
        var converter = try conversion.converter()
        let first = conversion.push(samples, through: &converter)
        converter.reset()
        try converter.setRatio(2)
        #expect(converter.ratio == 2)
        let second = conversion.push(samples, through: &converter)
        #expect(second.count > 9800)
        converter.reset()
        #expect(converter.ratio == 44_100.0 / 48_000)
        #expect(firstDifference(conversion.push(samples, through: &converter), first) == nil)
    }

    @Test(arguments: ResamplingQuality.allCases)
    func `may jump as far as it can, at any time`(quality: ResamplingQuality) throws {
        var generator = SeededGenerator(seed: 7)
        let conversion = Conversion(48_000, 48_000, channels: 2, .init(quality: quality, variesRatio: true))
        var converter = try conversion.converter()
        var source = Conversion.Source(
            samples: generator.signal(count: 60_000), format: conversion.input, pieces: generator.split(30_000))
        var output = PCMBuffer(conversion.output, capacityFrames: 301)
        var status = StreamConverter.Status.haveData
        while status != .endOfStream {
            let exponent = Double.random(in: -1...1, using: &generator)
            // 1/256…256, or about 1.
            let ratio = Bool.random(using: &generator) ? exp2(8 * exponent) : exp2(exponent / 100)
            try converter.setRatio(ratio)
            for _ in 0..<Int.random(in: 1...9, using: &generator) where status != .endOfStream {
                status = converter.convert(into: &output) { source.next() }
                if case .error(let error) = status { throw error }
                // A filter overshoots, but not by much.
                #expect(output.samples(of: Float.self).allSatisfy { abs($0) < 4 })
            }
        }
        #expect(converter.takenFrames == 30_000)
    }

    @Test func `is refused out of range, and where it was not asked for`() throws {
        var fixed = try Conversion(48_000, 44_100).converter()
        #expect(throws: ConversionError.self) { try fixed.setRatio(1) }
        var varying = try Conversion(48_000, 48_000, .init(variesRatio: true)).converter()
        for ratio in [0, -1, Double.nan, .infinity, 257, 1 / 257] {
            #expect(throws: ConversionError.self) { try varying.setRatio(ratio) }
        }
        try varying.setRatio(256)
        try varying.setRatio(1.0 / 256)
        #expect(varying.ratio == 1.0 / 256)
    }
}
