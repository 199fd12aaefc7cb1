import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A render unit on a device without a server")
struct RenderUnitTests {
    private static let periods = [0, 1, 7, 63, 64, 8191, 8192, 8193, 20_000]

    @Test("gives the formula of its input, for periods of any length", arguments: Shape.memoryless)
    func outputIsTheFormula(_ shape: Shape) {
        var generator = SeededGenerator(seed: 100 + UInt64(shape.rawValue))
        let parameters = ShaperSetting(shape: shape, gain: 0.8, drive: 2.5)
        let device = FakeDevice(parameters: parameters)
        for frames in Self.periods {
            let inputs = (0..<2).map { _ in generator.signal(count: frames) }
            let outputs = device.cycle(inputs)
            for channel in 0..<2 {
                #expect(outputs[channel].count == frames)
                #expect(largestError(of: outputs[channel], from: inputs[channel], parameters) <= 1e-6)
            }
        }
    }

    @Test("gives the same bits however a signal is cut into periods, while gain and shape are still moving")
    func periodsMakeNoDifference() {
        var generator = SeededGenerator(seed: 110)
        let input = generator.signal(count: 20_000)
        func rendered(_ periods: [Int]) -> [Float] {
            let device = FakeDevice(channels: 1, rampFrames: 4801)
            for command: Command in [.gain(2), .shape(.tanh), .mute(true), .mute(false), .drive(3)] {
                device.send(command)
            }
            var output: [Float] = []
            for frames in periods {
                output += device.cycle([Array(input[output.count..<(output.count + frames)])])[0]
            }
            return output
        }
        let whole = rendered([20_000])
        #expect(whole != input)
        for _ in 0..<3 { #expect(rendered(generator.split(20_000, longest: 9000)).bits == whole.bits) }
    }

    @Test("takes a port without a buffer for a silent input, and for an output that goes nowhere")
    func missingBuffers() {
        var generator = SeededGenerator(seed: 111)
        let device = FakeDevice(channels: 3, parameters: ShaperSetting(shape: .off))
        let signal = generator.signal(count: 9000)
        _ = device.cycle([signal, signal, signal])
        device.inputs[1] = nil
        device.outputs[2] = nil
        let outputs = device.cycle([signal, signal, signal])
        #expect(outputs[0] == signal)
        #expect(outputs[1].allSatisfy { $0 == 0 }, "nothing of the cycle before is left in the unit's buffer")
        #expect(outputs[2].isEmpty)
        #expect(device.meters.totals(2).frames == 18_000, "what goes nowhere is still measured")
    }

    @Test("keeps its channels apart", arguments: [1, 2, 64, 256])
    func channelsDoNotLeak(_ channels: Int) {
        var generator = SeededGenerator(seed: 112)
        let device = FakeDevice(channels: channels, parameters: ShaperSetting(shape: .off), longest: 8200)
        for frames in [65, 8193] {
            // Each channel has a signal of its own, and every other one is silent.
            let inputs = (0..<channels).map { channel in
                channel % 2 == 0 ? generator.signal(count: frames) : [Float](repeating: 0, count: frames)
            }
            #expect(device.cycle(inputs) == inputs)
        }
    }

    @Test("reads an input that is one of its outputs before it writes there", arguments: [1, 64, 8192, 8193, 20_000])
    func feedbackReadsTheOldContent(_ frames: Int) {
        var generator = SeededGenerator(seed: 113)
        let parameters = ShaperSetting(shape: .cubic, gain: 0.7, drive: 2)
        let device = FakeDevice(parameters: parameters)
        let first = generator.signal(count: frames)
        let old = generator.signal(count: frames)
        device.inputs[0]?.update(from: first, count: frames)
        device.outputs[0]?.update(from: old, count: frames)
        device.inputs[1] = device.outputs[0]
        device.cycle(frames: frames)
        #expect(largestError(of: device.output(0, count: frames), from: first, parameters) <= 1e-6)
        #expect(largestError(of: device.output(1, count: frames), from: old, parameters) <= 1e-6)
    }

    @Test("leaves its inputs alone")
    func inputsAreOnlyRead() {
        var generator = SeededGenerator(seed: 114)
        let signal = generator.signal(count: 500)
        let device = FakeDevice(channels: 1, parameters: ShaperSetting(shape: .hard, gain: 9))
        _ = device.cycle([signal])
        #expect(Array(UnsafeBufferPointer(start: device.inputs[0], count: 500)) == signal)
    }

    @Test("gives silence for what is no number, and counts it")
    func brokenInputIsSilence() {
        var generator = SeededGenerator(seed: 115)
        for shape in Shape.memoryless {
            let device = FakeDevice(parameters: ShaperSetting(shape: shape))
            var broken = generator.signal(count: 9001)
            for (place, value) in [(0, Float.nan), (8, .infinity), (8191, -.infinity), (8192, 1e16), (9000, .nan)] {
                broken[place] = value
            }
            let sound = generator.signal(count: 9001)
            let outputs = device.cycle([broken, sound])
            for place in [0, 8, 8191, 8192, 9000] { #expect(outputs[0][place] == 0) }
            let cleaned = broken.map { abs($0) <= 1e13 ? $0 : 0 }
            #expect(largestError(of: outputs[0], from: cleaned, device.parameters) <= 1e-6)
            #expect(largestError(of: outputs[1], from: sound, device.parameters) <= 1e-6)
            #expect(device.unit.pointer.pointee.counters.nonFinite.load(ordering: .relaxed) == 5)
            #expect(device.meters.totals(0).sumOfSquares.isFinite)
        }
    }

    @Test(
        "takes what is no number for silence in mid-stream, so that no filter ever remembers it",
        arguments: Shape.allCases, Antialiasing.allCases)
    func brokenInputLeavesNoTrace(_ shape: Shape, _ antialiasing: Antialiasing) {
        var generator = SeededGenerator(seed: 118)
        let sound = (0..<3).map { _ in generator.signal(count: 300, magnitude: 2) }
        for phase in FilterPhase.allCases {
            var parameters = ShaperSetting(shape: shape, drive: 3)
            parameters.antialiasing = antialiasing
            parameters.phase = phase
            func heard(_ values: [Float]) -> [Float] {
                let device = FakeDevice(channels: 1, parameters: parameters)
                return sound.flatMap { block in
                    var block = block
                    for (index, value) in values.enumerated() { block[100 + 7 * index] = value }
                    return device.cycle([block])[0]
                }
            }
            let broken = heard([.nan, .infinity, -.infinity, 1e16, .signalingNaN])
            #expect(broken.allSatisfy { $0.isFinite })
            #expect(broken.bits == heard([0, 0, 0, 0, 0]).bits)
        }
    }

    @Test("counts its cycles and frames, empty cycles too")
    func cyclesAreCounted() {
        let device = FakeDevice()
        for frames in [64, 0, 20_000, 1] { device.cycle(frames: frames) }
        #expect(device.unit.pointer.pointee.counters.cycles.load(ordering: .relaxed) == 4)
        #expect(device.unit.pointer.pointee.counters.frames.load(ordering: .relaxed) == 20_065)
    }

    @Test("begins with new parameters at once when it is reset, and forgets commands that it did not take")
    func resetStartsAnew() {
        var generator = SeededGenerator(seed: 116)
        let device = FakeDevice(channels: 1, rampFrames: 1000)
        device.send(.gain(5))
        device.cycle(frames: 10)
        device.send(.mute(true))
        let parameters = ShaperSetting(shape: .tanh, gain: 0.5)
        device.reset(parameters: parameters, rampFrames: 1000)
        let signal = generator.signal(count: 64)
        #expect(largestError(of: device.cycle([signal])[0], from: signal, parameters) <= 1e-6)
        #expect(device.parameters == parameters)
    }

    @Test("does everything at once inside the sanitizer's region: shapes, commands, taps, meters, changing periods")
    func wholeUnitIsRealtimeSafe() {
        var generator = SeededGenerator(seed: 117)
        let device = FakeDevice(rampFrames: 100)
        var tap = device.tap(capacity: 30_000)
        let small = device.tap(capacity: 100)
        var interleaved: [Float] = []
        var frames: UInt64 = 0
        for _ in 0..<200 {
            let commands: [Command] = [
                .gain(Float.random(in: 0...4, using: &generator)), .drive(Float.random(in: 0...4, using: &generator)),
                .shape(Shape.allCases.randomElement(using: &generator) ?? .off),
                .antialiasing(Antialiasing.allCases.randomElement(using: &generator) ?? .off),
                .phase(FilterPhase.allCases.randomElement(using: &generator) ?? .linear),
                .bypass(Bool.random(using: &generator)), .mute(Bool.random(using: &generator)),
            ]
            for command in commands where Bool.random(using: &generator) { device.send(command) }
            let period = [0, 1, 63, 64, 256, 1024, 8193].randomElement(using: &generator) ?? 0
            let outputs = device.cycle((0..<2).map { _ in generator.signal(count: period) })
            #expect(outputs.allSatisfy { $0.allSatisfy { $0.isFinite } })
            frames += UInt64(tap.read(interleavedInto: &interleaved, capacity: 30_000))
        }
        #expect(frames == device.unit.pointer.pointee.counters.frames.load(ordering: .relaxed))
        #expect(tap.droppedFrames == 0)
        #expect(small.droppedFrames > 0)
    }
}
