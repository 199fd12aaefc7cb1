import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing

extension OnServer {
    @Suite("An engine on a server that waits for somebody in each cycle") struct LimpingServerTests {
        /// Long periods: after twenty of them jackd waits no longer, and the next cycle comes at once. The sleeper's fifteen may
        /// last a hundred milliseconds longer in each cycle of three seconds, on a machine that is late.
        private static let configuration = ServerConfiguration(sync: 1024)

        private func makeLimp(_ server: Server) throws -> Sleeper {
            let sleeper = try Sleeper(on: server)
            sleeper.sleep(cycles: 1_000_000, milliseconds: 320)
            return sleeper
        }

        @Test func `joins once more, and says why`() throws {
            let server = try Server(Self.configuration)
            defer { server.stop() }
            var configuration = UnitConfiguration()
            configuration.serverName = server.name
            let unit = try IOUnit(configuration)
            let engine = try Engine(unit, policy: ReconnectPolicy(.automatic))
            try engine.start()
            let sleeper = try makeLimp(server)
            try waitUntil("it has joined once more") {
                engine.events.contains { if case .rejoined = $0.kind { true } else { false } }
            }
            sleeper.sleep(cycles: 0)
            #expect(engine.resets == 0, "the server was there all the time")
            #expect(!engine.events.contains { $0.kind == .serverAnswers })
            #expect(unit.isRunning)
            let reason = "each cycle of the server takes more than ten periods, so we join once more"
            #expect(engine.events.contains { $0.kind == .trouble(reason) })
            try waitUntil("it runs") { engine.state == .running }
            engine.close()
        }

        /// - Returns: the engine, on a server that ends at the moment at which the engine joins it once more.
        private func engineThatLoses(_ host: Succession, _ consent: ReconnectPolicy.Consent) throws -> Engine {
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            let engine = try Engine(IOUnit(configuration), policy: ReconnectPolicy(consent))
            let process = host.server.processIdentifier
            engine.onEvent { event in
                guard case .trouble(let reason) = event.kind, reason.hasSuffix("so we join once more") else { return }
                kill(process, SIGKILL)
            }
            try engine.start()
            let sleeper = try makeLimp(host.server)
            try waitUntil("its server has ended") { !host.server.isRunning }
            withExtendedLifetime(sleeper) {}
            host.server.stop()
            return engine
        }

        @Test func `that ends meanwhile says so, and waits for the next one`() throws {
            let host = try Succession(Self.configuration)
            let engine = try engineThatLoses(host, .automatic)
            try waitUntil("it waits") { engine.state == .interrupted(.serverGone) }
            #expect(engine.events.contains { if case .serverLost = $0.kind { true } else { false } })
            try host.startAgain()
            try waitUntil("it runs") { engine.state == .running }
            engine.close()
        }

        @Test func `that ends meanwhile has it fail, where it is to wait for none`() throws {
            let engine = try engineThatLoses(Succession(Self.configuration), .never)
            try waitUntil("it has failed") { if case .failed = engine.state { true } else { false } }
            engine.close()
        }

        @Test(arguments: [ReconnectPolicy.Consent.automatic, .never])
        func `that does not let it in again is lost to it`(consent: ReconnectPolicy.Consent) throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            let engine = try Engine(Outsider(try IOUnit(configuration)), policy: ReconnectPolicy(consent))
            try engine.start()
            try waitUntil("it says that it has no server") {
                switch engine.state {
                case .interrupted(.serverGone): consent == .automatic
                case .failed: consent == .never
                default: false
                }
            }
            engine.close()
        }
    }
}

/// A unit that the server does not run, and that it lets in once.
private final class Outsider: GraphUnit {
    private let unit: IOUnit
    private let starts = Atomic(0)

    init(_ unit: IOUnit) { self.unit = unit }

    var client: UnitClient { unit.client }
    func start(_ wiring: Wiring) throws(UnitError) {
        guard starts.add(1, ordering: .relaxed).oldValue > 0 else { return }
        throw .jack(JackError(.nameTaken, "join", "it has that name"))
    }
    func stop() {}
}
