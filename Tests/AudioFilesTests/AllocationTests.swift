import AudioFiles
import CJack
import Testing

/// Of the real-time sanitizer only what it intercepts of the C library counts here: it ends the process at the first
/// malloc or free inside a region.
@Suite("After its first call a converter", .enabled(if: cjack_realtime_sanitizer_is_linked() != 0))
struct AllocationTests {
    private struct Stage: ~Copyable {
        var converter: StreamConverter
        let input: PCMBuffer
        var output: PCMBuffer
        /// A second buffer on purpose where a test wants to see malloc found.
        var copies = false

        init(_ conversion: Conversion) throws {
            converter = try conversion.converter()
            var input = PCMBuffer(conversion.input, capacityFrames: 700)
            input.frames = 700
            self.input = input
            output = PCMBuffer(conversion.output, capacityFrames: 480)
        }

        mutating func pull() -> StreamConverter.Status {
            let (input, copies) = (input, copies)
            return converter.convert(into: &output) {
                .data(copies ? PCMBuffer(input.format, capacityFrames: 700) : input)
            }
        }

        mutating func push() -> StreamConverter.Status {
            converter.push(input) { _ in }
        }
    }

    private static let conversions: [Conversion] = {
        var wide = Conversion(48_000, 16_000, channels: 6, to: 2, .init(quality: .medium, dither: .noiseShaped))
        wide.input.layout = .planar
        wide.output.sampleFormat = .int16
        var same = Conversion(48_000, 48_000, channels: 2, .init(dither: .triangular))
        same.output.sampleFormat = .int24
        var telephone = Conversion(48_000, 8000, .init(quality: .fast))
        telephone.output.sampleFormat = .muLaw
        return [
            wide, same, telephone, Conversion(44_100, 48_000, channels: 1, to: 2, .init(quality: .medium)),
            Conversion(44_100, 48_000, .init(quality: .linear, variesRatio: true)),
        ]
    }()

    @Test func `allocates nothing`() async {
        await #expect(processExitsWith: .success) {
            for conversion in Self.conversions {
                var stage = try Stage(conversion)
                guard stage.pull() == .haveData, stage.push() == .inputRanDry else { throw Failed() }
                cjack_realtime_enter()
                var isWell = true
                for _ in 0..<100 { isWell = stage.pull() == .haveData && isWell }
                for _ in 0..<100 { isWell = stage.push() == .inputRanDry && isWell }
                stage.converter.reset()
                for _ in 0..<100 { isWell = stage.pull() == .haveData && isWell }
                cjack_realtime_exit()
                if !isWell { throw Failed() }
            }
        }
    }

    private struct Failed: Error {}

    @Test func `is caught where its source does`() async {
        await #expect(processExitsWith: .exitCode(43)) {
            var stage = try Stage(Self.conversions[0])
            _ = stage.pull()
            stage.copies = true
            cjack_realtime_enter()
            for _ in 0..<10 { _ = stage.pull() }
            cjack_realtime_exit()
        }
    }
}
