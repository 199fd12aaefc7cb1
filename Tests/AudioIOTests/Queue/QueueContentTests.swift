import AudioDSP
import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("What goes through a queue") struct QueueContentTests {
        @Test(arguments: [1, 2, 16])
        func `comes out to the bit and in its channel, in floating point`(channels: Int) throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 21)
            let passage = try QueuePassage(
                on: server, (0..<channels).map { _ in generator.signal(count: 9_973, magnitude: 4) }, length: 40_000,
                QueueUnderTest(between: server, frames: 300, channels: channels))
            try passage.freewheel()
            try passage.run()
            try passage.keepTime()
            for channel in 0..<channels {
                let (fed, heard) = try passage.pairs(channel, delay: 600)
                #expect(fed.count { $0 != 0 } > 20_000)
                #expect(firstDifferingBits(fed, heard) == nil)
            }
            passage.unit.stop()
        }

        @Test func `comes out to half a step in 16 bits, and not beyond full scale`() throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 22)
            let passage = try QueuePassage(
                on: server, [generator.signal(count: 9_973, magnitude: 1.25)], length: 40_000,
                QueueUnderTest(between: server, frames: 300, format: .int16))
            try passage.freewheel()
            try passage.run()
            try passage.keepTime()
            let (fed, heard) = try passage.pairs(delay: 600)
            #expect(fed.count { $0 != 0 } > 20_000)
            let step: Float = 1 / 32_768
            let errors = zip(fed, heard).map { abs(min(max($0, -1), 1 - step) - $1) }
            #expect(errors.max().map { $0 <= step / 2 } == true)
            let areSteps = heard.allSatisfy { ($0 * 32_768).rounded() == $0 * 32_768 }
            #expect(areSteps)
            passage.unit.stop()
        }

        /// Both units hear the same feeder; the queue's sound is compared with that of callback mode, by the frame clock.
        @Test(arguments: Shape.allCases)
        func `has been through the same chain as in callback mode, to the bit`(shape: Shape) throws {
            let server = try Server(ServerConfiguration(sync: 128))
            defer { server.stop() }
            var generator = SeededGenerator(seed: 23)
            let signal = generator.signal(count: 9_973, magnitude: 1.5)
            let feeder = try Probe.feeder(on: server, [signal])
            let sink = try Probe.sink(on: server, channels: 2, length: 40_000)
            var configuration = UnitConfiguration(
                between: server, shape: shape, gainDecibels: -3, driveDecibels: 7)
            configuration.outputs = .firstOf(["^sink:in_1$"])
            let direct = try IOUnit(configuration)
            var queue = QueueUnderTest(between: server, frames: 300)
            configuration.outputs = .firstOf(["^sink:in_2$"])
            queue.unit = configuration
            let queued = try QueuedUnit(queue)
            try direct.start()
            try queued.start()
            // Changed while they run, too; at rest again before anything is heard.
            for unit in [direct, queued] as [any ShaperUnit] { unit.setGain(decibels: -5) }
            try waitUntil("the queue has lost nothing for good") {
                queued.statistics.droppedFrames == queued.statistics.insertedFrames && queued.statistics.buffers > 10
            }
            try sink.withClient { try $0.setFreewheel(true) }
            let goal = queued.statistics.frames + 2000
            try waitUntil("the change of gain is over") { queued.statistics.frames > goal }
            try server.roll(sink, feeder)
            try waitUntil("the sink is full") { sink.isFull }
            try sink.withClient { try $0.setFreewheel(false) }
            queued.stop()
            direct.stop()
            let now = sink.signal(0).prefix(sink.passed)
            let later = sink.signal(1).prefix(sink.passed)
            #expect(later.dropFirst(600).count { $0 != 0 } > 20_000)
            #expect(firstDifferingBits(Array(now.dropLast(600)), Array(later.dropFirst(600))) == nil)
            #expect(now.contains { $0 != 0 && abs(Double($0)) > 0.3 })
        }
    }
}
