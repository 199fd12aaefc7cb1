import AudioFigures
import AudioRealtime

/// What the instruments found of stalls that were caused on purpose, beside what must be found.
///
/// Each stall is looked for around its own time, among the cycles that were late. Those that belong to none of them are
/// the machine's own, which are counted and are nobody's error.
public struct Calibration: Sendable, Equatable {
    /// The stalls of one kind.
    public struct Row: Sendable, Equatable {
        /// Who is to be blamed: `own`, `upstream`, or `wakeup` where the server was stopped.
        public var cause: Blame
        /// Stalls that were made.
        public var injected = 0
        /// Stalls for which a late cycle was found.
        public var found = 0
        /// Of these, how many were put down to the right one.
        public var rightlyBlamed = 0
        /// How late the callbacks must have been, and were found to be; sums in nanoseconds.
        public var late = Sums()
        /// What the stalls must have cost for good, and what the account of lost time found: sums in nanoseconds, over
        /// stalls near which the machine did not stall as well.
        public var lost = Sums()

        /// Number, sums and blame, as they must be: the sums within 2 % or one period for each stall. Nothing passes
        /// where nothing was injected.
        public var passes: Bool {
            injected > 0 && found == injected && late.agree && lost.agree
                && Double(rightlyBlamed) >= 0.95 * Double(injected)
        }
    }

    /// What was expected and what was found. In nanoseconds.
    public struct Sums: Sendable, Equatable {
        /// By what was injected.
        public var expected: Int64 = 0
        /// By the measurement.
        public var found: Int64 = 0
        /// One period for each stall.
        public var tolerance: Int64 = 0

        /// How much the two may differ: that, or 2 %.
        public var allowance: Int64 { max(tolerance, expected / 50) }
        /// Whether they differ by no more than that.
        public var agree: Bool { abs(found - expected) <= allowance }

        mutating func add(expected: Int64, found: Int64, tolerance: Int64) {
            self.expected += expected
            self.found += found
            self.tolerance += tolerance
        }
    }

    /// In hertz.
    public let sampleRate: Int
    /// Length of a period.
    public let periodFrames: Int
    /// In the order own, upstream, wakeup.
    public private(set) var rows: [Row]
    /// Late cycles that no stall of ours explains, and by how much they were late in all.
    public private(set) var machine = BlameCount()
    /// By how much in all they were late.
    public private(set) var machineLateNanoseconds: Int64 = 0
    /// Late cycles by the account of cycles, and by the judge. They must be the same.
    public let lateCycles: UInt64
    /// By the judge's.
    public let judgedCycles: UInt64
    /// Cycles that the figures know nothing of.
    public let lostRecords: UInt64

    /// Whether each kind of stall was found, measured and blamed as it should be, and no record was lost.
    public var passes: Bool { rows.allSatisfy(\.passes) && lateCycles == judgedCycles && lostRecords == 0 }

    init(_ log: CalibrationLog) {
        sampleRate = log.sampleRate
        periodFrames = log.periodFrames
        var account = CycleAccount(sampleRate: log.sampleRate)
        for record in log.own { account.add(record) }
        // Each of them is looked for.
        var judge = BlameJudge(sampleRate: log.sampleRate, eventCapacity: max(16, log.own.count))
        // In turns: it waits for so many cycles of the other alone.
        for start in stride(from: 0, to: max(log.own.count, log.sentinel.count), by: 4096) {
            judge.add(own: Array(log.own.dropFirst(start).prefix(4096)))
            judge.add(sentinel: Array(log.sentinel.dropFirst(start).prefix(4096)))
        }
        lateCycles = account.lateCycles
        judgedCycles = judge.counts.total
        lostRecords = account.lostRecords + (log.sentinel.last?.lostRecords ?? 0)

        let origin = log.own.first?.entryNanoseconds ?? 0
        var lates = judge.events.map { Late($0, origin: origin) }
        rows = [Blame.own, .upstream, .wakeup].map { Row(cause: $0) }
        let matches = log.injections.map { Self.takeMatch(of: $0.stall, from: &lates) }
        for late in lates {
            machine.count(late.blame)
            machineLateNanoseconds += late.nanoseconds
        }
        for (injection, match) in zip(log.injections, matches) {
            add(injection, match, machine: lates, log)
        }
    }

    /// Takes the late cycle away that has most of its wait in common with a stall.
    private static func takeMatch(of stall: Stall, from lates: inout [Late]) -> Late? {
        let shared = lates.map { $0.overlap(with: stall) }
        guard let most = shared.max(), most > 0, let index = shared.firstIndex(of: most) else { return nil }
        return lates.remove(at: index)
    }

    private mutating func add(_ injection: Injection, _ match: Late?, machine: [Late], _ log: CalibrationLog) {
        guard let index = rows.firstIndex(where: { $0.cause == injection.cause }) else { return }
        let period = Int64(log.periodNanoseconds)
        let expected = log.expectedLateNanoseconds(injection.stall)
        rows[index].injected += 1
        if let match {
            rows[index].found += 1
            if match.blame == injection.cause { rows[index].rightlyBlamed += 1 }
        }
        rows[index].late.add(expected: expected, found: match?.nanoseconds ?? 0, tolerance: period)

        let neighbourhood = log.neighbourhood(of: injection.stall)
        guard !machine.contains(where: { neighbourhood.contains($0.end) }) else { return }
        var account = CycleAccount(sampleRate: log.sampleRate)
        for record in log.own where neighbourhood.contains(record.entryNanoseconds) { account.add(record) }
        // Where our own callback stalls, the next cycle does not come early to make up for it. In async mode the server loses whole
        // periods: so the tolerance is one period.
        let madeUp = injection.cause != .own && log.isMadeUp(after: injection.stall) ? period : 0
        rows[index].lost.add(
            expected: max(0, expected - madeUp), found: Int64(account.lostNanoseconds), tolerance: period)
    }
}

/// A late cycle, with its times on the monotonic clock.
private struct Late {
    /// When the callback was due, and when it began.
    let begin: UInt64
    let end: UInt64
    let blame: Blame

    init(_ event: Series.Event, origin: UInt64) {
        end = origin + UInt64(event.nanoseconds)
        begin = end - UInt64(event.lateNanoseconds)
        blame = event.blame
    }

    var nanoseconds: Int64 { Int64(end - begin) }

    func overlap(with stall: Stall) -> UInt64 {
        let (from, to) = (max(begin, stall.beginNanoseconds), min(end, stall.endNanoseconds))
        return from < to ? to - from : 0
    }
}
