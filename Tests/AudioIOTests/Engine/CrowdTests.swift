import AudioIO
import AudioRealtime
import Glibc
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("Units beside each other") struct CrowdTests {
        @Test func `share a server and keep their sounds apart`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let names = ["first", "second"]
            let feeders = try names.enumerated().map { number, name in
                try Probe.feeder(on: server, [[Float(number + 1) / 8]], name: "\(name)-feeder")
            }
            let sinks = try names.map { try Probe.sink(on: server, channels: 1, length: 64, name: "\($0)-sink") }
            let units = try names.map { name in
                var configuration = UnitConfiguration(between: server, shape: .off)
                configuration.inputs = .firstOf(["^\(name)-feeder:"])
                configuration.outputs = .firstOf(["^\(name)-sink:"])
                return try IOUnit(configuration)
            }
            for unit in units { try unit.start() }
            #expect(units[0].connection?.clientName == "iounit")
            #expect(units[1].connection?.clientName == "iounit-01")
            units[1].setGain(linear: 3)
            for feeder in feeders { feeder.roll() }
            try waitUntil("each sink hears its own feeder through its own unit") {
                sinks[0].heard == 0.125 && sinks[1].heard == 0.75
            }
            units[0].stop()
            try waitUntil("the sound of the unit that stopped ends") { sinks[0].heard == 0 }
            try sinks[1].waitForCycles(16)
            #expect(sinks[1].heard == 0.75)
            units[1].stop()
            // Optimised code lets go of what it does not use again, and a feeder that is let go closes its client.
            withExtendedLifetime(feeders) {}
        }

        /// libjack knows one server for each process, so that the second unit is in a process of its own.
        @Test func `run on two servers at once`() async throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let passage = try Passage(
                on: server, [[0.125]], length: 64, UnitConfiguration(between: server, shape: .off))
            passage.feeder.roll()
            try waitUntil("the sink hears its feeder") { passage.sink.heard == 0.125 }
            await #expect(processExitsWith: .success) {
                let server = try Server(ServerConfiguration(sync: 256))
                let passage = try Passage(
                    on: server, [[0.25]], length: 64, UnitConfiguration(between: server, shape: .off))
                passage.feeder.roll()
                try waitUntil("the other server's sink hears its own feeder") { passage.sink.heard == 0.25 }
                try #require(passage.unit.periodFrames == 256)
                server.signal(SIGKILL)
                try waitUntil("the unit on the killed server notices") { passage.unit.hasLostServer }
                passage.unit.stop()
                server.stop()
            }
            try passage.sink.waitForCycles(16)
            #expect(!passage.unit.hasLostServer)
            #expect(passage.sink.heard == 0.125)
            passage.unit.stop()
        }
    }
}
