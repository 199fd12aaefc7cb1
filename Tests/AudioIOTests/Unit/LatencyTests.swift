import AudioDSP
import AudioIO
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("The latency of a unit") struct LatencyTests {
        @Test(arguments: [true, false])
        func `is declared as none: other clients see through it as through a wire`(isSync: Bool) throws {
            var configuration = ServerConfiguration(sync: 128)
            configuration.isSync = isSync
            let server = try Server(configuration)
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            let wire = try Wire(on: server)
            let watcher = try Watcher(on: server)
            try watcher.connect("system:capture_1", to: "wire:in")
            try watcher.connect("wire:out", to: "system:playback_1")

            let capture = try watcher.port("system:capture_1").captureLatency
            let playback = try watcher.port("system:playback_1").playbackLatency
            #expect(capture.minimum >= 128)
            #expect(playback.minimum >= 128)
            for channel in [1, 2] {
                try waitUntil("the unit's ports show the latencies of the card's") {
                    try watcher.port("iounit:in_\(channel)").captureLatency == capture
                        && watcher.port("iounit:out_\(channel)").captureLatency == capture
                        && watcher.port("iounit:in_\(channel)").playbackLatency == playback
                        && watcher.port("iounit:out_\(channel)").playbackLatency == playback
                }
            }
            try waitUntil("the wire's ports show the same") {
                try watcher.port("wire:out").captureLatency == capture
                    && watcher.port("wire:in").playbackLatency == playback
            }
            withExtendedLifetime(wire) {}
            unit.stop()
        }

        @Test func `is measured as that of a wire`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            var configuration = UnitConfiguration(alone: server)
            configuration.channels = 1
            configuration.shape = .off
            let unit = try IOUnit(configuration)
            try unit.start()
            let wire = try Wire(on: server)
            let meter = try DelayMeter(on: server)
            let watcher = try Watcher(on: server)
            try watcher.connect("jack_delay:out", to: "wire:in")
            try watcher.connect("wire:out", to: "jack_delay:in")
            let throughWire = try meter.stableReading()
            try watcher.disconnect("jack_delay:out", from: "wire:in")
            try watcher.disconnect("wire:out", from: "jack_delay:in")
            try watcher.connect("jack_delay:out", to: "iounit:in_1")
            try watcher.connect("iounit:out_1", to: "jack_delay:in")
            let throughUnit = try meter.stableReading()
            #expect(abs(throughUnit - throughWire) <= 0.02)
            // The way round a loop is one period.
            #expect(abs(throughWire - 64) <= 0.02)
            withExtendedLifetime((wire, meter)) {}
            unit.stop()
        }
    }
}
