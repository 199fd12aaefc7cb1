import AudioDSP
import Glibc
import TestSupport
import Testing

@Suite("Biquads in a row")
struct BiquadBankTests {
    /// Bands of every kind, as many as are asked for.
    private func bands(_ count: Int, seed: UInt64 = 1) -> [EqualiserBand] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            EqualiserBand(
                EqualiserBand.Kind.allCases[number % 6],
                hertz: exp(.random(in: log(40)...log(18_000), using: &generator)),
                q: .random(in: 0.3...3, using: &generator), decibels: .random(in: -9...9, using: &generator))
        }
    }

    /// Peaks and shelves alone, through which sound of all frequencies comes.
    private func gentleBands(_ count: Int) -> [EqualiserBand] {
        (0..<count).map { number in
            let kinds: [EqualiserBand.Kind] = [.peak, .lowShelf, .highShelf]
            return EqualiserBand(
                kinds[number % 3], hertz: 30 * pow(600, Double(number) / 31), q: 1, decibels: number % 2 == 0 ? 5 : -5)
        }
    }

    /// Signals through a bank, cut into blocks of these lengths.
    private func filtered(_ signals: [[Float]], _ setting: EqualiserSetting, blocks: [Int]? = nil) -> [[Float]] {
        var bank = BiquadBank(channels: signals.count)
        bank.set(0, to: setting)
        var output = signals
        for left in stride(from: 0, to: signals.count, by: 2) {
            var other = left + 1 < signals.count ? output[left + 1] : []
            output[left] = processed(signals[left], inBlocks: blocks ?? [signals[left].count]) { block, start in
                guard left + 1 < signals.count else { return bank.process(block, block, pair: left / 2, setting: 0) }
                other.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    bank.process(block, Samples(base + start, count: block.count), pair: left / 2, setting: 0)
                }
            }
            if left + 1 < signals.count { output[left + 1] = other }
        }
        return output
    }

    /// The difference equation as it stands in a textbook (direct form I), on numbers of more digits where there are any.
    private func reference(_ signal: [Float], _ setting: EqualiserSetting) -> [Double] {
        #if arch(x86_64)
            typealias Number = Float80
        #else
            typealias Number = Double
        #endif
        var samples = signal.map { Number($0) }
        for index in 0..<setting.count {
            let biquad = setting.stages[index].biquad
            var (x1, x2, y1, y2): (Number, Number, Number, Number) = (0, 0, 0, 0)
            for frame in samples.indices {
                let x = samples[frame]
                let feed = Number(biquad.b0) * x + Number(biquad.b1) * x1 + Number(biquad.b2) * x2
                let y = feed - Number(biquad.a1) * y1 - Number(biquad.a2) * y2
                (x2, x1, y2, y1) = (x1, x, y1, y)
                samples[frame] = y
            }
        }
        return samples.map { Double($0) }
    }

    private func error(_ output: [Float], _ wanted: [Double]) -> Double {
        let loudest = wanted.reduce(1) { max($0, abs($1)) }
        return zip(output, wanted).map { abs(Double($0) - $1) / loudest }.max() ?? .infinity
    }

    @Test("give what the difference equation gives", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 31, 32])
    func isTheReference(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        for channels in 1...3 {
            let signals = (0..<channels).map { _ in generator.signal(count: 1000) }
            for bands in [bands(count), gentleBands(count)] {
                let setting = EqualiserSetting(bands, sampleRate: 48_000)
                for (output, signal) in zip(filtered(signals, setting), signals) {
                    #expect(error(output, reference(signal, setting)) <= 1e-6)
                }
            }
            let setting = EqualiserSetting(gentleBands(count), sampleRate: 48_000)
            // The test can fail: one coefficient that is off by a hundredth of a thousandth is found.
            let other = EqualiserSetting(gentleBands(count - 1), sampleRate: 48_000)
            #expect(error(filtered(signals, other)[0], reference(signals[0], setting)) > 1e-5)
        }
    }

    @Test("give the same bits however the signal is cut", arguments: edgeLengths.filter { $0 > 0 })
    func blocksMakeNoDifference(_ length: Int) {
        var generator = SeededGenerator(seed: UInt64(length))
        let signals = (0..<3).map { _ in generator.signal(count: length) }
        for count in [1, 5, 32] {
            let setting = EqualiserSetting(bands(count), sampleRate: 48_000)
            let whole = filtered(signals, setting)
            for _ in 0..<3 {
                #expect(filtered(signals, setting, blocks: generator.split(length)).map(\.bits) == whole.map(\.bits))
            }
        }
    }

    @Test func `treat each channel as if it were alone, up to 256`() {
        var generator = SeededGenerator(seed: 5)
        let setting = EqualiserSetting(bands(5), sampleRate: 48_000)
        for channels in [2, 3, 256] {
            let signals = (0..<channels).map { _ in generator.signal(count: 300) }
            let alone = signals.map { filtered([$0], setting)[0].bits }
            #expect(filtered(signals, setting).map(\.bits) == alone)
        }
    }

    @Test("without a band pass every bit, of −0, denormals and NaN too")
    func noBands() {
        let signal: [Float] = [-0.0, 0, .leastNormalMagnitude / 8, -.leastNonzeroMagnitude, .nan, .infinity, 0.1, -1]
        #expect(filtered([signal], EqualiserSetting(sampleRate: 48_000))[0].bits == signal.bits)
    }

    @Test(
        "stay within what the band can do to a sound, at the ends of all ranges", arguments: EqualiserBand.Kind.allCases
    )
    func extremes(_ kind: EqualiserBand.Kind) {
        for hertz in [20, 0.999 * 24_000] {
            for decibels in kind.hasGain ? [-24.0, 24] : [0] {
                let band = EqualiserBand(kind, hertz: hertz, q: 40, decibels: decibels)
                let setting = EqualiserSetting([band], sampleRate: 48_000)
                // A square wave for six times the resonance's time, which makes the most of it, and five periods at least.
                let frames = max(12_000, Int(6 * 40 / (.pi * hertz) * 48_000))
                let signal = (0..<frames).map { frame -> Float in (frame / 1200) % 2 == 0 ? 1 : -1 }
                let output = filtered([signal], setting)[0]
                #expect(error(output, reference(signal, setting)) <= 1e-6, "\(band)")
                let loudest = output.map(abs).max() ?? 0
                #expect(loudest <= 40 * 16 * 2, "\(band): \(loudest)")
            }
        }
    }

    @Test("forget what is not finite at the end of its block")
    func nonFinite() {
        let setting = EqualiserSetting(gentleBands(9), sampleRate: 48_000)
        var generator = SeededGenerator(seed: 9)
        let signals = (0..<2).map { _ in generator.signal(count: 300) }
        for broken in [Float.nan, .infinity] {
            var bad = signals
            bad[0][70] = broken
            let output = filtered(bad, setting, blocks: [64, 64, 172])
            #expect(output.allSatisfy { $0.allSatisfy(\.isFinite) })
            let fresh = filtered(signals.map { Array($0.suffix(172)) }, setting)
            #expect(output.map { Array($0.suffix(172)).bits } == fresh.map(\.bits), "as after silence")
        }
    }
}
