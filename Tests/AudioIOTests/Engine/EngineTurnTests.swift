import AudioIO
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    /// Calls that several threads make at once: each acts on what the one before has left.
    @Suite("An engine whose calls come from several threads") struct EngineTurnTests {
        private func expectToBeLookedAfter(_ engine: Engine, on host: Succession) throws {
            try waitUntil("it runs") { engine.state == .running }
            try host.end(by: SIGKILL)
            try waitUntil("the end of the server is noticed") { engine.state.name == "failed" }
        }

        @Test func `refuses a start where it runs, and does not wait for its end`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            try engine.start()
            let refusals = Mutex<[UnitError]>([])
            let starter = try Worker("starter") {
                do throws(UnitError) { try engine.start() } catch { refusals.withLock { $0.append(error) } }
            }
            try waitUntil("the start has returned") { starter.isFinished }
            #expect(refusals.withLock { $0.count } == 1)
            try expectToBeLookedAfter(engine, on: host)
            engine.close()
        }

        @Test func `is stopped by one thread though a listener starts it again meanwhile, and that start holds`() throws
        {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            let isHeard = Semaphore()
            let wasStopped = Atomic<Bool>(false)
            engine.onEvent { [weak engine] event in
                guard let engine, case .periodChanged = event.kind else { return }
                isHeard.handle.post()
                // This is the engine's worker: the stop has it end, and waits for it.
                try? waitUntil("it is stopped") { engine.state == .ready }
                wasStopped.store(engine.state == .ready, ordering: .relaxed)
                try? engine.start()
            }
            try engine.start()
            let watcher = try Probe.sink(on: host.server, channels: 1, length: 64)
            try watcher.withClient { try $0.setPeriod(frames: 64) }
            isHeard.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
            let stopper = try Worker("stopper") { engine.stop() }
            try waitUntil("the stop has returned") { stopper.isFinished }
            let hasHeardOfStop = wasStopped.load(ordering: .relaxed)
            #expect(hasHeardOfStop)
            try expectToBeLookedAfter(engine, on: host)
            engine.close()
        }

        @Test func `that is stopped by one thread does not have another wait for it to leave the graph`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            let gate = Gate()
            defer { gate.open() }
            gate.shut()
            engine.onEvent { event in
                // This is the engine's worker: as long as it is held up, it does not leave the graph of its own accord.
                if case .periodChanged = event.kind { gate.pass() }
            }
            try engine.start()
            let watcher = try Probe.sink(on: host.server, channels: 1, length: 64)
            try watcher.withClient { try $0.setPeriod(frames: 64) }
            try waitUntil("the worker is held up") { gate.arrivals > 0 }
            let hasLeft = Atomic<Bool>(false)
            let isAsked = Semaphore()
            let suspender = try Worker("suspender") {
                isAsked.handle.post()
                hasLeft.store(engine.suspend(within: 600), ordering: .relaxed)
            }
            isAsked.wait(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
            let stopper = try Worker("stopper") { engine.stop() }
            try waitUntil("the suspension has returned") { suspender.isFinished }
            let isOut = hasLeft.load(ordering: .relaxed)
            #expect(isOut && engine.unit?.isRunning == false)
            gate.open()
            try waitUntil("the stop has returned") { stopper.isFinished }
            engine.close()
        }

        @Test func `that three threads start, stop and reset is what its state says, and is looked after`() throws {
            let host = try Succession(ServerConfiguration(sync: 256))
            let engine = try Engine(on: host.name)
            for _ in 0..<10 {
                let calls: [@Sendable () -> Void] = [
                    { try? engine.start() }, { engine.stop() }, { try? engine.reset() }, { try? engine.start() },
                ]
                let callers = try calls.map { try Worker("caller", $0) }
                try waitUntil("the calls have returned") { callers.allSatisfy(\.isFinished) }
                #expect((engine.state == .ready) == (engine.unit?.isRunning == false))
            }
            engine.stop()
            #expect(engine.state == .ready && engine.unit?.isRunning == false)
            try engine.start()
            try expectToBeLookedAfter(engine, on: host)
            engine.close()
        }
    }
}
