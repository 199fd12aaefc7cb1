import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    @Suite("An engine that asks before it sounds again") struct ConsentTests {
        private let host: Succession
        private let unit: IOUnit
        private let engine: Engine

        init() throws {
            host = try Succession(ServerConfiguration(sync: 64))
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            unit = try IOUnit(configuration)
            engine = try Engine(unit, policy: ReconnectPolicy(.ask))
            try engine.start()
        }

        private func waitForState(_ state: EngineState) throws {
            try waitUntil("the engine is \(state)") { engine.state == state }
        }

        /// It waits, and nothing of it is in the graph.
        private func expectSilence(
            of engine: Engine? = nil, _ location: SourceLocation = #_sourceLocation
        ) throws {
            let engine = engine ?? self.engine
            try waitUntil("it awaits consent") { engine.state == .interrupted(.awaitingConsent) }
            // What must not happen has some time to happen in.
            MonotonicClock.sleep(milliseconds: 100)
            #expect(!unit.isRunning, sourceLocation: location)
            #expect(try Watcher(on: host.server).ports("^iounit:").isEmpty, sourceLocation: location)
        }

        @Test(arguments: [false, true])
        func `that is closed meanwhile tells its recordings how long they were without it, but for a pause`(
            _ isPaused: Bool
        ) throws {
            if isPaused { try engine.pause() }
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitForState(.interrupted(.awaitingConsent))
            let end = Mutex<UInt64?>(1)
            let start = MonotonicClock.nanoseconds()
            engine.atClose { time in end.withLock { $0 = time } }
            engine.close()
            let told = end.withLock { $0 }
            #expect(isPaused ? told == nil : told ?? 0 >= start)
        }

        @Test(arguments: [false, true])
        func `that has waited in vain tells its recordings how long they were without it, but for a pause`(
            _ isPaused: Bool
        ) throws {
            self.engine.close()
            let engine = try Engine(unit, policy: ReconnectPolicy(.ask, limitSeconds: 0.1))
            try engine.start()
            if isPaused { try engine.pause() }
            let start = MonotonicClock.nanoseconds()
            try host.end(by: SIGKILL)
            try waitUntil("it gives up") { if case .failed = engine.state { true } else { false } }
            let failure = MonotonicClock.nanoseconds()
            let end = Mutex<UInt64?>(1)
            engine.atClose { time in end.withLock { $0 = time } }
            engine.close()
            let told = end.withLock { $0 }
            #expect(isPaused ? told == nil : (start...failure).contains(told ?? 0))
        }

        @Test func `stays paused where it is started anew before it was told to sound`() throws {
            try engine.pause()
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitForState(.interrupted(.awaitingConsent))
            try engine.reset()
            #expect(engine.state == .paused && unit.isPaused)
            engine.close()
        }

        @Test func `is not out of the graph where it is suspended while it joins a server`() throws {
            self.engine.close()
            let newcomer = Newcomer(unit)
            let engine = try Engine(newcomer, policy: ReconnectPolicy(.automatic))
            try engine.start()
            defer { newcomer.gate.open() }
            newcomer.gate.shut()
            let before = newcomer.gate.arrivals
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it joins") { newcomer.gate.arrivals > before }
            #expect(!engine.suspend(within: 0.2))
            newcomer.gate.open()
            #expect(engine.suspend(within: 60) && !unit.isRunning)
            // What must not happen has some time to happen in.
            MonotonicClock.sleep(milliseconds: 100)
            #expect(!unit.isRunning)
            engine.endSuspension()
            try waitUntil("the engine is running") { engine.state == .running && unit.isRunning }
            engine.close()
        }

        @Test func `does when it is told, and not before there is a server`() throws {
            try host.end(by: SIGKILL)
            try waitForState(.interrupted(.serverGone))
            #expect(throws: UnitError.self, "there is no server yet") { try engine.resume() }
            try host.startAgain()
            try expectSilence()
            try engine.resume()
            try waitForState(.running)
            let watcher = try Watcher(on: host.server)
            #expect(
                try watcher.ports("^iounit:").flatMap(\.connections).sorted() == [
                    "system:capture_1", "system:capture_2", "system:playback_1", "system:playback_2",
                ])
            engine.close()
        }

        /// Once a second it looks whether a server that waits for consent is still there: what is said meanwhile is to one
        /// that is gone.
        @Test func `asks the next server again where the one that it had consent for went before it joined`() throws {
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitForState(.interrupted(.awaitingConsent))
            try host.end(by: SIGKILL)
            // Where a stall had it look already, it takes none.
            try? engine.resume()
            try waitForState(.interrupted(.serverGone))
            try host.startAgain()
            try expectSilence()
            try engine.resume()
            try waitForState(.running)
            #expect(engine.resets == 1)
            engine.close()
        }

        @Test func `gives up where the server is back and does not let it in within the limit`() throws {
            self.engine.close()
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            configuration.requiresExactName = true
            let engine = try Engine(try IOUnit(configuration), policy: ReconnectPolicy(.ask, limitSeconds: 5))
            try engine.start()
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it awaits consent") { engine.state == .interrupted(.awaitingConsent) }
            let other = try Client(name: "iounit", server: host.name)
            try engine.resume()
            try waitUntil("it gives up") { if case .failed = engine.state { true } else { false } }
            let words = "\(engine.state)"
            #expect(words.contains("could not be joined in time") && words.contains("another client has that name"))
            try other.close()
        }

        @Test func `asks at each return, also of a server that it never missed`() throws {
            engine.close()
            let straggler = Straggler(unit)
            let engine = try Engine(straggler, policy: ReconnectPolicy(.ask))
            try engine.start()
            defer { straggler.gate.open() }
            for round in 1...2 {
                straggler.gate.shut()
                let before = straggler.gate.arrivals
                try host.end(by: SIGKILL)
                try waitUntil("it leaves") { straggler.gate.arrivals > before }
                try host.startAgain()
                straggler.gate.open()
                try expectSilence(of: engine)
                try engine.resume()
                try waitUntil("the engine is running") { engine.state == .running }
                #expect(engine.resets == round)
            }
            engine.close()
        }
    }
}

/// A unit that takes its time to join.
private final class Newcomer: GraphUnit {
    let gate = Gate()
    private let unit: IOUnit

    init(_ unit: IOUnit) { self.unit = unit }

    var client: UnitClient { unit.client }
    func start(_ wiring: Wiring) throws(UnitError) {
        gate.pass()
        try unit.start(wiring)
    }
    func stop() { unit.stop() }
}

/// A unit that takes its time to leave.
private final class Straggler: GraphUnit {
    let gate = Gate()
    private let unit: IOUnit

    init(_ unit: IOUnit) { self.unit = unit }

    var client: UnitClient { unit.client }
    func start(_ wiring: Wiring) throws(UnitError) { try unit.start(wiring) }

    func stop() {
        gate.pass()
        unit.stop()
    }
}
