import AudioIO
import AudioRealtime
import Glibc
import Jack
import Synchronization
import TestSupport
import Testing
import Threads

extension OnServer {
    @Suite("The telemetry of a running unit") struct TelemetryTests {
        @Test func `accounts for every frame`() throws {
            let server = try Server(ServerConfiguration(patient: 64))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            try waitUntil("three hundred cycles are rendered") { unit.statistics.cycles >= 300 }
            unit.stop()
            let statistics = unit.statistics
            #expect(statistics.frames == statistics.cycles * 64)
            #expect(statistics.frameGaps == 0, "in sync mode the frame clock stands still while the server does")
            #expect(statistics.gapFrames == 0)
            #expect(statistics.lostRecords == 0)
            let last = try #require(unit.lastCycle)
            #expect(last.position + UInt64(last.frames) == statistics.frames)
            // Each record begins where the one before ended, on both clocks of frames.
            var record = last
            for _ in 0..<200 {
                let before = try #require(unit.cycle(atFrameTime: record.frameTime &- 64))
                #expect(before.position + UInt64(before.frames) == record.position)
                #expect(before.entryNanoseconds <= before.exitNanoseconds)
                #expect(before.exitNanoseconds <= record.entryNanoseconds)
                record = before
            }
            #expect(unit.meters.totals(0).frames == statistics.frames)
        }

        @Test func `hands over each record once, in order, to whoever listens`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(alone: server))
            let heard = Mutex<[CycleRecord]>([])
            unit.onCycles { records in heard.withLock { $0 += records } }
            try unit.start()
            try waitUntil("two hundred records were handed over") { heard.withLock { $0.count >= 200 } }
            unit.stop()
            let records = heard.withLock { $0 }
            #expect(records == unit.recentCycles)
            unit.onCycles(nil)
            try unit.start()
            try waitUntil("the unit renders again") { unit.statistics.cycles > UInt64(records.count) + 100 }
            unit.stop()
            #expect(heard.withLock { $0.count } == records.count)
        }

        @Test func `knows what the audio thread costs while it runs`() throws {
            let server = try Server(ServerConfiguration(sync: 64))
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(alone: server))
            #expect(unit.audioThreadUsage == nil)
            try unit.start()
            try waitUntil("the audio thread has run") { unit.statistics.cycles >= 10 }
            let before = try #require(unit.audioThreadUsage)
            let cycles = unit.statistics.cycles
            try waitUntil("three hundred cycles more are rendered") { unit.statistics.cycles >= cycles + 300 }
            let after = try #require(unit.audioThreadUsage)
            // It waits after each cycle but where the server catches up with what it was late, and each costs a microsecond at least.
            #expect(after.voluntarySwitches >= before.voluntarySwitches + 200)
            #expect(after.processorNanoseconds >= before.processorNanoseconds + 300_000)
            unit.stop()
            #expect(unit.audioThreadUsage == nil)
        }

        /// The unit's figures at one moment.
        private struct Moment: Equatable {
            var lost: UInt64
            var last: CycleRecord

            /// Waits for a moment in which no cycle comes between the figures.
            init(_ unit: IOUnit) throws {
                var found: Moment?
                try waitUntil("the unit's figures are read between two cycles") {
                    guard let last = unit.lastCycle else { return false }
                    let lost = unit.statistics.lostNanoseconds
                    if unit.lastCycle == last { found = Moment(lost: lost, last: last) }
                    return found != nil
                }
                self = try #require(found)
            }

            private init(lost: UInt64, last: CycleRecord) {
                self.lost = lost
                self.last = last
            }
        }

        @Test(arguments: [true, false])
        func `finds the time that is lost while the server is stopped`(isSync: Bool) throws {
            var configuration = ServerConfiguration(sync: 256)
            configuration.isSync = isSync
            configuration.isPatient = isSync
            let server = try Server(configuration)
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            try waitUntil("a hundred cycles are rendered") { unit.statistics.cycles >= 100 }
            let before = try Moment(unit)
            try server.freeze()
            // The stall is what is tested here, and this its length.
            MonotonicClock.sleep(milliseconds: 100)
            server.signal(SIGCONT)
            let goal = unit.statistics.cycles + 100
            try waitUntil("a hundred more cycles are rendered") { unit.statistics.cycles >= goal }
            let after = try Moment(unit)
            unit.stop()

            let lost = Double(after.lost - before.lost)
            #expect(lost >= 80_000_000)
            let period = 256 / 48000.0 * 1e9
            let wall = Double(after.last.entryNanoseconds - before.last.entryNanoseconds)
            let rendered = Double(after.last.position - before.last.position) / 48000 * 1e9
            #expect(abs(wall - rendered - lost) <= 4 * period, "wall time less rendered frames is \(wall - rendered)")
            #expect(unit.statistics.lateCycles >= 1)
            if isSync { #expect(unit.statistics.frameGaps == 0) }
        }

        @Test(arguments: [true, false])
        func `counts the xruns that JACK reports, and in async mode the cycles that it skips`(isSync: Bool) throws {
            var configuration = ServerConfiguration(sync: 128)
            configuration.isSync = isSync
            let server = try Server(configuration)
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            try waitUntil("the unit runs") { unit.statistics.cycles >= 10 }
            let sleeper = try Sleeper(on: server)
            // In async mode only those who wait for the late one are kept from running.
            try Watcher(on: server).connect("sleeper:out", to: "iounit:in_1")
            let connected = unit.statistics.cycles + 4
            try waitUntil("the connection is in force") { unit.statistics.cycles >= connected }
            for _ in 0..<3 {
                let before = unit.statistics.xruns
                sleeper.sleep()
                try waitUntil("the sleeper has slept") { sleeper.isAwake }
                try waitUntil("JACK reports an xrun, and the unit counts it") { unit.statistics.xruns > before }
                let goal = unit.statistics.cycles + 20
                try waitUntil("twenty more cycles are rendered") { unit.statistics.cycles >= goal }
            }
            unit.stop()
            #expect(unit.statistics.xruns >= 3)
            // Thrice 30 ms, of which a period may pass unnoticed.
            #expect(unit.statistics.lostNanoseconds >= 60_000_000)
            if isSync {
                // The server waits for twenty periods: where a sleep took as long, it has gone on.
                #expect(unit.statistics.frameGaps == 0 || unit.statistics.lostNanoseconds >= 100_000_000)
            } else {
                #expect(unit.statistics.frameGaps >= 1)
                #expect(unit.statistics.gapFrames >= 128)
            }
            withExtendedLifetime(sleeper) {}
        }

        @Test(arguments: [true, false])
        func `says how the kernel schedules the audio thread, and that it does not where it is not asked`(
            isRealtime: Bool
        ) throws {
            var configuration = ServerConfiguration(sync: 256)
            configuration.isRealtime = isRealtime
            let server = try Server(configuration)
            defer { server.stop() }
            let unit = try IOUnit(UnitConfiguration(physical: server))
            try unit.start()
            let connection = try #require(unit.connection)
            #expect(connection.isRealtime == isRealtime)
            #expect(connection.sampleRate == 48000)
            #expect(connection.periodFrames == 256)
            #expect(connection.inputs == ["iounit:in_1", "iounit:in_2"])
            #expect(connection.outputs == ["iounit:out_1", "iounit:out_2"])
            let scheduling = try #require(connection.scheduling)
            // What /proc says of this process's threads.
            let kernel = ProcessFacts.scheduling
            switch scheduling.policy {
            case .fifo: #expect(kernel.contains { $0.policy == Int(SCHED_FIFO) && $0.priority == scheduling.priority })
            case .roundRobin: #expect(kernel.contains { $0.policy == Int(SCHED_RR) })
            case .other: #expect(kernel.allSatisfy { $0.policy == 0 }, "no thread is scheduled in real time")
            }
            if !isRealtime { #expect(scheduling.policy == .other && scheduling.priority == 0) }
            unit.stop()
            #expect(unit.connection == nil)
        }
    }
}

@Suite("Memory") struct MemoryLockTests {
    @Test func `is locked where the kernel permits it, and said not to be where it does not`() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessFacts.lockedKibibytes
            if MemoryLock.lock() {
                try #require(ProcessFacts.lockedKibibytes > before)
                MemoryLock.unlock()
                try #require(ProcessFacts.lockedKibibytes == 0)
            } else {
                try #require(ProcessFacts.lockedKibibytes == before)
            }
            // Nothing is permitted to somebody without privileges and with a limit of nothing.
            var nothing = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(setrlimit(__rlimit_resource_t(8), &nothing) == 0)  // RLIMIT_MEMLOCK
            if geteuid() == 0 { try #require(seteuid(65534) == 0) }
            try #require(!MemoryLock.lock())
        }
    }
}
