import AudioDSP
import Glibc
import TestSupport
import Testing

@Suite("The limiter") struct LimiterTests {
    /// The table of ITU-R BS.1770-5, annex 2, phases 0 and 1; the other two are these backwards.
    private static let table: [[Double]] = [
        [
            0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625,
            0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
        ],
        [
            -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625,
            0.77978515625, -0.2003173828125, 0.1015625, -0.05822753906250, 0.0330810546875, -0.0189208984375,
        ],
    ]

    /// By its own interpolator of four times the rate, and by sincs of 49 taps under Hann's window: libebur128's of four times
    /// the rate and, from 96 kHz on, of twice the rate.
    private func truePeaks(_ samples: [Float]) -> [Double] {
        func sinc(_ factor: Int) -> [[Double]] {
            (0..<factor).map { phase in
                (0..<(48 / factor)).map { index -> Double in
                    let place = Double(factor * index + phase)
                    let angle = (place - 24) * .pi / Double(factor)
                    return (angle == 0 ? 1 : sin(angle) / angle) * 0.5 * (1 - cos(2 * .pi * place / 48))
                }
            }
        }
        let edge = [Double](repeating: 0, count: 23)
        let padded = edge + samples.map(Double.init) + edge
        return [Self.table + Self.table.map { $0.reversed() }, sinc(4), sinc(2)].map { bank in
            20 * log10(padded.largestMagnitude(through: bank))
        }
    }

    private static func signal(_ name: String) -> [Float] {
        let frames = 9600
        var generator = SeededGenerator(seed: 7)
        return switch name {
        case "sine at a quarter of the rate": sine(12_000, decibels: 0, frames: frames, phase: .pi / 4)
        case "the same in bursts":
            sine(12_000, decibels: 12, frames: frames, phase: .pi / 4).enumerated().map { $0 / 480 % 3 == 0 ? $1 : 0 }
        case "square": sine(997, decibels: 0, frames: frames).map { $0 < 0 ? -1 : 1 }
        case "steep square": (0..<frames).map { $0 / 3 % 2 == 0 ? 1 : -1 }
        case "noise": generator.signal(count: frames)
        case "loud noise": generator.signal(count: frames, magnitude: 8)
        case "single samples": (0..<frames).map { $0 % 1000 < 2 ? 3 : 0 }
        default: sine(23_000, decibels: 6, frames: frames)
        }
    }

    @Test(
        arguments: [
            "sine at a quarter of the rate", "the same in bursts", "square", "steep square", "noise", "loud noise",
            "single samples", "sine near half of the rate",
        ], [Float(-1), -12, 0])
    func `never has a true peak above its ceiling`(_ name: String, _ ceiling: Float) {
        // With an end that it hears.
        let input = Self.signal(name) + [Float](repeating: 0, count: 300)
        for rate in [8000, 44_100, 96_000] {
            var state = LimiterState(LimiterSetting(ceiling: ceiling, release: 20), channels: 1)
            let output = processed([input], sampleRate: rate) { state.process($0) }[0]
            let peak = truePeaks(output).max() ?? 0
            #expect(peak <= Double(ceiling), "\(rate) Hz")
            // It takes no more than it must.
            #expect(peak > Double(ceiling) - 0.7, "\(rate) Hz: \(peak)")
        }
    }

    @Test(arguments: [8000, 48_000, 192_000])
    func `passes on what is below the ceiling, later by what it says and else the same to the bit`(_ rate: Int) {
        var generator = SeededGenerator(seed: 2)
        let input = generator.signal(count: 10_000, magnitude: 0.4)
        var state = LimiterState(LimiterSetting(), channels: 2)
        let output = processed([input, input.reversed()], sampleRate: rate) { state.process($0) }
        let latency = LimiterState.latencyFrames
        #expect(output[0].prefix(latency).allSatisfy { $0 == 0 })
        #expect(Array(output[0].dropFirst(latency)).bits == Array(input.dropLast(latency)).bits)
        #expect(Array(output[1].dropFirst(latency)).bits == Array(input.reversed().dropLast(latency)).bits)
        #expect(state.reductionDecibels == 0)
        #expect(latency == 119)
    }

    @Test func `makes the same of a signal however it is cut into blocks, with one gain for all channels`() {
        var generator = SeededGenerator(seed: 3)
        let loud = generator.signal(count: 12_000, magnitude: 2)
        let soft = loud.map { 0.125 * $0 }
        var outputs: [[[Float]]] = []
        for blocks in [[12_000], [1, 2, 3, 5, 7, 8, 9, 13, 64, 65], [256]] {
            var state = LimiterState(LimiterSetting(), channels: 2)
            outputs.append(processed([soft, loud], blocks: blocks) { state.process($0) })
        }
        #expect(outputs[0].map(\.bits) == outputs[1].map(\.bits) && outputs[0].map(\.bits) == outputs[2].map(\.bits))
        #expect(zip(outputs[0][0], outputs[0][1]).allSatisfy { abs($0 - 0.125 * $1) <= 1e-6 }, "the image stays")
    }

    @Test(arguments: [Float(20), 200])
    func `lets go of 63 % of a reduction in the release, within 5 %`(_ release: Float) throws {
        let burst = [Float](repeating: 1, count: 4800) + [Float](repeating: 0.1, count: Int(200 * release))
        var state = LimiterState(LimiterSetting(ceiling: -20, release: release), channels: 1)
        let output = processed([burst]) { state.process($0) }[0]
        let latency = LimiterState.latencyFrames
        let after = output.dropFirst(4800 + latency).map { Double($0) / 0.1 }
        // Between two points of the curve, so that the slope in front of it does not count.
        func passed(_ share: Double) throws -> Int { try #require(after.firstIndex { $0 >= 0.1 + 0.9 * share }) }
        let time = try Double(passed(1 - exp(-2)) - passed(1 - exp(-1))) / 48
        #expect(abs(time / Double(release) - 1) < 0.05, "\(time) ms")
    }

    @Test func `begins again from silence, and tells its reduction`() {
        let input = sine(1000, decibels: 6, frames: 4800)
        var state = LimiterState(LimiterSetting(ceiling: -1), channels: 1)
        let first = processed([input]) { state.process($0) }[0]
        #expect(abs(state.reductionDecibels - 7) < 0.2, "\(state.reductionDecibels)")
        state.reset()
        #expect(state.reductionDecibels == 0)
        #expect(processed([input]) { state.process($0) }[0].bits == first.bits)
    }
}
