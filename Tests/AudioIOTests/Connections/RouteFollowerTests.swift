import Jack
import Synchronization
import TestSupport
import Testing
import Threads

@testable import AudioIO

extension OnServer {
    @Suite("Routes that are followed") struct RouteFollowerTests {
        /// A client with one port. It must have a callback: without one it holds up a server in sync mode.
        private func client(
            _ name: String, _ port: String, _ direction: PortDirection, on server: Server
        ) throws -> ActiveClient {
            let client = try Client(name: name, server: server.name)
            _ = try client.register(port, direction)
            let process: ProcessCallback = { _, _ in 0 }
            try client.setProcess(process, context: nil, keeping: server)
            return try client.activate()
        }

        private func microphone(_ name: String, on server: Server) throws -> ActiveClient {
            try client(name, "capture_1", .output, on: server)
        }

        private func routes(on server: Server, follows: Bool) -> EngineConfiguration {
            var configuration = EngineConfiguration()
            configuration.serverName = server.name
            configuration.inputChannels = 1
            configuration.inputs = .firstOf(["^headset:", "^built-in:"])
            configuration.outputs = .none
            configuration.followsRoutes = follows
            return configuration
        }

        private func engine(on server: Server, follows: Bool) throws -> Engine {
            try Engine(routes(on: server, follows: follows))
        }

        /// What the input hears.
        private func sources(on server: Server) throws -> [String] {
            try Watcher(on: server).ports("^iounit:in_1").flatMap(\.connections).sorted()
        }

        @Test func `lead to what is preferred when it comes, and back when it goes, and an event tells`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let builtIn = try microphone("built-in", on: server)
            let engine = try engine(on: server, follows: true)
            try engine.start()
            #expect(try sources(on: server) == ["built-in:capture_1"])
            var headset = Optional(try microphone("headset", on: server))
            try waitUntil("the headset is heard") { try sources(on: server) == ["headset:capture_1"] }
            try headset.take()?.close()
            try waitUntil("the built-in one is heard") { try sources(on: server) == ["built-in:capture_1"] }
            headset = Optional(try microphone("headset", on: server))
            try waitUntil("the headset is heard again") { try sources(on: server) == ["headset:capture_1"] }
            let changes = engine.events.compactMap { event -> [Link]? in
                if case .routeChanged(let links) = event.kind { links } else { nil }
            }
            #expect(
                changes.map { $0.map(\.source) } == [
                    ["headset:capture_1"], ["built-in:capture_1"], ["headset:capture_1"],
                ])
            engine.close()
            try headset.take()?.close()
            try builtIn.close()
        }

        @Test func `do not come back to what they have left while it was away`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            var builtIn = Optional(try microphone("built-in", on: server))
            let engine = try engine(on: server, follows: true)
            try engine.start()
            try builtIn.take()?.close()
            try waitUntil("it is gone") { try sources(on: server).isEmpty }
            let headset = try microphone("headset", on: server)
            try waitUntil("the headset is heard") { try sources(on: server) == ["headset:capture_1"] }
            builtIn = Optional(try microphone("built-in", on: server))
            // What must not happen has some time to happen in.
            MonotonicClock.sleep(milliseconds: 700)
            #expect(try sources(on: server) == ["headset:capture_1"])
            engine.close()
            try headset.close()
            try builtIn.take()?.close()
        }

        @Test func `lead on one side also while that of the other leads nowhere`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            var configuration = EngineConfiguration()
            configuration.serverName = server.name
            (configuration.inputChannels, configuration.outputChannels) = (1, 1)
            configuration.inputs = .firstOf(["^built-in:"])
            configuration.outputs = .firstOf(["^headset:", "^speakers:"])
            configuration.followsRoutes = true
            let mixer = try microphone("built-in", on: server)
            let headset = try client("headset", "playback_1", .input, on: server)
            let speakers = try client("speakers", "playback_1", .input, on: server)
            let engine = try Engine(configuration)
            try engine.start()
            try mixer.close()
            try waitUntil("nothing is heard") { try sources(on: server).isEmpty }
            try headset.close()
            try waitUntil("the speakers are fed") {
                try Watcher(on: server).ports("^iounit:out_1").flatMap(\.connections) == ["speakers:playback_1"]
            }
            engine.close()
            try speakers.close()
        }

        /// Follows routes as a unit does, with a client of our own: JACK renames by ports, and tells when it is asked.
        private func follow(
            on server: Server, _ body: (ConnectionView, UnitPorts, RouteFollower, Patchbay) throws -> Void
        ) throws {
            let client = try Client(name: "iounit", server: server.name)
            let ports = try UnitPorts(inputs: 1, outputs: 0, on: client)
            let process: ProcessCallback = { _, _ in 0 }
            try client.setProcess(process, context: nil, keeping: server)
            let unit = try client.activate()
            let (follower, patchbay) = (RouteFollower(routes(on: server, follows: true)), Patchbay())
            patchbay.begin(.routes, ports.all)
            follower.begin(ports)
            try body(unit.view, ports, follower, patchbay)
            try unit.close()
        }

        @Test func `lead to a port of ours by the name that it was given`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let builtIn = try microphone("built-in", on: server)
            try follow(on: server) { view, ports, follower, patchbay in
                let links = try follower.links(on: view, ports)
                for link in links { try view.connect(link.source, to: link.target) }
                follower.begin(links)

                try view.rename(ports.inputs[0], to: "left")
                follower.note(.portRenamed(from: "iounit:in_1", to: "iounit:left"))
                #expect(follower.follow(view, ports, patchbay).isEmpty, "they lead where they did")
                let headset = try microphone("headset", on: server)
                follower.look()
                let moved = Link(source: "headset:capture_1", target: "iounit:left")
                #expect(follower.follow(view, ports, patchbay) == [.routeChanged([moved])])
                #expect(try Watcher(on: server).port("iounit:left").connections == ["headset:capture_1"])
                try headset.close()
            }
            try builtIn.close()
        }

        /// A client that is not active yet: JACK tells of its ports, and connects none of them.
        @Test func `ask less often for what JACK refuses, and at once when a port comes`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let builtIn = try microphone("built-in", on: server)
            try follow(on: server) { view, ports, follower, patchbay in
                let headset = try Client(name: "headset", server: server.name)
                _ = try headset.register("capture_1", .output)
                let process: ProcessCallback = { _, _ in 0 }
                try headset.setProcess(process, context: nil, keeping: server)
                follower.look()
                let now = MonotonicClock.nanoseconds()
                func changes(afterMilliseconds milliseconds: UInt64) -> Int {
                    follower.follow(view, ports, patchbay, atNanoseconds: now + milliseconds * 1_000_000).count
                }
                #expect(changes(afterMilliseconds: 0) == 0, "it is not active yet")
                let active = try headset.activate()
                #expect(changes(afterMilliseconds: 49) == 0, "asked for too early")
                follower.note(.portRegistered(name: "line:capture_1"))
                #expect(changes(afterMilliseconds: 49) == 1)
                #expect(try sources(on: server) == ["headset:capture_1"])
                try active.close()
            }
            try builtIn.close()
        }

        @Test func `are not, unless it is asked for, and leave alone what was connected by hand`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let builtIn = try microphone("built-in", on: server)
            let line = try microphone("line", on: server)
            for follows in [false, true] {
                let engine = try engine(on: server, follows: follows)
                try engine.start()
                try Watcher(on: server).connect("line:capture_1", to: "iounit:in_1")
                let headset = try microphone("headset", on: server)
                if follows {
                    try waitUntil("the headset is heard beside what was connected by hand") {
                        try sources(on: server) == ["headset:capture_1", "line:capture_1"]
                    }
                } else {
                    // A connection of its own comes later than what the engine would have done at the news of the ports.
                    try Watcher(on: server).connect("headset:capture_1", to: "iounit:in_1")
                    #expect(
                        try sources(on: server) == ["built-in:capture_1", "headset:capture_1", "line:capture_1"])
                }
                engine.close()
                try headset.close()
            }
            try line.close()
            try builtIn.close()
        }
    }
}
