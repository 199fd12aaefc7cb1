import AudioDSP
import AudioIO
import AudioRealtime
import Glibc
import Jack
import TestSupport
import Testing

/// Numbers the frames that it has rendered, from 1 on, and hears nothing.
private struct Numbering: AudioProcessor, ~Copyable {
    private var number: Float = 0

    mutating func process(_ block: borrowing ProcessorBlock) {
        for frame in 0..<block.frames {
            number += 1
            for channel in 0..<block.channels { block[channel, frame] = number }
        }
    }
}

@_noLocks @_noAllocation
private func number(_ call: ProcessorCall) { call.process(Numbering.self) }

extension OnServer {
    @Suite("An engine behind a queue") struct QueuedEngineTests {
        private func configuration(_ server: String, inputs: Int, outputs: Int) -> EngineConfiguration {
            var configuration = EngineConfiguration()
            configuration.serverName = server
            configuration.inputChannels = inputs
            configuration.outputChannels = outputs
            configuration.inputs = inputs == 0 ? .none : .firstOf(["^feeder:"])
            configuration.outputs = .firstOf(["^sink:"])
            configuration.rampMilliseconds = 0
            return configuration
        }

        private var buffers: QueueConfiguration {
            var buffers = QueueConfiguration(bufferFrames: 300)
            buffers.format = .float
            return buffers
        }

        /// A queue has frames to drop until it is as old again as it is meant to be.
        private func settle(_ engine: Engine) throws {
            try waitUntil("the queue is as old as it is meant to be") {
                guard let statistics = engine.unit?.statistics else { return false }
                return statistics.droppedFrames == statistics.insertedFrames
            }
        }

        @Test(arguments: [1, 2, 3])
        func `renders nodes of its own, from one input to as many outputs as it has, sample for sample`(
            outputs: Int
        ) throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, [counter])
            let sink = try Probe.sink(on: server, channels: outputs, length: 20_000)
            let engine = try Engine(configuration(server.name, inputs: 1, outputs: outputs), queue: buffers)
            let delay = engine.attach(Delay(frames: 100, channels: 1))
            try engine.connect(engine.input, to: delay)
            let mixer = engine.attach(Mixer(channels: outputs))
            try engine.connect(delay, to: mixer)
            try engine.connect(mixer, to: engine.output)
            try engine.start()
            try sink.waitForCycles()
            try settle(engine)
            // A node that comes while the worker renders is heard from some buffer on.
            let gain = Gain(linear: 0.5, channels: 1)
            try engine.change {
                engine.attach(gain)
                try engine.connect(delay, to: gain)
                try engine.connect(gain, to: mixer)
                engine.disconnect(delay, from: mixer)
            }
            try sink.withClient { try $0.setFreewheel(true) }
            let goal = (engine.unit?.statistics.frames ?? 0) + 2000
            try waitUntil("the change is over") { (engine.unit?.statistics.frames ?? 0) > goal }
            try server.roll(sink, feeder)
            try waitUntil("the sink is full") { sink.isFull }
            try sink.withClient { try $0.setFreewheel(false) }
            engine.close()

            let first = try #require(sink.notes.first)
            let origin = try #require(feeder.notes.first)
            let start = Int(Int32(bitPattern: first.frameTime &- origin.frameTime))
            for channel in 0..<outputs {
                let heard = sink.signal(channel).prefix(sink.passed).enumerated().filter { $0.element != 0 }
                #expect(heard.count > 10_000)
                // Two buffers, and the node's own delay.
                #expect(Set(heard.map { start + $0.offset - (Int(2 * $0.element) - 1) }) == [700])
            }
        }

        @Test(arguments: [(inputs: 0, outputs: 2), (inputs: 3, outputs: 1)])
        func `needs no inputs, and may have more of them than outputs`(inputs: Int, outputs: Int) throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, Array(repeating: counter, count: max(1, inputs)))
            let sink = try Probe.sink(on: server, channels: outputs, length: 20_000)
            let engine = try Engine(configuration(server.name, inputs: inputs, outputs: outputs), queue: buffers)
            let source = engine.attach(Processor(Numbering(), channels: outputs, process: number))
            try engine.connect(source, to: engine.output)
            feeder.roll()
            try engine.start()
            try sink.waitForCycles()
            try settle(engine)
            try sink.withClient { try $0.setFreewheel(true) }
            sink.roll()
            try waitUntil("the sink is full") { sink.isFull }
            try sink.withClient { try $0.setFreewheel(false) }
            engine.close()
            for channel in 0..<outputs {
                let heard = Array(sink.signal(channel).prefix(sink.passed))
                let first = try #require(heard.first)
                #expect(first > 0 && heard.count > 10_000)
                #expect(firstDifferingBits(heard, heard.indices.map { first + Float($0) }) == nil)
            }
        }

        @Test func `counts frames as its nodes and taps do, whatever was under way when it was stopped`() throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            var configuration = EngineConfiguration()
            configuration.serverName = server.name
            let engine = try Engine(configuration, queue: buffers)
            var reader = try engine.tapReader(engine.output, capacityFrames: 1 << 17)
            var position: UInt64 = 0
            var samples: [Float] = []
            for _ in 0..<3 {
                try engine.start()
                let before = engine.position
                try waitUntil("the worker renders") { engine.position > before + 3000 }
                engine.stop()
                while let block = reader.readBlock(interleavedInto: &samples) {
                    position = block.position + UInt64(block.frames)
                }
                #expect(engine.position == position)
            }
            engine.close()
        }

        @Test func `joins the server that takes the place of one that ended`() throws {
            let host = try Succession(ServerConfiguration(sync: 64))
            var configuration = EngineConfiguration()
            configuration.serverName = host.name
            let engine = try Engine(configuration, queue: buffers, policy: ReconnectPolicy(.automatic))
            try engine.connect(engine.input, to: engine.output)
            try engine.start()
            try waitUntil("the worker renders") { (engine.unit?.statistics.buffers ?? 0) > 10 }
            try host.end(by: SIGKILL)
            try waitUntil("it waits for a server") { engine.state == .interrupted(.serverGone) }
            try host.startAgain()
            try waitUntil("the engine is running") { engine.state == .running }
            let before = engine.unit?.statistics.buffers ?? 0
            try waitUntil("the worker renders again") { (engine.unit?.statistics.buffers ?? 0) > before + 10 }
            #expect(engine.resets == 1)
            engine.close()
        }

        @Test func `is refused where its buffers are, and where it would follow the transport`() {
            func refusal(_ change: (inout EngineConfiguration, inout QueueConfiguration) -> Void) -> String? {
                var (configuration, buffers) = (EngineConfiguration(), buffers)
                change(&configuration, &buffers)
                do throws(UnitError) {
                    _ = try Engine(configuration, queue: buffers)
                    return nil
                } catch {
                    return error.description
                }
            }
            #expect(refusal { _, _ in } == nil)
            #expect(refusal { $1.bufferCount = 1 } == "a number of buffers of 1 is out of range; use 2 to 64")
            #expect(
                refusal { configuration, buffers in
                    configuration.inputChannels = 256
                    (buffers.bufferFrames, buffers.bufferCount) = (480_000, 64)
                }?.hasSuffix("1024 MiB at the most") == true)
            #expect(
                refusal { configuration, _ in configuration.transport = .observed }
                    == "behind a queue nothing can follow JACK's transport; leave out one of both")
        }
    }
}
