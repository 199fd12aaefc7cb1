import AudioDSP
import AudioRealtime
import Glibc
import TestSupport
import Testing
import Threads

@Suite("An equaliser node")
struct EqualiserTests {
    private func sine(hertz: Double, count: Int) -> [Float] {
        (0..<count).map { Float(0.5 * cos(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    /// Bands of every kind by chance.
    private func bands(_ count: Int, _ generator: inout SeededGenerator) -> [EqualiserBand] {
        (0..<count).map { number in
            EqualiserBand(
                .allCases.randomElement(using: &generator) ?? .peak,
                hertz: exp(.random(in: log(30)...log(18_000), using: &generator)),
                q: .random(in: 0.3...5, using: &generator), decibels: .random(in: -9...9, using: &generator))
        }
    }

    @Test("without bands passes every bit, and so does one whose bands are flat or off")
    func noBands() {
        var generator = SeededGenerator(seed: 1)
        let signals = (0..<2).map { _ in
            generator.signal(count: 700) + [0, -0.0, .leastNormalMagnitude / 8, -.leastNonzeroMagnitude]
        }
        let flat = [
            EqualiserBand(.peak), EqualiserBand(.lowShelf), EqualiserBand(.highShelf),
            EqualiserBand(.lowPass, isOn: false),
        ]
        for bands in [[], flat] {
            var rig = EqualiserRig(bands: bands)
            #expect(rig.run(signals).map(\.bits) == signals.map(\.bits))
            rig.changes = [.init(frame: 100, bands: flat), .init(frame: 300, bands: [])]
            #expect(rig.run(signals).map(\.bits) == signals.map(\.bits), "a change to nothing is none")
        }
    }

    @Test("gives the same bits however the signal is cut, while bands change", arguments: 1...20)
    func blocksMakeNoDifference(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let channels = [1, 2, 3, 5][Int(seed % 4)]
        let signals = (0..<channels).map { _ in generator.signal(count: 9000) }
        var rig = EqualiserRig(bands: bands(Int(seed), &generator))
        // Some come while another change is on its way.
        var frame = 0
        for _ in 0..<6 {
            frame += .random(in: 0...1500, using: &generator)
            var next = rig.changes.last?.bands ?? rig.bands
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: next = bands(.random(in: 0...32, using: &generator), &generator)
            case 1: next = next.isEmpty ? [] : Array(next.dropFirst())
            default: for index in next.indices { next[index].decibels += 1 }
            }
            rig.changes.append(.init(frame: frame, bands: next))
        }
        rig.rampFrames = [0, 1, 480][Int(seed % 3)]
        let whole = rig.run(signals)
        for _ in 0..<3 {
            #expect(rig.run(signals, cut: generator.split(9000)).map(\.bits) == whole.map(\.bits))
        }
        #expect(whole[0].bits != signals[0].bits)
    }

    /// What a change leads from and to, and a frequency whose level it changes.
    private static let leaps: [([EqualiserBand], [EqualiserBand], Double)] = [
        ([], [EqualiserBand(.highShelf, hertz: 50, decibels: 12)], 100),
        ([EqualiserBand(.lowShelf, hertz: 500, decibels: 24)], [], 100),
        ([EqualiserBand(.peak, hertz: 300, decibels: 12)], [EqualiserBand(.peak, hertz: 300, decibels: -12)], 300),
        (
            [EqualiserBand(.peak, hertz: 300, q: 8, decibels: 18)], [EqualiserBand(.peak, hertz: 4000, decibels: 18)],
            300
        ),
        ([EqualiserBand(.lowPass, hertz: 800)], [EqualiserBand(.highPass, hertz: 800)], 200),
        ([EqualiserBand(.notch, hertz: 200, q: 2)], [EqualiserBand(.notch, hertz: 2000, q: 0.5)], 200),
        (
            (0..<32).map { EqualiserBand(.peak, hertz: 40 * pow(1.2, Double($0)), q: 4, decibels: 3) },
            (0..<32).map { EqualiserBand(.peak, hertz: 40 * pow(1.2, Double($0)), q: 4, decibels: -3) }, 200
        ),
    ]

    @Test("changes without a click, where a hard switch makes one", arguments: 0..<7)
    func changesWithoutAClick(_ number: Int) {
        let (before, after, hertz) = Self.leaps[number]
        let ramp = 480
        let count = 48_000
        let input = sine(hertz: hertz, count: count)
        // A crossfade goes from a to b as a + (b − a) m: from one frame to the next by no more than the steeper of both,
        // and what the mix adds.
        let old = EqualiserRig(bands: before).run(input)[0...].suffix(count / 2)
        let new = EqualiserRig(bands: after).run(input)[0...].suffix(count / 2)
        let apart = zip(old, new).map { abs(Double($0) - Double($1)) }.max() ?? 0
        // 2 % for what 60 dB of settling leave.
        let bound = (Double(max(old.largestStep, new.largestStep)) + apart / Double(ramp)) * 1.02
        var rig = EqualiserRig(bands: before, rampFrames: ramp)
        // At a crest: whole turns of 100 Hz.
        rig.changes = [.init(frame: count / 2, bands: after)]
        let output = rig.run(input)
        let found = Double(output[(count / 2 - 100)...].largestStep)
        #expect(found <= bound, "\(found), not \(bound)")
        #expect(output[..<(count / 2)].elementsEqual(EqualiserRig(bands: before).run(input)[..<(count / 2)]))
        let end = zip(output.suffix(ramp), new.suffix(ramp)).map { abs($0 - $1) }.max() ?? 1
        #expect(end < 1e-3, "it arrives")
        rig.rampFrames = 0
        let hard = Double(rig.run(input)[(count / 2 - 100)...].largestStep)
        #expect(hard > 1.5 * bound, "the test would notice: \(hard), \(bound)")
    }

    @Test("does nothing where it is told what it does already")
    func sameAgain() {
        var generator = SeededGenerator(seed: 3)
        let input = generator.signal(count: 3000)
        let bands = bands(9, &generator)
        var rig = EqualiserRig(bands: bands)
        let undisturbed = rig.run(input)
        rig.changes = [.init(frame: 700, bands: bands), .init(frame: 1800, bands: bands + [EqualiserBand(.peak)])]
        #expect(rig.run(input).bits == undisturbed.bits)
    }

    @Test("lets the bands that stay keep their past")
    func bandsThatStay() {
        // The resonance rings on while another band comes: without its past it would start from silence.
        let ringing = EqualiserBand(.lowPass, hertz: 100, q: 40)
        let input = [1] + [Float](repeating: 0, count: 9599)
        let alone = EqualiserRig(bands: [ringing]).run(input)
        var rig = EqualiserRig(bands: [ringing])
        // Far above what is heard.
        let other = EqualiserBand(.highShelf, hertz: 10_000, decibels: 6)
        for bands in [[ringing, other], [other, ringing]] {
            rig.changes = [.init(frame: 2400, bands: bands)]
            let output = rig.run(input)
            let loudest = alone.suffix(2400).map(abs).max() ?? 0
            #expect(loudest > 1e-3)
            let apart = zip(output, alone).map { abs($0 - $1) }.max() ?? 1
            #expect(apart < 0.01 * loudest, "\(apart) of \(loudest)")
        }
    }

    @Test("makes no hole in the level of a resonance that changes a little")
    func resonances() {
        let input = sine(hertz: 300, count: 24_000)
        func peak(_ decibels: Double) -> [EqualiserBand] {
            [EqualiserBand(.peak, hertz: 300, q: 8, decibels: decibels)]
        }
        var rig = EqualiserRig(bands: peak(18))
        rig.changes = [.init(frame: 9600, bands: peak(17))]
        let output = rig.run(input)
        // A period is 160 frames. It settles within a tenth of a second, and fades.
        let levels = stride(from: 9600, to: 16_000, by: 160).map { start in
            20 * log10(Double(output[start..<(start + 160)].map(abs).max() ?? 0) / 0.5)
        }
        #expect(levels.allSatisfy { $0 > 16.8 && $0 < 18.1 }, "\(levels)")
    }

    @Test("has no memory of what a setting heard that was left since")
    func forgets() {
        var generator = SeededGenerator(seed: 6)
        let loud = generator.signal(count: 2000)
        var rig = EqualiserRig(bands: bands(5, &generator))
        rig.changes = [.init(frame: 1000, bands: []), .init(frame: 30_000, bands: bands(5, &generator))]
        let output = rig.run(loud + [Float](repeating: 0, count: 48_000))
        #expect(output[20_000...].allSatisfy { $0 == 0 })
    }

    @Test("turns to the newest of what it was told during a change, when that ends")
    func changesDuringAChange() {
        var generator = SeededGenerator(seed: 4)
        let input = generator.signal(count: 30_000)
        func peak(_ decibels: Double) -> [EqualiserBand] { [EqualiserBand(.peak, hertz: 2000, decibels: decibels)] }
        var rig = EqualiserRig(bands: peak(3))
        rig.changes = [
            .init(frame: 1000, bands: peak(6)), .init(frame: 1010, bands: peak(-20)),
            .init(frame: 1200, bands: peak(9)),
        ]
        let output = rig.run(input)
        let last = EqualiserRig(bands: peak(9)).run(input)
        #expect(zip(output.suffix(1000), last.suffix(1000)).allSatisfy { abs($0 - $1) < 1e-5 })
        // The one that gave way is never heard: it would have left a hole of 20 dB.
        rig.changes.remove(at: 1)
        #expect(rig.run(input).bits == output.bits)
    }

    @Test("begins again with silence behind it, at another rate")
    func reset() {
        var generator = SeededGenerator(seed: 5)
        let input = generator.signal(count: 2000)
        let bands = bands(7, &generator)
        var control = EqualiserControl(channels: 1, EqualiserSetting(bands, sampleRate: 48_000))
        let nodes = [.input, .processor(control.state), .output(channels: 1)].map { PlanNode($0, channels: 1) }
        let rig = PlanRig(PlanBuilder.plan(row: nodes, rampFrames: 480), inputs: 1)
        _ = rig.run([input])
        // In the midst of a change, with another one waiting.
        control.put(EqualiserSetting(sampleRate: 96_000))
        _ = rig.run([Array(input.prefix(10))])
        control.put(EqualiserSetting(bands, sampleRate: 96_000))
        control.state.pointer.pointee.reset(sampleRate: 48_000)
        let fresh = EqualiserRig(bands: bands, sampleRate: 96_000).run(input)
        #expect(rig.run([input])[0].bits == fresh.bits)
        #expect(fresh.bits != EqualiserRig(bands: bands).run(input).bits, "the rate matters")
        control.state.pointer.pointee.reset(sampleRate: 48_000)
        #expect(rig.run([input])[0].bits == fresh.bits, "where nothing is new, too")
        control.put(EqualiserSetting(sampleRate: 96_000))
        _ = rig.run([Array(input.prefix(10))])
        control.state.pointer.pointee.reset(sampleRate: 48_000)
        #expect(rig.run([input])[0].bits == input.bits, "what was on its way is there")
    }

    @Test("follows a change of the sample rate while sound runs")
    func rateChange() {
        let input = sine(hertz: 1000, count: 20_000)
        let bands = [EqualiserBand(.notch, hertz: 1000)]
        var control = EqualiserControl(channels: 1, EqualiserSetting(bands, sampleRate: 96_000))
        let nodes = [.input, .processor(control.state), .output(channels: 1)].map { PlanNode($0, channels: 1) }
        let rig = PlanRig(PlanBuilder.plan(row: nodes, rampFrames: 480), inputs: 1)
        #expect((rig.run([input])[0].suffix(1000).map(abs).max() ?? 0) > 0.1, "at 96 kHz this is 2000 Hz")
        control.put(EqualiserSetting(bands, sampleRate: 48_000))
        #expect((rig.run([input])[0].suffix(1000).map(abs).max() ?? 1) < 1e-5)
    }

    @Test("has as many channels as a graph can have, each for itself", arguments: [1, 2, 255, 256])
    func channels(_ count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let signals = (0..<count).map { _ in generator.signal(count: 300) }
        var rig = EqualiserRig(bands: bands(32, &generator), rampFrames: 50)
        rig.changes = [.init(frame: 40, bands: bands(32, &generator))]
        let output = rig.run(signals)
        for channel in Set([0, count / 2, count - 1]) {
            #expect(output[channel].bits == rig.run(signals[channel]).bits)
        }
    }

    @Test("ends a tail in silence on a thread that flushes denormals, as the audio thread does")
    func denormals() {
        let control = EqualiserControl(
            channels: 1, EqualiserSetting([EqualiserBand(.lowPass, hertz: 12_000)], sampleRate: 48_000))
        let nodes = [.input, .processor(control.state), .output(channels: 1)].map { PlanNode($0, channels: 1) }
        let rig = PlanRig(PlanBuilder.plan(row: nodes, rampFrames: 480), inputs: 1)
        let tail = Denormals.flushed { rig.run([[1] + [Float](repeating: 0, count: 9999)])[0] }
        #expect(tail.allSatisfy { !$0.isSubnormal })
        #expect(tail.suffix(1000).allSatisfy { $0 == 0 })
    }
}
