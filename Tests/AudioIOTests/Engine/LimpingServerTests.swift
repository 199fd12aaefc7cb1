import AudioIO
import Jack
import TestSupport
import Testing

extension OnServer {
    @Suite("An engine on a server that waits for somebody in each cycle") struct LimpingServerTests {
        @Test func `joins once more, and says why`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            var configuration = UnitConfiguration()
            configuration.serverName = server.name
            let unit = try IOUnit(configuration)
            let engine = try Engine(unit, policy: ReconnectPolicy(.automatic))
            try engine.start()
            let sleeper = try Sleeper(on: server)
            // Fifteen periods: after twenty jackd waits no longer, and the next cycle comes at once.
            sleeper.sleep(cycles: 1_000_000, milliseconds: 20)
            try waitUntil("it has joined once more") { engine.resets == 1 }
            sleeper.sleep(cycles: 0)
            #expect(unit.isRunning)
            let reason = "each cycle of the server takes more than ten periods, so we join once more"
            #expect(engine.events.contains { $0.kind == .trouble(reason) })
            try waitUntil("it runs") { engine.state == .running }
            engine.close()
        }
    }
}
