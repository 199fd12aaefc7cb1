import AudioDSP
import AudioIO
import TestSupport
import Testing

/// Adds up what it hears, from the start of the stream on, times a parameter.
private struct Sum: AudioProcessor, ~Copyable {
    private var factor: ParameterReader<Float>
    private var sum: Float = 0

    init(_ factor: ParameterGroup<Float> = ParameterGroup(1)) { self.factor = factor.makeReader() }

    mutating func process(_ block: borrowing ProcessorBlock) {
        let factor = factor.newest()
        for frame in 0..<block.frames {
            sum += block[0, frame]
            block[0, frame] = sum * factor
        }
    }

    mutating func reset(sampleRate: Int) { sum = 0 }
}

@_noLocks @_noAllocation
private func sum(_ call: ProcessorCall) { call.process(Sum.self) }

/// Lets out later what it hears, by as many frames as it says.
private struct Later: AudioProcessor, ~Copyable {
    private var memory = InlineArray<3, Float>(repeating: 0)
    private var place = 0

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames {
            (memory[place], block[0, frame]) = (block[0, frame], memory[place])
            place = (place + 1) % 3
        }
    }
}

@_noLocks @_noAllocation
private func later(_ call: ProcessorCall) { call.process(Later.self) }

/// One over what it hears.
private struct Reciprocal: AudioProcessor, ~Copyable {
    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames { block[0, frame] = 1 / block[0, frame] }
    }
}

@_noLocks @_noAllocation
private func reciprocal(_ call: ProcessorCall) { call.process(Reciprocal.self) }

@Suite("A processor in an engine") struct ProcessorNodeTests {
    private func engine(with processor: Processor, rampFrames: Int = 480) throws -> Engine {
        let engine = try offlineEngine(rampFrames: rampFrames)
        engine.attach(processor)
        try engine.change {
            try engine.connect(engine.input, to: processor)
            try engine.connect(processor, to: engine.output)
        }
        return engine
    }

    @Test func `is heard, and obeys its parameter from the next block on`() throws {
        let factor = ParameterGroup<Float>(1)
        let engine = try engine(with: Processor(Sum(factor), process: sum), rampFrames: 0)
        #expect(try engine.render([1, 2, 3]) == [1, 3, 6])
        factor.value = 10
        #expect(try engine.render([4]) == [100])
    }

    @Test func `begins again with each start of the engine`() throws {
        let engine = try engine(with: Processor(Sum(), process: sum), rampFrames: 0)
        #expect(try engine.render([1, 1]) == [1, 2])
        engine.stop()
        try engine.start()
        #expect(try engine.render([1, 1]) == [1, 2])
    }

    @Test func `has another state each time it is attached, to one engine after the other or to the same one`() throws {
        let processor = Processor(Sum(), process: sum)
        let first = try engine(with: processor, rampFrames: 100)
        #expect(try first.render(ones(1000)).last == 1000)
        // The old state fades out beside the new one, and is not rendered twice.
        first.detach(processor)
        first.attach(processor)
        try first.connect(first.input, to: processor)
        try first.connect(processor, to: first.output)
        #expect(try first.render(ones(1000)).last == 1000)
        first.detach(processor)
        let second = try engine(with: processor, rampFrames: 0)
        #expect(try second.render(ones(10)).last == 10)
    }

    @Test func `is aligned with what runs beside it, by the latency that it declares`() throws {
        var generator = SeededGenerator(seed: 2100)
        let signal = generator.signal(count: 2000)
        let processor = Processor(Later(), latencyFrames: 3, process: later)
        let engine = try Engine(offline: 48_000, inputs: 1, outputs: 1)
        engine.attach(processor)
        try engine.connect(engine.input, to: processor)
        try engine.connect(processor, to: engine.mixer)
        try engine.connect(engine.input, to: engine.mixer)
        try engine.start()
        #expect(engine.latencyFrames == 3)
        let output = try engine.render(signal)
        #expect(output == [0, 0, 0] + signal.dropLast(3).map { 2 * $0 })
    }

    @Test func `has no greater latency than there may be, whatever it declares`() throws {
        let engine = try offlineEngine()
        let first = engine.attach(Processor(Sum(), latencyFrames: .max, process: sum))
        let second = engine.attach(Processor(Sum(), latencyFrames: .max, settlingFrames: .min, process: sum))
        try engine.connect(engine.input, to: first)
        try engine.connect(first, to: second)
        try engine.connect(second, to: engine.output)
        #expect(engine.latencyFrames == 2 << 24)
    }

    @Test func `counts what it wrote that is no number, which is silence`() throws {
        let processor = Processor(Reciprocal(), process: reciprocal)
        #expect(processor.nonFiniteSamples == 0)
        let engine = try engine(with: processor, rampFrames: 0)
        #expect(try engine.render([2, 0, 4, 0]) == [0.5, 0, 0.25, 0])
        #expect(processor.nonFiniteSamples == 2)
    }

    @Test func `is found by an error under its name`() throws {
        let engine = try offlineEngine()
        let processor = engine.attach(Processor(Sum(), process: sum))
        try engine.connect(processor, to: engine.mixer)
        #expect(throws: NodeError.loop(["processor", "mixer", "processor"])) {
            try engine.connect(engine.mixer, to: processor)
        }
    }
}
