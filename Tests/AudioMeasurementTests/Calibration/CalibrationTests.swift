import AudioFigures
import AudioIO
import AudioRealtime
import Jack
import TestSupport
import Testing

@testable import AudioMeasurement

@Suite("A calibration of made-up records") struct CalibrationVerdictTests {
    /// Ten stalls of each kind, with the records that right instruments read.
    ///
    /// - Parameter misses: whether we miss the cycle that comes at once behind a stop of the server.
    private func log(isSync: Bool, misses: Bool = false) -> CalibrationLog {
        var scene = BlameScene()
        var injections: [Injection] = []
        scene.cycles(100)
        for number in 0..<30 {
            let length = 5e6 + Double(number) * 50_000
            switch number % 3 {
            case 0:
                let begin = scene.dueNanoseconds + scene.wakeUpOffsetNanoseconds
                inject(.own, begin, length)
                scene.ownStall(nanoseconds: length, isSync: isSync)
            case 1:
                inject(.upstream, scene.dueNanoseconds, length)
                scene.upstreamStall(nanoseconds: length, isSync: isSync)
            default:
                let begin = scene.dueNanoseconds - scene.periodNanoseconds / 2
                inject(.wakeup, begin, length + scene.periodNanoseconds / 2)
                scene.serverStall(nanoseconds: length, isMissed: misses)
            }
            scene.cycles(100)
        }
        func inject(_ cause: Blame, _ begin: Double, _ length: Double) {
            let stall = Stall(beginNanoseconds: UInt64(begin), endNanoseconds: UInt64(begin + length))
            injections.append(Injection(stall: stall, cause: cause))
        }
        var log = CalibrationLog(sampleRate: 48000, periodFrames: 64)
        log.own = scene.own
        log.sentinel = scene.sentinel
        log.injections = injections
        return log
    }

    @Test(arguments: [true, false])
    func `passes where all is found`(isSync: Bool) {
        let calibration = Calibration(log(isSync: isSync))
        #expect(calibration.passes, "\(calibration)")
        #expect(calibration.rows.map(\.injected) == [10, 10, 10])
        #expect(calibration.machine == BlameCount())
    }

    @Test func `a cycle that would have made up for a period, and that we missed, is expected to be lost`() {
        let calibration = Calibration(log(isSync: false, misses: true))
        #expect(calibration.passes, "\(calibration)")
    }

    @Test func `says what the machine stalls besides, and passes`() {
        var log = log(isSync: true)
        // Far from any of ours: all that follows is put off by 10 ms.
        let after = log.own[50].entryNanoseconds
        for index in log.own.indices where log.own[index].entryNanoseconds > after {
            log.own[index].entryNanoseconds += 10_000_000
            log.own[index].exitNanoseconds += 10_000_000
        }
        for index in log.sentinel.indices where log.sentinel[index].entryNanoseconds > after {
            log.sentinel[index].entryNanoseconds += 10_000_000
        }
        for index in log.injections.indices {
            log.injections[index].stall.beginNanoseconds += 10_000_000
            log.injections[index].stall.endNanoseconds += 10_000_000
        }
        let calibration = Calibration(log)
        #expect(calibration.passes, "\(calibration)")
        #expect(calibration.machine.wakeup == 1)
        #expect(abs(calibration.machineLateNanoseconds - 10_000_000) < 10)
    }

    @Test func `finds each stall, though there are more late cycles than a report keeps`() {
        var scene = BlameScene()
        var log = CalibrationLog(sampleRate: 48000, periodFrames: 64)
        scene.cycles(100)
        let length = 5e6
        for _ in 0...CallbackAnalysis.eventCapacity {
            let begin = scene.dueNanoseconds - scene.periodNanoseconds / 2
            let stall = Stall(beginNanoseconds: UInt64(begin), endNanoseconds: UInt64(begin + length))
            log.injections.append(Injection(stall: stall, cause: .wakeup))
            scene.serverStall(nanoseconds: length - scene.periodNanoseconds / 2)
            scene.cycles(2)
        }
        (log.own, log.sentinel) = (scene.own, scene.sentinel)
        let row = Calibration(log).rows[2]
        #expect(row.injected == CallbackAnalysis.eventCapacity + 1)
        #expect(row.found == row.injected && row.rightlyBlamed == row.injected, "\(row)")
    }

    @Test func `fails where stalls do not show`() {
        var log = log(isSync: true)
        // As if the frame clock were asked, which shows nothing in sync mode.
        for index in log.own.indices {
            log.own[index].entryNanoseconds = 1_000_000_000_000 + UInt64(Double(index) * log.periodNanoseconds)
            log.own[index].exitNanoseconds = log.own[index].entryNanoseconds + 1000
        }
        let calibration = Calibration(log)
        #expect(!calibration.passes)
        #expect(calibration.rows.allSatisfy { !$0.passes && $0.found == 0 })
    }

    @Test func `fails where the sums are wrong`() {
        let right = log(isSync: true)
        var log = right
        // Each stall was half as long again as the injector says.
        for index in log.injections.indices {
            let stall = log.injections[index].stall
            log.injections[index].stall.endNanoseconds = stall.beginNanoseconds + stall.nanoseconds * 2 / 3
        }
        let calibration = Calibration(log)
        #expect(calibration.rows.allSatisfy { $0.found == 10 && !$0.late.agree && !$0.lost.agree }, "\(calibration)")
        #expect(!calibration.passes)
    }

    @Test func `fails where the wrong one is blamed`() {
        var log = log(isSync: true)
        for index in log.injections.indices where log.injections[index].cause == .wakeup {
            log.injections[index].cause = .upstream
        }
        #expect(!Calibration(log).passes)
    }

    @Test func `fails without a sentinel, but for our own`() {
        var log = log(isSync: false)
        log.sentinel = []
        let calibration = Calibration(log)
        #expect(calibration.rows.map(\.passes) == [true, false, false])
        #expect(!calibration.passes)
    }

    @Test func `fails where records are lost`() {
        var log = log(isSync: true)
        for index in log.own.indices.dropFirst(1000) { log.own[index].lostRecords = 1 }
        #expect(!Calibration(log).passes)
    }

    @Test func `fails where nothing was injected`() {
        var log = log(isSync: true)
        log.injections.removeAll { $0.cause == .wakeup }
        #expect(Calibration(log).rows.map(\.passes) == [true, true, false])
    }

    @Test func `leaves a stop of the server out that cut a cycle in two`() {
        var log = CalibrationLog(sampleRate: 48000, periodFrames: 64)
        var scene = BlameScene()
        scene.cycles(10)
        let begin = UInt64(scene.dueNanoseconds) + 1000
        scene.cycle(wakeUpOffset: 5_000_000)
        log.own = scene.own
        log.sentinel = scene.sentinel
        let stall = Stall(beginNanoseconds: begin, endNanoseconds: begin + 4_900_000)
        #expect(log.cutsCycle(Injection(stall: stall, cause: .wakeup)))
        #expect(!log.cutsCycle(Injection(stall: stall, cause: .upstream)))
    }
}

@Suite("A plan of stalls") struct CalibrationPlanTests {
    @Test(arguments: [16, 64, 1024])
    func `has as many of each kind, irregular and far apart, and is the same for the same seed`(periodFrames: Int) {
        let period = Double(periodFrames) / 48000 * 1e9
        let plan = CalibrationPlan(stalls: 10, periodNanoseconds: period, seed: 3)
        for cause in [Blame.own, .upstream, .wakeup] { #expect(plan.steps.count { $0.cause == cause } == 10) }
        for step in plan.steps {
            #expect(Double(step.stallNanoseconds) >= 3 * period - 1)
            #expect(Double(step.pauseNanoseconds) >= 44 * period - 1)
        }
        #expect(Set(plan.steps.map(\.stallNanoseconds)).count == 30)
        #expect(Set(plan.steps.map(\.pauseNanoseconds)).count == 30)
        #expect(plan.steps == CalibrationPlan(stalls: 10, periodNanoseconds: period, seed: 3).steps)
        #expect(plan.steps != CalibrationPlan(stalls: 10, periodNanoseconds: period, seed: 4).steps)
    }
}

@Suite("Calibration", .serialized, .ownServers) struct CalibrationTests {
    private func server(isSync: Bool) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.periodFrames = 128
        configuration.isSync = isSync
        return configuration
    }

    @Test(arguments: [true, false])
    func `finds the stalls that it injects: number, sums and blame`(isSync: Bool) throws {
        let plan = CalibrationPlan(stalls: 6, periodNanoseconds: 128.0 / 48000 * 1e9, seed: 1)
        let log = try CalibrationRun(server(isSync: isSync)).inject(plan) { true }
        for cause in [Blame.own, .upstream, .wakeup] {
            // Each by itself: where the machine stalled within one too, that is later, and may be put down to another.
            let rows = log.injections.filter { $0.cause == cause }.compactMap { injection -> Calibration.Row? in
                var single = log
                single.injections = [injection]
                return Calibration(single).rows.first { $0.injected == 1 }
            }
            #expect(rows.allSatisfy { $0.found == 1 } && rows.count { $0.passes } >= 2, "\(rows)")
        }
        let calibration = Calibration(log)
        #expect(calibration.lateCycles == calibration.judgedCycles && calibration.lostRecords == 0)
    }

    @Test func `ends when it is no longer wanted`() throws {
        var asked = 0
        let calibration = try Calibration(on: server(isSync: true), stalls: 10) {
            asked += 1
            return asked <= 3
        }
        // A stop that cut a cycle in two is left out.
        #expect((1...3).contains(calibration.rows.reduce(0) { $0 + $1.injected }))
    }

    @Test func `is refused where a period is longer than a stall may be`() {
        var configuration = ServerConfiguration()
        configuration.periodFrames = 8192
        do throws(JackError) {
            _ = try Calibration(on: configuration)
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .invalidRequest)
        }
    }

    @Test(arguments: [Int.min, -1, 10_001, .max])
    func `is refused for a number of stalls that nobody waits for`(_ stalls: Int) {
        do throws(JackError) {
            _ = try Calibration(on: ServerConfiguration(), stalls: stalls)
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .invalidRequest)
        }
    }

    /// Whom the judge blames in a quiet run, with a client before the unit: nobody, unless the machine itself stalls,
    /// and then for those cycles alone that were late by the wall clock.
    @Test(arguments: [true, false])
    func `blames nobody in a quiet run but for what the records themselves show`(isSync: Bool) throws {
        let server = try Server(server(isSync: isSync))
        defer { server.stop() }
        let sentinel = try Sentinel(clientName: "sentinel", server: server.name)
        let upstream = try StallInjector(clientName: "upstream", server: server.name)
        var configuration = UnitConfiguration()
        configuration.serverName = server.name
        configuration.inputs = .none
        configuration.outputs = .none
        let unit = try IOUnit(configuration)
        let own = RecordLog()
        let log = RecordLog()
        sentinel.onCycles { log.add($0) }
        unit.onCycles { own.add($0) }
        try unit.start()
        try upstream.client.connect("upstream:out", to: "iounit:in_1")
        try waitUntil("300 cycles are rendered") { own.count >= 300 && log.count >= 300 }
        unit.stop()
        sentinel.stop()
        upstream.client.stop()

        let records = own.all
        let period = 128.0 / 48000 * 1e9
        let long = zip(records, records.dropFirst()).count { last, next in
            let periods = Double(next.position - last.position) / 128
            return Double(next.entryNanoseconds - last.entryNanoseconds) > (periods + 0.5) * period
        }
        let overruns = records.count { Double($0.exitNanoseconds - $0.entryNanoseconds) > period }
        var judge = BlameJudge(sampleRate: 48000)
        judge.add(own: records)
        judge.add(sentinel: log.all)
        let counts = judge.counts
        #expect(counts.own + counts.upstream + counts.wakeup + counts.unknown == UInt64(long), "\(counts)")
        #expect(counts.own <= UInt64(overruns))
        #expect(records.last?.lostRecords == 0)
    }
}
