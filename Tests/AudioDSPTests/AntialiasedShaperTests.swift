import AudioDSP
import Foundation
import TestSupport
import Testing

@Suite("A shaper against aliases")
struct AntialiasedShaperTests {
    private static let modes: [Shaping] = Shaping.all.filter { $0.shape == .cubic }

    @Test("gives what a model in double precision gives, in every shape, mode and phase")
    func outputsMatchTheModel() throws {
        let reference = try #require(ShaperReference.kept)
        #expect(reference.outputs.count == 60)
        for output in reference.outputs {
            let shaped = shaped(reference.signal, output.shaping, gain: reference.gain, table: ShaperReference.table)
            let error = zip(shaped.suffix(output.samples.count), output.samples).map { abs(Double($0) - $1) }.max() ?? 1
            // The blocker of DC gathers roundings over hundreds of frames.
            #expect(error <= (output.shaping.shape == .asymmetric ? 3e-6 : 1e-6), "\(output.shaping.testDescription)")
        }
    }

    @Test("is compared with what the model gives now", .enabled(if: ShaperReference.canGenerate, "numpy is missing"))
    func keptReferenceIsTheModels() throws {
        let kept = try #require(ShaperReference.kept)
        let made = try ShaperReference.generate()
        #expect(made.filters == kept.filters)
        #expect(made.latencies == kept.latencies)
        for (now, before) in zip(made.aliases, kept.aliases) { #expect(abs(now.decibels - before.decibels) <= 0.02) }
        #expect(made.outputs.map(\.shaping) == kept.outputs.map(\.shaping))
        for (now, before) in zip(made.outputs, kept.outputs) {
            // Another processor's libraries may round another way.
            #expect(zip(now.samples, before.samples).allSatisfy { abs($0 - $1) <= 2e-9 })
        }
    }

    @Test("has the filters that the model designed")
    func filtersAreTheDesigned() throws {
        let filters = try #require(ShaperReference.kept?.filters)
        #expect([HalfBand.taps(.first), HalfBand.taps(.second)] == filters["linear"])
        let sections = [HalfBand.sections(.first), HalfBand.sections(.second)]
        #expect(sections.map { $0.flatMap { [$0.x, $0.y] } } == filters["minimum"])
    }

    @Test("states the latency that the model's filters have")
    func latenciesAreTheModels() throws {
        let latencies = try #require(ShaperReference.kept?.latencies)
        #expect(latencies.count == 10)
        for latency in latencies { #expect(abs(latency.shaping.latencyFrames - latency.frames) <= 1e-6) }
        #expect(Shaping(.off, .best).latencyFrames == 0)
    }

    @Test("delays a slow sine by the latency it states, to 1/2000 of a frame", arguments: modes)
    func statedLatencyIsMeasured(_ shaping: Shaping) {
        // Far below the knee, at 1/200 of the sample rate: the angle between what goes in and what comes out.
        let step = 2 * Double.pi / 200
        let input = (0..<1400).map { Float(0.01 * sin(step * Double($0))) }
        let output = shaped(input, shaping)
        var cosine = 0.0
        var sine = 0.0
        for frame in 1000..<1400 {
            cosine += Double(output[frame]) * cos(step * Double(frame))
            sine += Double(output[frame]) * sin(step * Double(frame))
        }
        let turned = atan2(-cosine, sine) / step
        let delay = turned < -1 ? turned + 200 : turned
        #expect(abs(delay - shaping.latencyFrames) <= (shaping.phase == .minimum ? 5e-3 : 5e-4))
    }

    @Test(
        "makes high notes at 44.1 kHz as much softer as the manual says, where the curve is straight",
        arguments: [(Antialiasing.adaa, 2.42, 10.92), (.adaaTwofold, 0.56, 1.92), (.best, 0.14, 0.45)])
    func highNotes(_ mode: Antialiasing, _ at10kHz: Double, _ at18kHz: Double) {
        for (hertz, loss) in [(10_000.0, at10kHz), (18_000, at18kHz)] {
            let input = (0..<4410).map { Float(0.1 * sin(2 * .pi * hertz / 44_100 * Double($0))) }
            func power(_ samples: [Float]) -> Double { samples[441..<3969].reduce(0) { $0 + Double($1) * Double($1) } }
            let measured = -10 * log10(power(shaped(input, Shaping(.hard, mode))) / power(input))
            #expect(abs(measured - loss) <= 0.01, "\(mode.name) at \(hertz) Hz: \(measured) dB")
        }
    }

    @Test("of linear phase has a symmetric impulse response", arguments: modes.filter { $0.phase == .linear })
    func linearPhaseIsSymmetric(_ shaping: Shaping) {
        // So small that the curve is a straight line of slope 1.5 with 24 bits to spare.
        var input = [Float](repeating: 0, count: 256)
        input[8] = 0x1p-20
        let response = shaped(input, shaping).map { Double($0) * 0x1p20 }
        let centre = 8 + shaping.latencyFrames
        guard centre == centre.rounded() || centre == centre.rounded(.down) + 0.5 else { return }
        for frame in 0..<Int(centre) {
            #expect(abs(response[frame] - response[Int(2 * centre) - frame]) <= 3e-7)
        }
        #expect(abs(response.reduce(0, +) - 1.5) <= 1e-3)
    }

    @Test("leaves as few aliases as the model with exact arithmetic", arguments: [1244.5, 5000])
    func aliasesAreTheModels(_ frequency: Double) throws {
        let reference = try #require(ShaperReference.kept)
        let meter = AliasMeter(frequency: frequency)
        let sine = meter.sine(gain: 10)
        for alias in reference.aliases where alias.frequency == frequency {
            guard alias.shaping.antialiasing.usesAntiderivative else { continue }
            let purity = meter.purity(of: shaped(sine, alias.shaping))
            #expect(abs(purity - alias.decibels) <= 0.2, "\(alias.shaping.testDescription)")
        }
    }

    @Test("gives the same bits however a signal is cut into blocks", arguments: Shaping.all)
    func blocksMakeNoDifference(_ shaping: Shaping) {
        var generator = SeededGenerator(seed: 400)
        let input = generator.signal(count: 400, magnitude: 2)
        let whole = shaped(input, shaping, gain: 1.7)
        for blocks in [generator.split(400), [Int](repeating: 1, count: 400), [63, 1, 64, 65, 200, 7]] {
            #expect(shaped(input, shaping, gain: 1.7, blocks: blocks).bits == whole.bits)
        }
        #expect(Set(whole.bits).count > 20)
    }

    @Test("gives the same bits with every instruction set", arguments: InstructionSet.available)
    func instructionSetsMakeNoDifference(_ instructions: InstructionSet) {
        var generator = SeededGenerator(seed: 403)
        var input = generator.signal(count: 300, magnitude: 2)
        // Ways of no length, across and beside the branch points, and of denormal numbers.
        input += [
            1, 1, Float(1).nextUp, Float(1).nextDown, -1, -0.0, 0, .leastNonzeroMagnitude, 5, 6, -7, 1e13,
            .leastNonzeroMagnitude * 10_000,
        ]
        for shaping in Shaping.all {
            // Of odd lengths, so that all steps of the loops are taken.
            for blocks in [[input.count], [8, 16, 33, 64, 192]] {
                let output = shaped(input, shaping, gain: 1.1, blocks: blocks, instructions: instructions)
                let wanted = shaped(input, shaping, gain: 1.1, blocks: blocks, instructions: .swift)
                #expect(output.bits == wanted.bits, "\(shaping.testDescription)")
            }
        }
        #expect(InstructionSet.available.contains(.best))
    }

    @Test("keeps channels and settings apart, and hears nothing of the past once cleared")
    func memoriesAreApart() {
        var generator = SeededGenerator(seed: 401)
        let input = generator.signal(count: 300, magnitude: 2)
        for shaping in Shaping.all where shaping.shape == .asymmetric {
            let alone = shaped(input, shaping)
            var shaper = AntialiasedShaper(channels: 3)
            for channel in 0..<3 {
                for setting in 0..<2 where channel != 1 || setting != 1 {
                    _ = processed(generator.signal(count: 300)) {
                        shaper.process($0, channel: channel, setting: setting, shaping, gain: Ramp(1))
                    }
                }
            }
            func second() -> [Float] {
                processed(input) { shaper.process($0, channel: 1, setting: 1, shaping, gain: Ramp(1)) }
            }
            #expect(second().bits == alone.bits)
            #expect(second().bits != alone.bits, "it remembers")
            shaper.clear(setting: 1)
            #expect(second().bits == alone.bits)
        }
    }

    @Test("drives with a gain that moves as a still one does at each frame")
    func gainMovesAtTheSampleRate() {
        var generator = SeededGenerator(seed: 402)
        let input = generator.signal(count: 300)
        var gain = Ramp(0.5)
        gain.move(to: 3, over: 250)
        let driven = processed(input) { $0.applyGain(gain) }
        for shaping in Self.modes where shaping.antialiasing != .off {
            var shaper = AntialiasedShaper(channels: 1)
            let output = processed(input) { shaper.process($0, channel: 0, setting: 0, shaping, gain: gain) }
            #expect(output.bits == shaped(driven, shaping).bits)
        }
    }
}
