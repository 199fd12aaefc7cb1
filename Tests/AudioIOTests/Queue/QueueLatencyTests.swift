import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("The latency of a queue") struct QueueLatencyTests {
        struct Size: Sendable, CustomTestStringConvertible {
            var frames: Int
            var count: Int
            var period: Int
            var latency: Int { (count - 1) * frames }
            var testDescription: String { "\(count) buffers of \(frames) frames on periods of \(period)" }
        }

        /// Shorter than the period, longer, multiples of it and none. Those that are shorter have no buffer to spare.
        static let sizes = [
            Size(frames: 64, count: 2, period: 64),
            Size(frames: 512, count: 2, period: 128),
            Size(frames: 63, count: 3, period: 64),
            Size(frames: 100, count: 3, period: 64),
            Size(frames: 441, count: 3, period: 256),
            Size(frames: 300, count: 3, period: 256),
            Size(frames: 48, count: 3, period: 64),
            Size(frames: 16, count: 5, period: 64),
            Size(frames: 7, count: 11, period: 64),
            Size(frames: 90, count: 5, period: 256),
            Size(frames: 2000, count: 3, period: 1024),
            Size(frames: 4410, count: 3, period: 2048),
        ]

        @Test(arguments: sizes)
        func `is (N − 1) · B for every frame while the worker is in time, as the ports declare`(size: Size) throws {
            let server = try Server(ServerConfiguration(sync: size.period))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [counter], length: 2 * size.latency + 20_000,
                QueueUnderTest(between: server, frames: size.frames, count: size.count))
            #expect(passage.unit.latencyFrames == size.latency)
            let watcher = try Watcher(on: server)
            let declared = LatencyRange(minimum: size.latency, maximum: size.latency)
            try waitUntil("the ports declare the latency") {
                try watcher.port("iounit:out_1").captureLatency == declared
                    && watcher.port("iounit:in_1").playbackLatency == declared
            }
            try passage.freewheel()
            try passage.run()
            try passage.keepTime()
            let delays = try passage.delays()
            #expect(delays.count > 10_000)
            #expect(Set(delays) == [size.latency])
            passage.unit.stop()
        }

        /// The worker may be late on a busy machine, which makes the way longer until it is made up for.
        @Test(arguments: [sizes[0], sizes[3], sizes[10]])
        func `is never less in real time, and just that where nothing is owed`(size: Size) throws {
            let server = try Server(ServerConfiguration(patient: size.period))
            defer { server.stop() }
            let passage = try QueuePassage(
                on: server, [counter], length: 16_000,
                QueueUnderTest(between: server, frames: size.frames, count: size.count))
            try passage.run()
            let delays = try passage.delays()
            #expect(delays.min() == size.latency)
            if passage.unit.statistics.insertedFrames == 0 { #expect(delays.max() == size.latency) }
            passage.unit.stop()
        }

        @Test func `exists only for queues that can work on the server's period`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            func refusal(_ frames: Int, _ count: Int) throws -> String? {
                let unit = try QueuedUnit(QueueUnderTest(alone: server, frames: frames, count: count))
                do throws(UnitError) {
                    try unit.start()
                    unit.stop()
                    return nil
                } catch {
                    #expect(!unit.isRunning)
                    return error.description
                }
            }
            let ways = "however fast the worker is; use"
            #expect(
                try refusal(63, 2) == "2 buffers of 63 frames run dry on periods of 64 frames, \(ways) 3 buffers, or "
                    + "buffers of 64 frames")
            #expect(try refusal(1, 64)?.hasSuffix("\(ways) buffers of 2 frames") == true, "65 buffers are too many")
            for size in Self.sizes where size.period == 64 && size.frames < 64 {
                #expect(try refusal(size.frames, size.count) == nil, "\(size.testDescription)")
                #expect(try refusal(size.frames, size.count - 1) != nil, "\(size.testDescription)")
            }
        }

        @Test func `is what jack_iodelay finds`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            var configuration = QueueUnderTest(alone: server, frames: 1000)
            configuration.format = .float
            configuration.isRealtime = true
            configuration.unit.channels = 1
            configuration.unit.isBypassed = true
            let unit = try QueuedUnit(configuration)
            try unit.start()
            let meter = try DelayMeter(on: server)
            let watcher = try Watcher(on: server)
            try watcher.connect("jack_delay:out", to: "iounit:in_1")
            try watcher.connect("iounit:out_1", to: "jack_delay:in")
            // The way round a loop is one period.
            #expect(abs(try meter.stableReading() - 256 - 2000) <= 0.02)
            withExtendedLifetime(meter) {}
            unit.stop()
        }
    }
}
