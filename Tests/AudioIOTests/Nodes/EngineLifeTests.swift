import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

@Suite("An engine without a server") struct OfflineEngineTests {
    @Test func `gives the same samples however many are asked for at once`() throws {
        var generator = SeededGenerator(seed: 3000)
        let signal = generator.signal(count: 30_000)
        func rendered(_ lengths: [Int]) throws -> [Float] {
            let engine = try offlineEngine()
            let shaper = engine.attach(Shaper(.tanh, driveDecibels: 12, antialiasing: .best))
            let echo = engine.attach(Delay(frames: 777))
            try engine.connect(engine.input, to: shaper)
            try engine.connect(shaper, to: engine.mixer)
            try engine.connect(engine.mixer, to: echo, gainDecibels: -6)
            try engine.connect(echo, to: engine.mixer)
            engine.stop()
            try engine.start()
            var heard: [Float] = []
            for length in lengths { heard += try engine.render(Array(signal[heard.count..<heard.count + length])) }
            return heard
        }
        let whole = try rendered([30_000])
        for _ in 0..<3 { #expect(try rendered(generator.split(30_000, longest: 3000)) == whole) }
    }

    @Test func `renders where it runs or is paused, and says what to do where it does not`() throws {
        let engine = try Engine(offline: 48_000)
        #expect(throws: UnitError.wrongState("an engine that is ready cannot render; start it first")) {
            _ = try engine.render(1)
        }
        try engine.start()
        #expect(try engine.render(7).map(\.count) == [7, 7] && engine.position == 7)
        #expect(try engine.render(0).map(\.count) == [0, 0])
        try engine.pause()
        _ = try engine.render(1)
        engine.stop()
        #expect(engine.state == .ready)
        #expect(throws: UnitError.self) { _ = try engine.render(1) }
        try engine.start()
        engine.close()
        #expect(engine.state == .closed)
        #expect(throws: UnitError.self) { try engine.start() }
        #expect(throws: UnitError.self) { try engine.reset() }
        #expect(throws: UnitError.self) { _ = try Engine(offline: 0) }
        #expect(throws: UnitError.self) { _ = try Engine(offline: 48_000, outputs: 0) }
        let hears = try Engine(offline: 48_000, inputs: 0, outputs: 1)
        #expect(throws: NodeError.self) { try hears.connect(hears.input, to: hears.mixer) }
    }

    @Test func `begins from silence after a reset, and each node takes over at once what it is to be`() throws {
        let engine = try offlineEngine()
        let (gain, delay) = (engine.attach(Gain()), engine.attach(Delay(frames: 1000)))
        try engine.connect(engine.input, to: gain)
        try engine.connect(gain, to: delay)
        try engine.connect(delay, to: engine.output)
        engine.stop()
        try engine.start()
        _ = try engine.render(ones(1500))
        gain.linear = 0.5
        try engine.reset()
        let heard = try engine.render(ones(1500))
        #expect(heard.prefix(1000).allSatisfy { $0 == 0 } && heard.suffix(500).allSatisfy { $0 == 0.5 })
    }

    @Test func `calls what is to be done at its end also where it is closed already`() throws {
        let engine = try offlineEngine()
        let calls = Mutex<[String]>([])
        engine.atClose { _ in calls.withLock { $0.append("before") } }
        #expect(calls.withLock { $0 } == [])
        engine.close()
        engine.atClose { end in calls.withLock { $0.append(end == nil ? "behind" : "with a time") } }
        engine.close()
        #expect(calls.withLock { $0 } == ["before", "behind"])
    }

    private final class Listener: EngineDelegate {
        let buffers = Atomic<Int>(0)
        let starts = Atomic<Int>(0)
        var heard: Int { buffers.load(ordering: .relaxed) }
        var told: Int { starts.load(ordering: .relaxed) }
        func engine(_ engine: Engine, streaming buffer: AudioBuffer, time: BufferTime) {
            buffers.add(1, ordering: .relaxed)
        }
        func engineStarted(_ engine: Engine) { starts.add(1, ordering: .relaxed) }
    }

    @Test func `has one delegate, for events and sound, where two threads set theirs at once`() throws {
        let engine = try offlineEngine()
        for _ in 0..<100 {
            let listeners = [Listener(), Listener()]
            let arrivals = Atomic<Int>(0)
            let setters = try listeners.map { listener in
                try Worker("setter") {
                    // Without a pause, so that both call within the same microsecond.
                    arrivals.add(1, ordering: .relaxed)
                    let deadline = MonotonicClock.nanoseconds() + 1_000_000_000
                    while arrivals.load(ordering: .relaxed) < 2, MonotonicClock.nanoseconds() < deadline {}
                    try? engine.setDelegate(listener)
                }
            }
            for setter in setters { setter.join() }
            _ = try engine.render(ones(2 * Engine.streamingFrames))
            try engine.reset()
            #expect(listeners.filter { $0.heard > 0 }.count == 1)
            #expect(listeners.map { $0.told > 0 } == listeners.map { $0.heard > 0 })
        }
        try engine.setDelegate(nil)
        engine.close()
    }

    @Test func `is rendered by itself on many threads at once`() async throws {
        let results = try await withThrowingTaskGroup(of: Float.self) { group in
            for number in 1...6 {
                group.addTask {
                    let engine = try offlineEngine()
                    let gain = engine.attach(Gain(linear: Double(number)))
                    try engine.connect(engine.input, to: gain)
                    try engine.connect(gain, to: engine.mixer)
                    var last: Float = 0
                    for _ in 0..<50 { last = try engine.render(ones(1000)).last ?? 0 }
                    return last
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.sorted() == [1, 2, 3, 4, 5, 6])
    }

    @Test func `has 256 channels, if it is to`() throws {
        let engine = try offlineEngine(channels: 256)
        let gain = engine.attach(Gain(linear: 0.5))
        try engine.connect(engine.input, to: gain)
        try engine.connect(gain, to: engine.mixer)
        _ = try engine.render(1000)
        let heard = try engine.render(100, input: (0..<256).map { [Float](repeating: Float($0), count: 100) })
        #expect(heard.indices.allSatisfy { heard[$0].allSatisfy { [level = Float($0) / 2] in $0 == level } })
    }
}

extension OnServer {
    @Suite("An engine of nodes") struct EngineLifeTests {
        @Test func `is prepared at the server's rate, and tells before its start what would keep it from that`() throws
        {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let engine = try Engine(on: server.name)
            try engine.prepare()
            #expect(engine.state == .ready && engine.sampleRate == 48_000)
            try engine.start()
            #expect(throws: UnitError.self) { try engine.prepare() }
            try waitUntil("it renders") { engine.position > 1000 }
            engine.stop()
            #expect(engine.state == .ready)
            let position = engine.position
            try engine.start()
            try waitUntil("it renders on") { engine.position > position + 1000 }
            engine.close()

            let lonely = try Engine(on: "nobody-started-this")
            let error = #expect(throws: UnitError.self) { try lonely.prepare() }
            #expect(error?.description.contains("no JACK server") == true)
            var configuration = EngineConfiguration()
            configuration.serverName = server.name
            configuration.inputs = .firstOf(["^nothing-is-called-so"])
            let astray = try Engine(configuration)
            #expect(throws: UnitError.self) { try astray.prepare() }
            #expect(astray.state == .ready)
        }

        private final class Witness: EngineDelegate {
            let started = Atomic<Int>(0)
            let buffers = Atomic<Int>(0)
            let failures = Mutex<[String]>([])

            func engineStarted(_ engine: Engine) { started.add(1, ordering: .relaxed) }
            func engine(_ engine: Engine, streaming buffer: AudioBuffer, time: BufferTime) {
                if buffer.frames == Engine.streamingFrames { buffers.add(1, ordering: .relaxed) }
            }
            func engine(_ engine: Engine, failed error: UnitError) { failures.withLock { $0.append("\(error)") } }
        }

        @Test func `tells a delegate of its start, of the input's sound and of its failure`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            let witness = Witness()
            let events = Tally()
            engine.onEvent { _ in _ = events.add() }
            try engine.setDelegate(witness)
            try engine.start()
            try waitUntil("buffers come") { witness.buffers.load(ordering: .relaxed) > 5 }
            #expect(witness.started.load(ordering: .relaxed) == 1)
            #expect(events.now == engine.events.count && events.now > 0, "a listener hears the same beside it")
            try host.end(by: SIGKILL)
            try waitUntil("it is told of the failure") { witness.failures.withLock { $0.count } == 1 }
            #expect(witness.failures.withLock { $0[0] }.contains("the server is gone"))
            try engine.setDelegate(nil)
            engine.close()
        }

        private final class Tally: Sendable {
            let value = Atomic<Int>(0)
            func add() -> Int { value.add(1, ordering: .relaxed).newValue }
            var now: Int { value.load(ordering: .relaxed) }
        }

        @Test func `may be stopped and started again by the listener of its events, and is looked after all the same`()
            throws
        {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            let (pauses, failures) = (Tally(), Tally())
            engine.onEvent { event in
                guard case .transition(_, let state) = event.kind else { return }
                if state == .paused, pauses.add() == 1 { try? engine.reset() }
                guard case .failed = state, failures.add() == 1 else { return }
                // Until the next server is there.
                for _ in 0..<2000 {
                    if (try? engine.start()) != nil { return }
                    MonotonicClock.sleep(milliseconds: 10)
                }
            }
            try engine.start()
            try engine.pause()
            try waitUntil("it is paused again after the reset") { pauses.now == 2 && engine.state == .paused }
            try engine.resume()
            try host.end(by: SIGKILL)
            try host.startAgain()
            try waitUntil("it runs on the next server") { failures.now == 1 && engine.state == .running }
            let position = engine.position
            try waitUntil("it renders") { engine.position > position }
            try host.end(by: SIGKILL)
            try waitUntil("the second failure is noticed too") { failures.now == 2 }
            engine.close()
        }

        @Test func `may be stopped in the very call that starts it, and be started again in that`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let engine = try Engine(on: server.name)
            let runs = Tally()
            engine.onEvent { event in
                guard case .transition(_, .running) = event.kind else { return }
                switch runs.add() {
                case 1: try? engine.reset()
                case 2: engine.stop()
                default: break
                }
            }
            try engine.start()
            // The engine's worker may be the one that calls the handler.
            try waitUntil("it was started twice, and stopped") { engine.state == .ready && runs.now == 2 }
            try engine.start()
            try waitUntil("it renders") { engine.position > 1000 }
            engine.close()
            #expect(engine.state == .closed)
        }

        @Test func `is looked after though its listener asks in vain for another start`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            let refusals = Tally()
            engine.onEvent { [weak engine] event in
                guard case .transition(_, .running) = event.kind else { return }
                do throws(UnitError) { try engine?.start() } catch { _ = refusals.add() }
            }
            try engine.start()
            #expect(engine.state == .running && refusals.now == 1)
            try host.end(by: SIGKILL)
            try waitUntil("the end of the server is noticed") { engine.state.name == "failed" }
            engine.close()
        }

        /// A unit that has not come back from its start when the test goes on.
        private final class SlowStarter: GraphUnit {
            let hasStarted = Semaphore()
            let mayReturn = Semaphore()
            private let unit: IOUnit

            init(_ unit: IOUnit) { self.unit = unit }

            var client: UnitClient { unit.client }

            func start(_ wiring: Wiring) throws(UnitError) {
                try unit.start(wiring)
                hasStarted.handle.post()
                // No event tells that nobody stops it meanwhile.
                mayReturn.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 300_000_000)
            }

            func stop() {
                unit.stop()
                mayReturn.handle.post()
            }
        }

        @Test func `that is stopped while another thread starts it is stopped`() throws {
            let server = try Server(ServerConfiguration(sync: 256))
            defer { server.stop() }
            let unit = SlowStarter(try IOUnit(UnitConfiguration(alone: server)))
            let engine = try Engine(unit)
            let starter = try Worker("starter") { try? engine.start() }
            unit.hasStarted.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
            engine.stop()
            try waitUntil("the start has returned") { starter.isFinished }
            #expect(engine.state == .ready && !unit.isRunning)
            try engine.start()
            #expect(engine.state == .running && unit.isRunning)
            engine.close()
        }

        @Test func `has mono in and stereo out, and declares its latency between them`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            var configuration = EngineConfiguration()
            configuration.serverName = server.name
            configuration.inputChannels = 1
            let engine = try Engine(configuration)
            let shaper = engine.attach(Shaper(.hard, antialiasing: .best, channels: 1))
            try engine.connect(engine.input, to: shaper)
            try engine.connect(shaper, to: engine.mixer)
            try engine.start()
            #expect(engine.latencyFrames == 70)
            let watcher = try Watcher(on: server)
            #expect(try watcher.ports("^iounit:").map(\.name) == ["iounit:in_1", "iounit:out_1", "iounit:out_2"])
            engine.close()
        }
    }
}
