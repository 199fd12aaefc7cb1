import AudioIO
import Jack
import Testing

extension OnServer {
    @Suite("A route") struct RouteTests {
        /// What each port of a unit with these routes is connected to.
        private func connections(
            _ server: Server, channels: Int = 2, inputs: Route = .none, outputs: Route = .none
        ) throws -> [String: Set<String>] {
            var configuration = UnitConfiguration(alone: server)
            configuration.channels = channels
            configuration.inputs = inputs
            configuration.outputs = outputs
            let unit = try IOUnit(configuration)
            try unit.start()
            defer { unit.stop() }
            let watcher = try Watcher(on: server)
            var found: [String: Set<String>] = [:]
            for name in try #require(unit.connection.map { $0.inputs + $0.outputs }) {
                found[String(name.dropFirst("iounit:".count))] = Set(try watcher.port(name).connections)
            }
            return found
        }

        @Test func `to a client of the name that the unit is to have leads there, and the unit gets another name`()
            throws
        {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let first = try IOUnit(UnitConfiguration(alone: server))
            try first.start()
            defer { first.stop() }
            var configuration = UnitConfiguration(alone: server)
            configuration.channels = 1
            configuration.inputs = .firstOf(["^iounit:out_1$"])
            try configuration.checkRoutes(on: Client(name: "probe", server: server.name))
            let second = try IOUnit(configuration)
            try second.start()
            defer { second.stop() }
            let connection = try #require(second.connection)
            #expect(connection.clientName != "iounit")
            #expect(try Watcher(on: server).port(connection.inputs[0]).connections == ["iounit:out_1"])
        }

        @Test func `to physical ports pairs them in order and leaves the rest alone`() throws {
            let server = try Server(ServerConfiguration(sync: 256, channels: 3))
            defer { server.stop() }
            #expect(
                try connections(server, inputs: .physical, outputs: .physical) == [
                    "in_1": ["system:capture_1"], "in_2": ["system:capture_2"],
                    "out_1": ["system:playback_1"], "out_2": ["system:playback_2"],
                ])
            #expect(
                try connections(server, channels: 4, inputs: .physical, outputs: .physical) == [
                    "in_1": ["system:capture_1"], "in_2": ["system:capture_2"], "in_3": ["system:capture_3"],
                    "in_4": [],
                    "out_1": ["system:playback_1"], "out_2": ["system:playback_2"], "out_3": ["system:playback_3"],
                    "out_4": [],
                ])
        }

        @Test func `to physical ports is none where the server has none`() throws {
            let server = try Server(ServerConfiguration(sync: 256, channels: 0))
            defer { server.stop() }
            #expect(try connections(server, inputs: .physical, outputs: .physical).values.allSatisfy(\.isEmpty))
        }

        @Test func `that is none connects nothing`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            #expect(try connections(server).values.allSatisfy(\.isEmpty))
        }

        @Test func `spreads a lone port over both channels, and one channel over a pair`() throws {
            let server = try Server(ServerConfiguration(sync: 256, channels: 3))
            defer { server.stop() }
            // A lone source feeds each input, a lone target takes each output.
            #expect(
                try connections(
                    server, inputs: .firstOf(["capture_2$"]), outputs: .firstOf(["playback_3$"])) == [
                        "in_1": ["system:capture_2"], "in_2": ["system:capture_2"],
                        "out_1": ["system:playback_3"], "out_2": ["system:playback_3"],
                    ])
            // One input takes the first source; one output is heard left and right, and no further.
            #expect(
                try connections(server, channels: 1, inputs: .physical, outputs: .physical) == [
                    "in_1": ["system:capture_1"], "out_1": ["system:playback_1", "system:playback_2"],
                ])
        }

        @Test func `takes the first of its patterns that finds a port, and all that it finds`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let feeder = try Probe.feeder(on: server, [[0], [0]])
            #expect(
                try connections(
                    server, inputs: .firstOf(["^headset:", "^feeder:", "^system:"]),
                    outputs: .firstOf(["^system:playback_", "^feeder:"])) == [
                        "in_1": ["feeder:out_1"], "in_2": ["feeder:out_2"],
                        "out_1": ["system:playback_1"], "out_2": ["system:playback_2"],
                    ])
            #expect(feeder.portNames.count == 2)
        }

        @Test func `never leads to the unit's own ports, though its pattern does`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            #expect(
                try connections(server, inputs: .firstOf([".*"]), outputs: .firstOf([".*"])) == [
                    "in_1": ["system:capture_1"], "in_2": ["system:capture_2"],
                    "out_1": ["system:playback_1"], "out_2": ["system:playback_2"],
                ])
            #expect(throws: UnitError.self) { try connections(server, inputs: .firstOf(["^iounit:"])) }
        }

        @Test func `may lead to another unit, whose name begins with the own one`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let other = try IOUnit(UnitConfiguration(alone: server))
            try other.start()
            var configuration = UnitConfiguration(alone: server)
            configuration.inputs = .firstOf(["^iounit"])
            let unit = try IOUnit(configuration)
            try unit.start()
            let watcher = try Watcher(on: server)
            #expect(try watcher.port("iounit-01:in_1").connections == ["iounit:out_1"])
            #expect(try watcher.port("iounit-01:in_2").connections == ["iounit:out_2"])
            unit.stop()
            other.stop()
        }
    }
}
