import AudioDSP
import Glibc
import TestSupport
import Testing

@Suite("The compressor") struct CompressorTests {
    /// Equation 4 of Giannoulis, Massberg and Reiss, 2012, as it is printed there.
    private func curve(_ x: Double, threshold: Double, ratio: Double, knee: Double) -> Double {
        if 2 * (x - threshold) < -knee { return x }
        if 2 * abs(x - threshold) <= knee, knee > 0 {
            let over = x - threshold + knee / 2
            return x + (1 / ratio - 1) * over * over / (2 * knee)
        }
        return threshold + (x - threshold) / ratio
    }

    @Test(arguments: [(2.0, 0.0), (4, 6), (4, 24), (100, 12), (1, 6)])
    func `has the static curve that it is told, within a tenth of a decibel`(_ ratio: Double, _ knee: Double) {
        let setting = CompressorSetting(
            threshold: -24, ratio: Float(ratio), knee: Float(knee), attack: 5, release: 500, makeUp: 3)
        for level in stride(from: -60.0, through: 12, by: 3) {
            let wanted = curve(level, threshold: -24, ratio: ratio, knee: knee)
            #expect(abs(Double(setting.output(Float(level))) - wanted) < 0.001, "\(level) dB")
            var state = CompressorState(setting)
            let heard = processed([sine(997, decibels: level, frames: 48_000)]) { state.process($0) }[0]
            #expect(abs(peakDecibels(heard.suffix(4800)) - wanted - 3) < 0.1, "\(level) dB")
        }
    }

    @Test(
        arguments: [(Float(0.5), Float(50)), (1, 100), (10, 150), (30, 40), (100, 1000), (500, 20)],
        [44_100, 192_000])
    func `reaches 63 % of a reduction in the attack, and loses them in the release, within 5 %`(
        _ times: (attack: Float, release: Float), _ rate: Int
    ) throws {
        let (attack, release) = times
        var state = CompressorState(
            CompressorSetting(threshold: -40, ratio: 4, knee: 0, attack: attack, release: release))
        // A constant is at its level in each frame.
        let loud = [Float](repeating: 0.5, count: Int(8 * attack / 1000 * Float(rate)))
        let soft = [Float](repeating: 0.001, count: Int(4 * max(attack, release) / 1000 * Float(rate)))
        let input = loud + soft
        let output = processed([input], sampleRate: rate) { state.process($0) }[0]
        let reductions = zip(input, output).map { 20 * log10(Double($0) / Double($1)) }
        let whole = (20 * log10(0.5) + 40) * 0.75
        let reached = try #require(reductions.firstIndex { $0 >= whole * (1 - exp(-1)) })
        #expect(abs(Double(reached) / Double(rate) * 1000 / Double(attack) - 1) < 0.05, "attack \(reached) frames")
        let start = reductions[loud.count - 1]
        let left = try #require(reductions[loud.count...].firstIndex { $0 <= start * exp(-1) }) - loud.count
        let wanted = Double(release) / 1000 * Double(rate)
        // Two smoothers in a row, of which one is the attack, cannot be quicker than that one alone.
        let least = Double(attack) / 1000 * Double(rate)
        #expect(abs(Double(left) / max(wanted, least) - 1) < 0.05, "release \(left) frames")
    }

    @Test func `makes the same of a signal however it is cut into blocks, and of each channel as of the loudest`() {
        var generator = SeededGenerator(seed: 1)
        let loud = generator.signal(count: 20_000)
        let soft = loud.map { 0.25 * $0 }
        var outputs: [[[Float]]] = []
        for blocks in [[20_000], [1, 2, 3, 5, 7, 8, 9, 13], [256]] {
            var state = CompressorState(CompressorSetting(threshold: -30, makeUp: 6))
            outputs.append(processed([soft, loud, soft], blocks: blocks) { state.process($0) })
        }
        #expect(outputs[0].map(\.bits) == outputs[1].map(\.bits) && outputs[0].map(\.bits) == outputs[2].map(\.bits))
        #expect(zip(outputs[0][0], outputs[0][1]).allSatisfy { abs($0 - 0.25 * $1) <= 1e-6 }, "the image stays")
    }

    @Test func `leaves alone what is below the knee, and silence`() {
        let input = sine(440, decibels: -40, frames: 4800) + [Float](repeating: 0, count: 100)
        var state = CompressorState(CompressorSetting(threshold: -20, ratio: 10, knee: 6))
        let output = processed([input]) { state.process($0) }[0]
        #expect(input.bits == output.bits)
        #expect(state.reductionDecibels == 0)
    }

    @Test func `leaves alone all sound at a ratio of one`() {
        var generator = SeededGenerator(seed: 2)
        let input = generator.signal(count: 5000)
        var state = CompressorState(CompressorSetting(threshold: -60, ratio: 1))
        let output = processed([input]) { state.process($0) }[0]
        #expect(input.bits == output.bits)
    }

    /// Full scale down by 30 dB: a constant shows each step.
    @Test func `makes no click of a change`() {
        let input = [Float](repeating: 0.5, count: 30_000)
        var state = CompressorState(CompressorSetting(threshold: 0, attack: 10))
        var blocks = 0
        let output = processed([input], blocks: [1000]) { block in
            blocks += 1
            if blocks == 10 { state.change(to: CompressorSetting(threshold: -46, ratio: 4, knee: 0, attack: 10)) }
            if blocks == 20 { state.change(to: CompressorSetting(threshold: -46, ratio: 4, knee: 0, makeUp: 20)) }
            state.process(block)
        }[0]
        #expect(abs(peakDecibels([output[18_999]]) + 6.02 + 30) < 0.1)
        #expect(abs(peakDecibels([output[29_999]]) + 6.02 + 10) < 0.1)
        let steps = zip(output, output.dropFirst()).map { abs(20 * log10($1 / $0)) }
        #expect(steps.allSatisfy { $0 < 0.1 }, "\(steps.max() ?? 0) dB")
    }

    @Test func `holds what it is told within its ranges`() {
        let setting = CompressorSetting(
            threshold: .nan, ratio: 0, knee: -1, attack: 0, release: .infinity, makeUp: -.infinity)
        #expect(setting.threshold == -80 && setting.ratio == 1 && setting.knee == 0 && setting.attack == 0.1)
        #expect(setting.release == 5000 && setting.makeUp == -24)
        var other = CompressorSetting()
        other.ratio = 1000
        #expect(other.ratio == 100)
    }
}
