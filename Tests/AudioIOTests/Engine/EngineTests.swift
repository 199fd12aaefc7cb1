import AudioDSP
import AudioIO
import AudioRealtime
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    @Suite("An engine") struct EngineTests {
        private func succession() throws -> Succession { try Succession(ServerConfiguration(sync: 64)) }

        private func engine(
            on host: Succession, _ policy: ReconnectPolicy = ReconnectPolicy(.automatic),
            _ change: (inout UnitConfiguration) -> Void = { _ in }
        ) throws -> (Engine, IOUnit) {
            var configuration = UnitConfiguration()
            configuration.serverName = host.name
            change(&configuration)
            let unit = try IOUnit(configuration)
            return (try Engine(unit, policy: policy), unit)
        }

        private func waitForState(_ state: EngineState, _ engine: Engine) throws {
            try waitUntil("the engine is \(state)") { engine.state == state }
        }

        /// The names of the states that it went through.
        private func path(_ engine: Engine) -> [String] {
            engine.events.compactMap { if case .transition(_, let state) = $0.kind { state.name } else { nil } }
        }

        /// What is connected, seen by a client of its own that is gone afterwards.
        private func connections(on host: Succession, _ pattern: String = "^iounit:") throws -> [String] {
            try Watcher(on: host.server).ports(pattern).flatMap { port in
                port.connections.map { "\(port.name) \($0)" }
            }.sorted()
        }

        private static let physical = [
            "iounit:in_1 system:capture_1", "iounit:in_2 system:capture_2",
            "iounit:out_1 system:playback_1", "iounit:out_2 system:playback_2",
        ]

        @Test(arguments: [SIGKILL, SIGTERM])
        func `joins the server that takes the place of one that ended`(signal: Int32) throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            #expect(engine.state == .ready)
            try engine.start()
            #expect(engine.state == .running)
            unit.setGain(decibels: -6)
            let parameters = unit.setting
            try waitUntil("it renders") { unit.statistics.cycles > 100 }
            try host.end(by: signal)
            try waitForState(.interrupted(.serverGone), engine)
            try waitUntil("it has left") { !unit.isRunning }
            let before = unit.statistics
            try host.startAgain()
            try waitForState(.running, engine)
            try waitUntil("it renders again") { unit.statistics.cycles > before.cycles + 100 }
            #expect(try connections(on: host) == Self.physical)
            #expect(unit.setting == parameters)
            #expect(engine.resets == 1)
            let after = unit.statistics
            #expect(after.frames == after.cycles * 64)
            #expect(after.absentNanoseconds > 0)
            engine.close()
            #expect(engine.state == .closed)
            #expect(path(engine) == ["running", "interrupted", "running", "closed"])
            #expect(engine.events.contains { if case .serverLost = $0.kind { true } else { false } })
            #expect(engine.events.contains { $0.kind == .serverAnswers })
        }

        /// What lies between the last cycle on one server and the first on the next is told to the nanosecond, so that
        /// all figures add up to the time that went by.
        @Test func `accounts for the time without a server`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            try waitUntil("it renders") { unit.statistics.cycles > 100 }
            let first = try #require(unit.recentCycles.first)
            for _ in 0..<2 {
                try host.end(by: SIGKILL)
                try waitForState(.interrupted(.serverGone), engine)
                try host.startAgain()
                try waitForState(.running, engine)
                let cycles = unit.statistics.cycles
                try waitUntil("it renders again") { unit.statistics.cycles > cycles + 100 }
            }
            engine.close()
            let last = try #require(unit.lastCycle)
            let statistics = unit.statistics
            let elapsed = Double(last.entryNanoseconds - first.entryNanoseconds) / 1e9
            let rendered = Double(last.position - first.position) / 48000
            let missing = Double(statistics.absentNanoseconds + statistics.lostNanoseconds) / 1e9
            let rest = elapsed - rendered - missing
            // A stall shorter than a period at each of the ends is nobody's loss.
            #expect(abs(rest) < 3 * 0.02, "\(rest) s are unaccounted for")
            #expect(statistics.absentNanoseconds > 100_000_000, "a server takes longer than that to start")
        }

        @Test func `is right at another rate and period after the reset`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host) {
                $0.shape = .cubic
                $0.antialiasing = .best
            }
            try engine.start()
            try host.end(by: SIGTERM)
            var other = ServerConfiguration(sync: 256)
            other.sampleRate = 44100
            try host.startAgain(other)
            try waitUntil("it has joined") { engine.resets == 1 }
            let connection = try #require(unit.connection)
            #expect(connection.sampleRate == 44100 && connection.periodFrames == 256)
            _ = unit.takeIntervals()
            let cycles = unit.statistics.cycles
            try waitUntil("it has rendered for a while") { unit.statistics.cycles > cycles + 100 }
            // A stall makes it longer.
            #expect(unit.takeIntervals().meanNanoseconds > 0.9 * 256 / 44100 * 1e9)
            let latency = try Watcher(on: host.server).port("iounit:out_1").captureLatency
            // The dummy's own period, and the shaper's 70.125 frames.
            #expect(latency.minimum == 256 + 70)
            engine.close()
        }

        @Test func `makes again what others connected meanwhile, and not what they unmade`() throws {
            let host = try Succession(ServerConfiguration(sync: 64, channels: 4))
            let (engine, unit) = try engine(on: host)
            try engine.start()
            func isTold(_ wanted: (EngineEvent.Kind) -> Bool) -> Bool { engine.events.contains { wanted($0.kind) } }
            do {
                let watcher = try Watcher(on: host.server)
                try watcher.connect("iounit:out_1", to: "system:playback_3")
                try watcher.disconnect("system:capture_2", from: "iounit:in_2")
                do {
                    let sink = try Probe.sink(on: host.server, channels: 1, length: 64)
                    try watcher.connect("iounit:out_2", to: "sink:in_1")
                    try waitUntil("it is noticed") { unit.links.contains { $0.target == "sink:in_1" } }
                    withExtendedLifetime(sink) {}
                }
                try waitUntil("the loss is told") { isTold { if case .connectionLost = $0 { true } else { false } } }
                // Longer than a vanishing port needs to be told of. What was removed by then is forgotten at the next look, as at
                // that which finds the sink again.
                MonotonicClock.sleep(milliseconds: 400)
                let sink = try Probe.sink(on: host.server, channels: 1, length: 64)
                try waitUntil("the return is told") {
                    isTold { if case .connectionRestored = $0 { true } else { false } }
                }
                withExtendedLifetime(sink) {}
            }
            try host.end(by: SIGKILL)
            try host.startAgain(ServerConfiguration(sync: 64, channels: 4))
            try waitUntil("it has joined") { engine.resets == 1 }
            #expect(
                try connections(on: host) == [
                    "iounit:in_1 system:capture_1", "iounit:out_1 system:playback_1", "iounit:out_1 system:playback_3",
                    "iounit:out_2 system:playback_2",
                ])
            #expect(unit.isRunning)
            engine.close()
        }

        @Test func `waits for the port of a peer that vanished, and connects it when it is back`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host) {
                $0.inputs = .firstOf(["^feeder:"])
                $0.outputs = .none
                $0.channels = 1
            }
            func events(_ wanted: (EngineEvent.Kind) -> Bool) -> Int { engine.events.filter { wanted($0.kind) }.count }
            do {
                let feeder = try Probe.feeder(on: host.server, [[0.5]])
                feeder.roll()
                try engine.start()
                try waitUntil("it is heard") { unit.meters.takePeak(0) > 0.1 }
            }
            try waitUntil("the loss is told") {
                events { if case .connectionLost = $0 { true } else { false } } == 1
            }
            #expect(engine.state == .running)
            #expect(try connections(on: host).isEmpty)
            let feeder = try Probe.feeder(on: host.server, [[0.5]])
            feeder.roll()
            try waitUntil("the return is told") {
                events { if case .connectionRestored = $0 { true } else { false } } == 1
            }
            _ = unit.meters.takePeak(0)
            try waitUntil("it is heard again") { unit.meters.takePeak(0) > 0.1 }
            engine.close()
        }

        @Test func `stays paused over a reset, and sounds when it is resumed`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            try engine.pause()
            #expect(engine.state == .paused)
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it has joined") { engine.resets == 1 }
            try waitForState(.paused, engine)
            #expect(unit.isRunning)
            try engine.resume()
            #expect(engine.state == .running)
            engine.close()
        }

        @Test func `fails when it may not wait, and can be started again`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host, ReconnectPolicy(.never))
            try engine.start()
            try host.end(by: SIGKILL)
            try waitUntil("it has failed") { engine.state.name == "failed" }
            guard case .failed(.jack(let error)) = engine.state else {
                Issue.record("\(engine.state)")
                return
            }
            #expect(error.kind == .serverGone)
            #expect(!unit.isRunning)
            #expect(throws: UnitError.self) { try engine.start() }
            #expect(engine.state == .failed(.jack(error)), "a start that fails leaves the state as it was")
            try host.startAgain()
            try engine.start()
            #expect(engine.state == .running)
            engine.close()
            #expect(throws: UnitError.self, "closed is for good") { try engine.start() }
        }

        @Test func `gives up when the server does not come back in time`() throws {
            let host = try succession()
            let (engine, _) = try engine(on: host, ReconnectPolicy(.automatic, limitSeconds: 0.3))
            try engine.start()
            try host.end(by: SIGKILL)
            try waitUntil("it has failed") { engine.state.name == "failed" }
            let lost = try #require(engine.events.first { if case .serverLost = $0.kind { true } else { false } })
            let end = try #require(engine.events.last)
            #expect(end.monotonicNanoseconds - lost.monotonicNanoseconds >= 300_000_000)
            engine.close()
        }

        /// libjack would free that one's client under it.
        @Test func `joins no server while a client of the process is open on the last one, and says so`() throws {
            let host = try succession()
            let (patient, _) = try engine(on: host)
            let (hasty, _) = try engine(on: host, ReconnectPolicy(.automatic, limitSeconds: 2))
            let forgotten = try Client(name: "forgotten", server: host.name)
            for engine in [patient, hasty] { try engine.start() }
            try host.end(by: SIGKILL)
            for engine in [patient, hasty] { try waitForState(.interrupted(.serverGone), engine) }
            try host.startAgain()
            let reason = "another client of this process is still open on the server that is gone"
            try waitUntil("it is told") {
                patient.events.contains { $0.kind == .trouble("\(reason), so we wait until it is closed") }
            }
            try waitUntil("one has given up") { if case .failed = hasty.state { true } else { false } }
            guard case .failed(let error) = hasty.state else { return }
            #expect("\(error)".hasSuffix("\(reason); close it and run this again"), "\(error)")
            #expect(patient.state == .interrupted(.serverGone))
            try? forgotten.close()
            try waitForState(.running, patient)
            for engine in [patient, hasty] { engine.close() }
        }

        @Test func `counts on from the position at which it was stopped, before the next cycle too`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            try waitUntil("it renders") { engine.position > 1000 }
            engine.stop()
            let stopped = engine.position
            #expect(stopped > 1000)
            let seen = Mutex<UInt64?>(nil)
            // Before the client is active there is no cycle.
            unit.join(as: try Client(name: "iounit", server: host.name)) { [weak engine] in
                seen.withLock { $0 = engine?.position }
            }
            try engine.start()
            #expect(seen.withLock { $0 } == stopped)
            engine.close()
        }

        @Test func `tells when the server stands still, and when it goes on`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            try waitUntil("it renders") { unit.statistics.cycles > 10 }
            try host.server.freeze()
            try waitForState(.interrupted(.serverFrozen), engine)
            #expect(throws: UnitError.self) { try engine.pause() }
            host.server.signal(SIGCONT)
            try waitForState(.running, engine)
            #expect(engine.resets == 0)
            engine.close()
        }

        @Test func `does not say that a freewheeling server stands still, where that waits for our tap`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            // Has room for ten seconds until the server freewheels.
            let reader = unit.addTap(capacityFrames: 1 << 19)
            let (source, number) = (reader.tap, reader.number)
            try engine.start()
            let watcher = try Probe.sink(on: host.server, channels: 1, length: 64)
            try watcher.withClient { try $0.setFreewheel(true) }
            // For four seconds.
            try waitUntil("a cycle has waited in vain", within: 60) { source.droppedFrames(number) > 0 }
            // A busy machine may have stopped the server before.
            #expect(!path(engine).drop { $0 != "freewheeling" }.contains("interrupted"), "\(engine.events)")
            _ = consume reader
            try watcher.withClient { try $0.setFreewheel(false) }
            engine.close()
        }

        @Test func `tells when the server freewheels for another, and of another period`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            let watcher = try Probe.sink(on: host.server, channels: 1, length: 64)
            try watcher.withClient { try $0.setFreewheel(true) }
            try waitForState(.freewheeling, engine)
            try watcher.withClient { try $0.setFreewheel(false) }
            try waitForState(.running, engine)
            for period in [16, 4096, 64] {
                try watcher.withClient { try $0.setPeriod(frames: period) }
                try waitUntil("the period is told") {
                    engine.events.contains { $0.kind == .periodChanged(frames: period) } && unit.periodFrames == period
                }
            }
            #expect(engine.state == .running)
            engine.close()
        }

        @Test func `tells of a server that freewheels for less time than there is between two looks`() throws {
            let host = try succession()
            let (engine, _) = try engine(on: host)
            let gate = Gate()
            engine.onEvent { if case .periodChanged = $0.kind { gate.pass() } }
            try engine.start()
            let watcher = try Probe.sink(on: host.server, channels: 1, length: 64)
            gate.shut()
            defer { gate.open() }
            // The worker calls the listener, and looks at nothing while that is held up.
            try watcher.withClient { try $0.setPeriod(frames: 128) }
            try waitUntil("the worker is held up") { gate.arrivals > 0 }
            try watcher.withClient { try $0.setFreewheel(true) }
            try watcher.withClient { try $0.setFreewheel(false) }
            gate.open()
            try waitUntil("it is told") { path(engine) == ["running", "freewheeling", "running"] }
            engine.close()
        }

        @Test func `that sees its server restarted ten times leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let tests = EngineTests()
                let host = try tests.succession()
                do {
                    // What the libraries keep for good is there before anything is counted.
                    let (engine, _) = try tests.engine(on: host)
                    try engine.start()
                    engine.close()
                }
                let before = Holdings()
                try tests.survive(10, on: host)
                try before.expectNothingMore()
            }
        }

        private func survive(_ rounds: Int, on host: Succession) throws {
            let (engine, unit) = try engine(on: host)
            try engine.start()
            for round in 1...rounds {
                try host.end(by: round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
                try host.startAgain()
                try waitUntil("it has joined") { engine.resets == round && engine.state == .running }
            }
            #expect(try connections(on: host) == Self.physical)
            engine.close()
            #expect(!unit.isRunning)
        }

        /// libjack's state is the process's: nobody may join the next server before everybody has left the last one.
        @Test func `and another one in the same process outlive twenty servers`() throws {
            let host = try succession()
            let engines = try (1...2).map { number in
                try engine(on: host) { $0.clientName = "iounit-\(number)" }.0
            }
            for engine in engines { try engine.start() }
            for round in 1...20 {
                try host.end(by: round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
                try host.startAgain()
                try waitUntil("both have joined") {
                    engines.allSatisfy { $0.resets == round && $0.state == .running }
                }
            }
            let counts = engines.map(\.position)
            try waitUntil("both are run") { zip(engines, counts).allSatisfy { $0.position > $1 + 640 } }
            for engine in engines {
                engine.close()
                #expect(engine.state == .closed)
                let troubles = engine.events.compactMap { if case .trouble(let words) = $0.kind { words } else { nil } }
                #expect(troubles == [])
            }
        }

        @Test func `fails where libjack does not come back from a close, and every call returns`() throws {
            let host = try succession()
            let (engine, unit) = try engine(on: host)
            try engine.start()
            try host.server.freeze()
            engine.close()
            guard case .failed(.jack(let error)) = engine.state, error.kind == .unresponsive else {
                Issue.record("the engine is \(engine.state)")
                return
            }
            #expect(throws: UnitError.self) { try engine.start() }
            #expect(throws: UnitError.self) { try engine.pause() }
            _ = unit.addTap(capacityFrames: 8192)
            engine.close()
            _ = unit.statistics
            #expect(unit.connection == nil)

            host.server.signal(SIGCONT)
            try waitUntil("libjack has come back") { LibJack.overdueOperation == nil }
            try engine.start()
            #expect(engine.state == .running)
            engine.stop()

            // What libjack does not come back from now is another client's.
            let other = try Probe.sink(on: host.server, channels: 1, length: 64)
            try host.server.freeze()
            #expect(throws: JackError.self) { try other.withClient { try $0.setPeriod(frames: 128) } }
            engine.close()
            #expect(engine.state == .closed)
            host.server.signal(SIGCONT)
            try waitUntil("libjack has come back once more") { LibJack.overdueOperation == nil }
        }

        @Test func `can be closed while it waits for a server`() throws {
            let host = try succession()
            let (engine, _) = try engine(on: host)
            try engine.start()
            try host.end(by: SIGKILL)
            try waitForState(.interrupted(.serverGone), engine)
            engine.close()
            #expect(engine.state == .closed)
        }
    }
}
