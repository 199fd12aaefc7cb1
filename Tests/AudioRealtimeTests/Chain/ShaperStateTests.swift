import AudioDSP
import AudioRealtime
import Glibc
import TestSupport
import Testing

@Suite("A shaper on the audio thread")
struct ShaperStateTests {
    /// A command that takes effect before the frame of this number.
    private struct Event {
        var frame: Int
        var command: Command

        init(_ frame: Int, _ command: Command) {
            self.frame = frame
            self.command = command
        }
    }

    /// `input` through a shaper, cut at the events and at whatever lengths `blocks` gives in turn.
    private func processed(
        _ input: [Float], _ parameters: ShaperSetting, rampFrames: Int, events: [Event] = [], blocks: [Int]? = nil
    ) -> [Float] {
        let planes = Planes(channels: 1, capacity: max(1, input.count))
        var mailbox = Mailbox(parameters)
        var shaper = ShaperState(
            mailbox.reader, parameters: parameters, rampFrames: rampFrames, maximumFrames: max(1, input.count),
            channels: 1)
        var told = parameters
        var output: [Float] = []
        var cuts = (blocks ?? [input.count])[...]
        var left = cuts.first ?? 0
        var pending = events[...]
        while output.count < input.count {
            while let event = pending.first, event.frame == output.count {
                told.apply(event.command)
                pending.removeFirst()
                if pending.first?.frame != output.count { mailbox.writer.put(told) }
            }
            while left == 0 {
                cuts.removeFirst()
                left = cuts.first ?? 0
            }
            let count = min(left, (pending.first?.frame ?? input.count) - output.count)
            let run = planes.run(0, count: count)
            for index in 0..<count { run[index] = input[output.count + index] }
            realtime { _ = shaper.process(planes, planes.all, frames: count) }
            for index in 0..<count { output.append(run[index]) }
            left -= count
        }
        return output
    }

    private static func constant(_ value: Float, count: Int) -> [Float] { [Float](repeating: value, count: count) }

    private static func sine(count: Int) -> [Float] { (0..<count).map { 0.8 * Float(sin(Double($0) * 0.05)) } }

    private static let commands: [Command] = [
        .gain(0), .gain(2), .drive(0.1), .drive(3), .shape(.off), .shape(.hard), .shape(.tanh), .shape(.fold),
        .makeUpGain(true), .bypass(true), .mute(true),
    ]

    @Test("takes a command over its ramp: on a constant, no sample jumps by more than the whole way's share")
    func commandsMakeNoClickOnAConstant() {
        let ramp = 480
        for command in Self.commands {
            for shape in Shape.memoryless {
                let parameters = ShaperSetting(shape: shape, gain: 0.7, drive: 1.3)
                let output = processed(
                    Self.constant(0.6, count: 2000), parameters, rampFrames: ramp, events: [Event(500, command)])
                var told = parameters
                told.apply(command)
                let way = abs(formula(0.6, told) - formula(0.6, parameters))
                // A gain's way is shaped by the curve, whose slope is at most 1.6; its length is at most
                // 2.1, on an input of 0.6.
                let shaped =
                    switch command {
                    case .gain, .drive: 1.6 * 0.6 * 2.1
                    default: way
                    }
                #expect(
                    Double(output.largestStep) <= shaped / Double(ramp) + 1e-6, "\(command) on \(shape.name)")
                #expect(abs(Double(output[499]) - formula(0.6, parameters)) <= 1e-6)
                #expect(abs(Double(output[500 + ramp]) - formula(0.6, told)) <= 1e-6, "\(command) on \(shape.name)")
            }
        }
    }

    @Test("takes a command over its ramp: on a sine, no step is larger than the sine's own and the ramp's share")
    func commandsMakeNoClickOnASine() {
        let ramp = 480
        let input = Self.sine(count: 2000)
        for command in Self.commands {
            for shape in Shape.memoryless {
                let parameters = ShaperSetting(shape: shape, gain: 0.7, drive: 1.3)
                let output = processed(input, parameters, rampFrames: ramp, events: [Event(511, command)])
                // The steepest slope of a curve, 1.6, at the highest gain reached, 2 · 1.3.
                let own = 1.6 * 2.6 * input.largestStep
                let share = 1.6 * 2.6 * 0.8 / Float(ramp)
                #expect(output.largestStep <= own + share, "\(command) on \(shape.name)")
            }
        }
    }

    @Test("makes no click whatever commands come and however close together")
    func commandStormMakesNoClick() {
        var generator = SeededGenerator(seed: 120)
        let ramp = 200
        for _ in 0..<30 {
            let frames = (0..<60).map { _ in Int.random(in: 0..<4000, using: &generator) }.sorted()
            let events = frames.map { frame in
                let command: Command =
                    switch Int.random(in: 0..<5, using: &generator) {
                    case 0: .gain(Float.random(in: 0...2, using: &generator))
                    case 1: .drive(Float.random(in: 0...2, using: &generator))
                    case 2: .shape(Shape.memoryless.randomElement(using: &generator) ?? .off)
                    case 3: .bypass(Bool.random(using: &generator))
                    default: .mute(Bool.random(using: &generator))
                    }
                return Event(frame, command)
            }
            let output = processed(
                Self.constant(0.5, count: 5000), ShaperSetting.cubic, rampFrames: ramp, events: events)
            // Gains go up to 4, on an input of 0.5, under a slope of at most 1.6: for both settings of a crossfade
            // together no more than for one. What is heard is at most 1, or 2 with the shape off: so far may a
            // crossfade and a mute move, each.
            let largest: Float = (1.6 * 4 * 0.5 + 2 + 2) / Float(ramp)
            #expect(output.largestStep <= largest + 1e-6)
            #expect(output.allSatisfy { $0.isFinite })
        }
    }

    @Test("is exactly its input once a bypass has settled", arguments: Shape.allCases)
    func bypassIsTheInput(_ shape: Shape) {
        var generator = SeededGenerator(seed: 121)
        let input = generator.signal(count: 1000, magnitude: 2)
        let output = processed(
            input, ShaperSetting(shape: shape, gain: 0.3, drive: 4), rampFrames: 100, events: [Event(10, .bypass(true))]
        )
        #expect(output[110...].elementsEqual(input[110...]))
        #expect(output[..<110] != input[..<110])
    }

    @Test("is exactly silent once a mute has settled, and comes back to what it was")
    func muteIsSilence() {
        var generator = SeededGenerator(seed: 122)
        let input = generator.signal(count: 1000)
        let parameters = ShaperSetting(shape: .tanh, drive: 3)
        let output = processed(
            input, parameters, rampFrames: 100, events: [Event(10, .mute(true)), Event(500, .mute(false))])
        #expect(output[110...500].allSatisfy { $0 == 0 })
        let undisturbed = processed(input, parameters, rampFrames: 100)
        #expect(output[600...].elementsEqual(undisturbed[600...]))
        #expect(output[..<10] == undisturbed[..<10])
    }

    @Test("arrives at the last shape, and the last gain, of several that came during one crossfade")
    func queuedShapesArrive() {
        var generator = SeededGenerator(seed: 123)
        let input = generator.signal(count: 1000)
        let ramp = 100
        let sequences: [[Command]] = [
            [.shape(.hard), .shape(.tanh)],
            [.shape(.hard), .shape(.tanh), .shape(.off)],
            [.shape(.hard), .shape(.cubic)],
            [.shape(.hard), .gain(3), .shape(.tanh), .drive(0.5)],
            [.bypass(true), .gain(3), .bypass(false)],
            [.bypass(true), .shape(.hard), .bypass(false), .gain(0.2)],
            [.makeUpGain(true), .drive(4), .gain(2), .drive(0.5)],
            [.makeUpGain(true), .drive(4), .makeUpGain(false)],
        ]
        for sequence in sequences {
            let start = ShaperSetting(shape: .cubic, drive: 2)
            let events = sequence.enumerated().map { Event(10 + 20 * $0.offset, $0.element) }
            let output = processed(input, start, rampFrames: ramp, events: events)
            var told = start
            for command in sequence { told.apply(command) }
            // One crossfade for the first, one for the last, and a ramp for a gain that came last.
            let settled = 10 + 3 * ramp
            let error = largestError(of: Array(output[settled...]), from: Array(input[settled...]), told)
            #expect(error <= 1e-5, "\(sequence)")
        }
    }

    @Test("takes commands of one frame for one change, whatever came between", arguments: [false, true])
    func commandsOfOneFrameAreOneChange(_ hasMakeUpGain: Bool) {
        let input = Self.sine(count: 3000)
        var start = ShaperSetting(shape: .cubic, drive: 2)
        start.hasMakeUpGain = hasMakeUpGain
        let drives = (1...30).map { Command.drive(Float($0) / 4) }
        let detour: [Command] = drives + [.shape(.hard), .gain(0.5), .shape(.tanh), .mute(true), .mute(false)]
        let direct: [Command] = [.drive(7.5), .gain(0.5), .shape(.tanh)]
        let outputs = [detour, direct].map { commands in
            processed(input, start, rampFrames: 480, events: commands.map { Event(500, $0) })
        }
        #expect(outputs[0].bits == outputs[1].bits)
        // One crossfade, and not one for the first command and another for the last.
        var told = start
        for command in direct { told.apply(command) }
        let settled = 500 + 480
        #expect(largestError(of: Array(outputs[0][settled...]), from: Array(input[settled...]), told) <= 1e-5)
    }

    @Test("jumps where there is no ramp")
    func noRampJumps() {
        let input = Self.constant(0.5, count: 20)
        for command in Self.commands {
            let output = processed(input, ShaperSetting.cubic, rampFrames: 0, events: [Event(10, command)])
            var told = ShaperSetting.cubic
            told.apply(command)
            for frame in 10..<20 { #expect(abs(Double(output[frame]) - formula(0.5, told)) <= 1e-6) }
        }
    }

    @Test("gives the same bits however the signal is cut, with commands at fixed frames", arguments: 1...8)
    func blocksMakeNoDifference(_ round: Int) {
        var generator = SeededGenerator(seed: 124 + UInt64(round))
        let input = generator.signal(count: 6000)
        let frames = (0..<40).map { _ in Int.random(in: 0..<5000, using: &generator) }.sorted()
        var events = frames.map { Event($0, Self.commands.randomElement(using: &generator) ?? .mute(false)) }
        // Whatever came before, sound comes through at the end.
        events += [Event(5100, .mute(false)), Event(5150, .bypass(false)), Event(5200, .gain(0.9))]
        let whole = processed(input, ShaperSetting.cubic, rampFrames: 137, events: events)
        for _ in 0..<3 {
            let cut = processed(
                input, ShaperSetting.cubic, rampFrames: 137, events: events, blocks: generator.split(input.count))
            #expect(cut.bits == whole.bits)
        }
        #expect(Set(whole.bits).count > 500, "something was heard")
    }

    /// Every means against aliases but none, in each phase that makes a difference.
    private static let means: [[Command]] = Antialiasing.allCases.dropFirst().flatMap { mode in
        FilterPhase.allCases.prefix(mode.oversampling == 1 ? 1 : 2).map { [.antialiasing(mode), .phase($0)] }
    }

    @Test(
        "changes the means against aliases without a click: nothing above −46 dB that is not the sine",
        arguments: means)
    func antialiasingChangesWithoutAClick(_ commands: [Command]) {
        let ramp = 480
        // Far below the knee, so that what is not the sine is the change alone. 1000 is a whole number of turns.
        let input = (0..<6000).map { 0.01 * Float(sin(2 * Double.pi * 0.02 * Double($0))) }
        let events = commands.map { Event(1001, $0) } + [Event(3003, .antialiasing(.off))]
        let output = processed(input, ShaperSetting(shape: .cubic), rampFrames: ramp, events: events)
        // A filter with zeros at DC and on the sine takes the sine away, and leaves what is short.
        let cosine = 2 * Float(cos(2 * Double.pi * 0.02))
        let rest = (2..<6000).map { output[$0] - cosine * output[$0 - 1] + output[$0 - 2] }
        // Of a click as high as the sine, 0.015, at least as much would be left. The corner is left of a straight fade
        // between two sines that may be opposite: 2/480 of it.
        #expect((rest.map(abs).max() ?? 1) <= 0.015 * 0.005)
        let settled = processed(input, ShaperSetting(shape: .cubic), rampFrames: ramp)
        #expect(output[5000...].elementsEqual(settled[5000...]))
        #expect(output[2500..<3000] != settled[2500..<3000])
    }

    @Test("sounds after a change as it would had it always been so", arguments: means)
    func changedSoundsAsBegun(_ commands: [Command]) {
        var generator = SeededGenerator(seed: 126)
        let input = generator.signal(count: 2600)
        var told = ShaperSetting(shape: .cubic, drive: 3)
        let changed = processed(input, told, rampFrames: 100, events: commands.map { Event(200, $0) })
        for command in commands { told.apply(command) }
        let begun = processed(input, told, rampFrames: 100)
        let differences = zip(changed, begun).dropFirst(1600).map { abs($0 - $1) }
        #expect((differences.max() ?? 1) <= 1e-6)
        #expect(changed[..<200] != begun[..<200])
    }

    @Test("has the latency that its parameters state; none in a bypass and without a shape", arguments: means)
    func latencyIsStated(_ commands: [Command]) {
        var told = ShaperSetting(shape: .hard)
        for command in commands { told.apply(command) }
        // A slow hill, below the knee: its centre of gravity moves by the latency.
        let input = (0..<1000).map { 0.5 * Float(exp(-pow((Double($0) - 400) / 60, 2))) }
        let output = processed(input, told, rampFrames: 0)
        func centre(_ signal: [Float]) -> Double {
            let moments = signal.enumerated().map { Double($0.offset) * Double($0.element) }
            return moments.reduce(0, +) / signal.map(Double.init).reduce(0, +)
        }
        #expect(told.latencyFrames > 0)
        #expect(abs(centre(output) - centre(input) - told.latencyFrames) <= 1e-3)
        told.apply(.bypass(true))
        #expect(told.latencyFrames == 0)
    }

    @Test("gives the same bits however the signal is cut, while the means against aliases change", arguments: 1...4)
    func blocksMakeNoDifferenceToChanges(_ round: Int) {
        var generator = SeededGenerator(seed: 130 + UInt64(round))
        let input = generator.signal(count: 4000)
        let events = (0..<12).map { number in
            let command: Command =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: .shape(Shape.allCases.randomElement(using: &generator) ?? .off)
                case 1: .antialiasing(Antialiasing.allCases.randomElement(using: &generator) ?? .off)
                case 2: .phase(FilterPhase.allCases.randomElement(using: &generator) ?? .linear)
                case 3: .makeUpGain(Bool.random(using: &generator))
                default: .drive(Float.random(in: 1...4, using: &generator))
                }
            return Event(50 + 300 * number, command)
        }
        let start = ShaperSetting(shape: .cubic)
        let whole = processed(input, start, rampFrames: 77, events: events)
        let cut = processed(input, start, rampFrames: 77, events: events, blocks: generator.split(input.count))
        #expect(cut.bits == whole.bits)
        #expect(whole.allSatisfy { $0.isFinite })
    }

    /// The RMS level of a signal in decibels, without what is constant in it.
    private func level(_ signal: ArraySlice<Float>) -> Double {
        let mean = signal.reduce(0) { $0 + Double($1) } / Double(signal.count)
        let squares = signal.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        return 10 * log10(squares / Double(signal.count))
    }

    /// A sine with a peak of ¼, of 400 frames: a whole number of quarters of any longer block that is looked at.
    private static func quiet(count: Int) -> [Float] {
        (0..<count).map { 0.25 * Float(sin(2 * Double.pi * Double($0) / 400)) }
    }

    @Test("keeps the level of a sine of −12 dB to 0.1 dB from −60 to 60 dB of drive", arguments: Shape.allCases)
    func levelIsKept(_ shape: Shape) {
        let input = Self.quiet(count: 12_000)
        for decibels in stride(from: -60.0, through: 60, by: 6) {
            var parameters = ShaperSetting(shape: shape, gain: 1, drive: Float(Decibels.linear(decibels)))
            parameters.hasMakeUpGain = true
            let output = processed(input, parameters, rampFrames: 0)
            let change = level(output[8000...]) - level(input[8000...])
            // Folded a hundred times, a sine of 400 frames is met only here and there.
            let bound = shape == .fold && decibels > 40 ? 0.3 : 0.1
            #expect(abs(change) <= bound, "\(shape.name) at \(decibels) dB: \(change) dB")
        }
    }

    @Test(
        "changes the drive without a step in the level with make-up gain, however far",
        arguments: Shape.allCases.filter { $0 != .off && $0 != .fold })
    func driveChangesAtOneLevelWithMakeUpGain(_ shape: Shape) {
        let input = Self.quiet(count: 9600)
        for (from, to) in [(0.001, 1000), (1000, 0.001), (1, 1.06), (2, 4)] as [(Float, Float)] {
            var parameters = ShaperSetting(shape: shape, gain: 1, drive: from)
            parameters.hasMakeUpGain = true
            let output = processed(input, parameters, rampFrames: 400, events: [Event(8100, .drive(to))])
            // Both settings have this level, and they swing together: so has any mixture of them. The blocker of DC does
            // not know what is constant of a sound that is shaped quite differently.
            let isFar = to / from > 100 || from / to > 100
            let change = level(output[8100..<8500]) - level(input[8100..<8500])
            #expect(abs(change) <= 0.5, "\(shape.name), \(from) to \(to): \(change) dB")
            // The steepest that either setting is.
            let steepest = max(output[7600..<8100].map { $0 }.largestStep, output[8900...].map { $0 }.largestStep)
            let largest = output[8090..<8510].map { $0 }.largestStep
            #expect(largest <= steepest * 1.05 + 1 / 400, "\(shape.name), \(from) to \(to)")
            guard shape != .asymmetric || !isFar else { continue }
            #expect((output[8100..<8500].map(abs).max() ?? 1) <= 0.27)
        }
    }

    @Test("turns make-up gain on and off without a click", arguments: Shape.memoryless)
    func makeUpGainChangesWithoutAClick(_ shape: Shape) {
        let input = Self.quiet(count: 3000)
        let parameters = ShaperSetting(shape: shape, gain: 1, drive: 6)
        let output = processed(
            input, parameters, rampFrames: 480,
            events: [Event(500, .makeUpGain(true)), Event(1500, .makeUpGain(false))])
        var told = parameters
        told.hasMakeUpGain = true
        #expect(largestError(of: Array(output[..<500]), from: Array(input[..<500]), parameters) <= 1e-6)
        #expect(largestError(of: Array(output[980..<1500]), from: Array(input[980..<1500]), told) <= 1e-5)
        #expect(largestError(of: Array(output[1980...]), from: Array(input[1980...]), parameters) <= 1e-6)
        // The signal's own steps, and the share of the way that a frame of the fade goes.
        #expect(output.largestStep <= Array(output[..<500]).largestStep + 1 / 480)
    }

    @Test("treats every channel alike, while a crossfade runs too")
    func channelsAreAlike() {
        var generator = SeededGenerator(seed: 125)
        let input = generator.signal(count: 300)
        let planes = Planes(channels: 3, capacity: 300)
        var mailbox = Mailbox(.cubic as ShaperSetting)
        var shaper = ShaperState(
            mailbox.reader, parameters: .cubic, rampFrames: 120, maximumFrames: 300, channels: 3)
        for channel in 0..<3 {
            for index in 0..<300 { planes.run(channel, count: 300)[index] = input[index] }
        }
        var told = ShaperSetting(shape: .hard, gain: 2)
        told.isMuted = true
        mailbox.writer.put(told)
        realtime { _ = shaper.process(planes, planes.all, frames: 300) }
        let outputs = (0..<3).map { channel in (0..<300).map { planes.run(channel, count: 300)[$0] } }
        #expect(outputs[0] == outputs[1])
        #expect(outputs[0] == outputs[2])
    }
}
