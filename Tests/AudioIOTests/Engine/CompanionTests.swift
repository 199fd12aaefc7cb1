import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing

extension OnServer {
    @Suite("An engine's companions") struct CompanionTests {
        private func succession() throws -> Succession { try Succession(ServerConfiguration(sync: 64)) }

        private func engine(
            on host: Succession, _ policy: ReconnectPolicy = ReconnectPolicy(.automatic)
        ) throws -> (Engine, IOUnit) {
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            let unit = try IOUnit(configuration)
            return (try Engine(unit, policy: policy), unit)
        }

        /// Notes whom it was told to join.
        private final class Shadow: Companion {
            let joined = Mutex<[String]>([])
            let hasLostServer = false
            let portNames = ["shadow:out_1"]
            let cycles: UInt64?

            /// How often it cannot join.
            let refusals: Mutex<Int>

            init(refusals: Int = 0, cycles: UInt64? = nil) {
                self.refusals = Mutex(refusals)
                self.cycles = cycles
            }

            func leave() { joined.withLock { $0.append("leave") } }

            func join(_ connection: UnitConnection) throws {
                let refuses = refusals.withLock { refusals in
                    refusals -= 1
                    return refusals >= 0
                }
                if refuses { throw JackError(.refused, "join", "not yet") }
                joined.withLock { $0.append(connection.clientName) }
            }
        }

        @Test func `that cannot join are tried again, and the unit goes on meanwhile`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            let shadow = Shadow(refusals: 1)
            try engine.start()
            engine.accompany(with: shadow)
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it has joined") { engine.resets == 1 }
            #expect(unit.isRunning)
            try waitUntil("the companion has joined") { shadow.joined.withLock { $0 } == ["leave", "iounit"] }
            #expect(engine.events.contains { $0.kind == .trouble("cannot join: not yet") })
            engine.close()
        }

        @Test func `that the server does not run join once more`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            let shadow = Shadow(cycles: 5)
            try engine.start()
            engine.accompany(with: shadow)
            try waitUntil("it has joined once more") { shadow.joined.withLock { $0 } == ["leave", "iounit"] }
            #expect(unit.isRunning && engine.state == .running && engine.resets == 0)
            #expect(
                engine.events.contains { $0.kind == .trouble("the server runs shadow no more, so it joins once more") })
            engine.close()
        }

        @Test func `join once more with it where the server waits for somebody in each cycle`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            let shadow = Shadow()
            try engine.start()
            engine.accompany(with: shadow)
            let sleeper = try Sleeper(on: host.server)
            // Fifteen periods: after twenty jackd waits no longer, and the next cycle comes at once.
            sleeper.sleep(cycles: 1_000_000, milliseconds: 20)
            try waitUntil("it has joined once more") { engine.resets == 1 }
            sleeper.sleep(cycles: 0)
            #expect(unit.isRunning)
            #expect(shadow.joined.withLock { $0 } == ["leave", "iounit"], "libjack forgets with the last client alone")
            let reason = "each cycle of the server takes more than ten periods, so we join once more"
            #expect(engine.events.contains { $0.kind == .trouble(reason) })
            try waitUntil("it runs") { engine.state == .running }
            engine.close()
        }

        @Test func `leave and join with it, also where it is started anew`() throws {
            let host = try succession()
            let (engine, _) = try engine(on: host, ReconnectPolicy(.never))
            let shadow = Shadow()
            try engine.start()
            engine.accompany(with: shadow)
            try host.end(by: SIGKILL)
            try waitUntil("it has failed") { engine.state.name == "failed" }
            try host.startAgain()
            try engine.start()
            #expect(shadow.joined.withLock { $0 } == ["leave", "iounit"])
            engine.close()
            #expect(shadow.joined.withLock { $0 } == ["leave", "iounit", "leave"])
        }
    }
}
