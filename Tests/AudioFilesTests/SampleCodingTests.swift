import AudioFiles
import TestSupport
import Testing

@Suite("Between sample formats") struct SampleCodingTests {
    private static let formats: [SampleFormat] = [.int8, .uint8, .int16, .int24, .int32]

    /// Pulls bytes through, between any formats and layouts; returns the bytes and what was clipped.
    private func bytes(
        _ bytes: [UInt8], _ input: (SampleFormat, StreamFormat.Layout), _ output: (SampleFormat, StreamFormat.Layout),
        channels: Int = 1, dither: Dither = .none
    ) throws -> (bytes: [UInt8], clipped: Int) {
        let from = StreamFormat(sampleRate: 48_000, channels: channels, sampleFormat: input.0, layout: input.1)
        let to = StreamFormat(sampleRate: 48_000, channels: channels, sampleFormat: output.0, layout: output.1)
        var converter = try StreamConverter(from: from, to: to, .init(dither: dither))
        var buffer = PCMBuffer(to, capacityFrames: 100_000)
        var given: StreamConverter.Input? = .data(PCMBuffer(from, bytes))
        #expect(converter.convert(into: &buffer) { given.take() ?? .endOfStream } != .inputRanDry)
        return (buffer.samples(of: UInt8.self), converter.clippedSamples)
    }

    @Test func `nothing is lost on the way to a wider format and back, in any layout`() throws {
        var generator = SeededGenerator(seed: 5)
        for narrow in SampleFormat.allCases {
            for wide in SampleFormat.allCases where wide.holds(narrow) {
                let frames = 1237
                var all = (0..<frames * 3 * narrow.bytesPerSample).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                // Floats of any bits may be no number: make them small integers instead.
                if narrow == .float32 { all = floats(frames * 3, &generator) }
                if narrow == .float64 { all = doubles(frames * 3, &generator) }
                // An integer has no negative zero.
                if narrow == .muLaw && wide.integerBits != nil { all = all.map { $0 == 0x7f ? 0xff : $0 } }
                for first in StreamFormat.Layout.allCases {
                    for second in StreamFormat.Layout.allCases {
                        // Dither has no place where nothing is lost.
                        let there = try bytes(
                            all, (narrow, first), (wide, second), channels: 3, dither: .triangular)
                        let back = try bytes(there.bytes, (wide, second), (narrow, first), channels: 3)
                        #expect(back.bytes == all, "\(narrow) \(first), \(wide) \(second)")
                        #expect(there.clipped == 0 && back.clipped == 0)
                    }
                }
            }
        }
    }

    private func floats(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        generator.signal(count: count, magnitude: 3).flatMap { sample in
            withUnsafeBytes(of: sample) { Array($0) }
        }
    }

    private func doubles(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).flatMap { _ in
            withUnsafeBytes(of: Double.random(in: -3...3, using: &generator)) { Array($0) }
        }
    }

    @Test(arguments: formats)
    func `integers are the nearest, of two the even one, and clipped samples are counted`(format: SampleFormat) throws {
        let bits = try #require(format.integerBits)
        let scale = Double(1 << (bits - 1))
        let edges = [
            0.5, 1.5, -0.5, -1.5, 2.5, 0.499, -0.501, scale - 1, scale - 0.6, scale - 0.5, scale, scale * 3,
            1e12 * scale,
            -scale, -scale - 0.5, -scale - 0.501, -scale * 3, -1e12 * scale,
        ]
        var generator = SeededGenerator(seed: 6)
        let steps = edges + (0..<1000).map { _ in Double.random(in: -1.2 * scale...1.2 * scale, using: &generator) }
        let source = steps.flatMap { step in withUnsafeBytes(of: step / scale) { Array($0) } }
        let (made, clipped) = try bytesWithoutDither(source, format)
        let wanted = steps.map { ($0 / scale * scale).rounded(.toNearestOrEven) }
        #expect(clipped == wanted.filter { $0 < -scale || $0 > scale - 1 }.count && clipped > 100)
        let limited = wanted.map { Int(min(max($0, -scale), scale - 1)) }
        #expect(integers(made, format) == limited)
    }

    private func bytesWithoutDither(_ source: [UInt8], _ format: SampleFormat) throws -> ([UInt8], Int) {
        let from = StreamFormat(sampleRate: 48_000, channels: 1, sampleFormat: .float64)
        let to = StreamFormat(sampleRate: 48_000, channels: 1, sampleFormat: format)
        var converter = try StreamConverter(from: from, to: to)
        var all: [UInt8] = []
        converter.push(PCMBuffer(from, source)) { all += $0.samples(of: UInt8.self) }
        return (all, converter.clippedSamples)
    }

    /// The integers that little-endian bytes stand for.
    private func integers(_ bytes: [UInt8], _ format: SampleFormat) -> [Int] {
        let size = format.bytesPerSample
        return (0..<bytes.count / size).map { index in
            let bits = (0..<size).reduce(0) { $0 | Int(bytes[index * size + $1]) << (8 * $1) }
            if format == .uint8 { return bits - 128 }
            return bits >= 1 << (8 * size - 1) ? bits - 1 << (8 * size) : bits
        }
    }

    @Test func `full scale is where the format has it`() throws {
        for (format, raw, value) in [
            (SampleFormat.int8, [UInt8(0x80)], -1.0), (.uint8, [0], -1), (.uint8, [0xc0], 0.5),
            (.int16, [0, 0x40], 0.5), (.int24, [0, 0, 0xc0], -0.5), (.int24, [1, 0, 0], 1.0 / 8_388_608),
            (.int32, [0, 0, 0, 0x40], 0.5), (.int32, [1, 0, 0, 0], 1.0 / 2_147_483_648),
        ] {
            let made = try bytes(raw, (format, .interleaved), (.float64, .interleaved)).bytes
            #expect(made == withUnsafeBytes(of: value) { Array($0) }, "\(format)")
        }
    }

    @Test func `a buffer lends what it holds, a plane at a time`() {
        let format = StreamFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int16, layout: .planar)
        var buffer = PCMBuffer(format, [Int16(1), 2, 3, 4, 5, 6])
        #expect(buffer.frames == 3 && buffer.capacityFrames == 3)
        buffer.withMutableSamples(of: Int16.self, channel: 1) { $0[2] = 9 }
        #expect(
            buffer.withSamples(of: Int16.self, channel: 1) { plane in (plane.count, plane[0], plane[2]) } == (3, 4, 9))
        buffer.frames = 2
        #expect(buffer.samples(of: Int16.self) == [1, 2, 4, 5])
        buffer.frames = 99
        #expect(buffer.frames == 3)
        buffer.frames = -1
        #expect(buffer.frames == 0 && buffer.samples(of: Int16.self) == [])
        #expect(PCMBuffer(format, capacityFrames: -5).capacityFrames == 0)
    }
}
