import Synchronization

/// The account of a unit's cycles: how many, how regular, and what was lost. A pure function of the records.
public struct CycleAccount: Sendable {
    /// Cycles whose record was read.
    public private(set) var cycles: UInt64 = 0
    /// Callbacks that ran longer than their period, but for those of a freewheeling server, which has none to keep.
    public private(set) var overruns: UInt64 = 0
    /// Times that JACK's frame clock did not stand where the last cycle ended: cycles that the server skipped.
    public private(set) var frameGaps: UInt64 = 0
    /// Frames of the frame clock that no cycle of ours rendered.
    public private(set) var gapFrames: UInt64 = 0
    /// Cycles that began later than 1.5 periods after the one before; none from one freewheeled cycle to the next.
    public private(set) var lateCycles: UInt64 = 0
    /// Cycles whose record was lost, because the ring was full.
    public private(set) var lostRecords: UInt64 = 0
    /// Time between the end of the last cycle of one client and the first of the next, in nanoseconds.
    public private(set) var absentNanoseconds: UInt64 = 0
    /// The intervals since `takeWindow`.
    public private(set) var window = IntervalWindow()

    /// In hertz: the server's at the last cycle.
    public private(set) var sampleRate: Double
    /// When the last client's frames were over, while the next one has rendered none.
    private var absentSince: UInt64?
    /// The newest record; `nil` before the first.
    public private(set) var last: CycleRecord?
    private var lostTime: LostTime
    private var recent: [CycleRecord] = []
    private var recentStart = 0
    private static let recentCapacity = 8192

    /// - Parameter sampleRate: in hertz, 1 or more.
    public init(sampleRate: Int) {
        self.sampleRate = Self.possible(sampleRate)
        lostTime = LostTime(sampleRate: Int(self.sampleRate))
    }

    /// A rate that times can be made of, whatever a caller says.
    private static func possible(_ sampleRate: Int) -> Double { Double(max(1, UInt32(clamping: sampleRate))) }

    /// Time that went by on the wall without a frame rendered for it, in nanoseconds. See `LostTime`.
    public var lostNanoseconds: UInt64 { lostTime.nanoseconds }
    /// What of it is known for good: it never falls.
    public var settledLostNanoseconds: UInt64 { lostTime.settled }

    /// When the frames of the last cycle were over, on the monotonic clock; `nil` before the first.
    package var renderedUntilNanoseconds: UInt64? { last.map(end) ?? absentSince }

    private func end(_ record: CycleRecord) -> UInt64 {
        record.entryNanoseconds &+ UInt64(Double(record.frames) / sampleRate * 1e9)
    }

    /// Takes the next cycle's record, in order. One whose position or time lies before the last one's is taken for
    /// another client's, and is not compared with it.
    public mutating func add(_ record: CycleRecord) {
        cycles += 1
        if let last, record.position < last.position || record.entryNanoseconds < last.entryNanoseconds {
            breakContinuity(sampleRate: record.sampleRate > 0 ? Int(record.sampleRate) : Int(sampleRate))
        }
        if record.sampleRate > 0, Double(record.sampleRate) != sampleRate { changeRate(at: record) }
        let period = Double(record.frames) / sampleRate * 1e9
        let isLong = Double(record.exitNanoseconds &- record.entryNanoseconds) > period && record.frames > 0
        if isLong && !record.isFreewheeling { overruns += 1 }
        lostRecords = record.lostRecords
        if let last {
            let rendered = record.position - last.position
            let passed = record.frameTime &- last.frameTime
            let jump = Int32(bitPattern: passed &- UInt32(truncatingIfNeeded: rendered))
            // Where the period changes, jackd's clock has gone on by the new one already: nothing was skipped.
            let isGap = jump > 0 && record.frames == last.frames
            if isGap {
                frameGaps += 1
                gapFrames += UInt64(jump)
            }
            // Between two records there may be cycles whose records were lost; their frames count all the same.
            let interval = record.entryNanoseconds - last.entryNanoseconds
            if record.lostRecords == last.lostRecords { window.add(interval) }
            if last.isFreewheeling && record.isFreewheeling {
                // However long the server has waited for a client, the wall says nothing of what is missing.
                lostTime.breakContinuity(sampleRate: Int(sampleRate))
                lostTime.add(record, isLate: false)
            } else {
                let nominal = Double(rendered) / sampleRate * 1e9
                let isLate = Double(interval) > nominal + Double(last.frames) / sampleRate * 0.5e9
                if isLate { lateCycles += 1 }
                lostTime.add(record, isLate: isLate || isGap)
            }
        } else {
            if let absentSince, record.entryNanoseconds > absentSince {
                absentNanoseconds &+= record.entryNanoseconds - absentSince
            }
            lostTime.add(record, isLate: false)
        }
        last = record
        remember(record)
    }

    /// The next record is not to be compared with the last: the client was opened again, on a server that may run at
    /// another rate.
    ///
    /// - Parameter sampleRate: in hertz, 1 or more.
    public mutating func breakContinuity(sampleRate: Int) {
        if let last { absentSince = end(last) }
        self.sampleRate = Self.possible(sampleRate)
        last = nil
        lostTime.breakContinuity(sampleRate: Int(self.sampleRate))
    }

    /// The server has changed its rate between the last cycle and this one. The time between them counts as lost, as far
    /// as it is more than jitter: of a cycle that was late by the change nobody knows what would have been in time.
    private mutating func changeRate(at record: CycleRecord) {
        if let last {
            let length = Double(record.position - last.position) / sampleRate * 1e9
            let late = Double(record.entryNanoseconds - last.entryNanoseconds) - length
            let period = Double(last.frames) / sampleRate * 1e9
            if late > period / 2 { lateCycles += 1 }
            lostTime.breakContinuity(
                sampleRate: Int(record.sampleRate), lostNanoseconds: late > period / 4 ? UInt64(nanoseconds: late) : 0)
            absentSince = nil
        } else {
            lostTime.breakContinuity(sampleRate: Int(record.sampleRate))
        }
        sampleRate = Double(record.sampleRate)
        last = nil
    }

    /// The intervals since the last call.
    public mutating func takeWindow() -> IntervalWindow {
        defer { window = IntervalWindow() }
        return window
    }

    /// The record of the cycle that began at a time of JACK's frame clock, if it is among the last 8192.
    public func cycle(atFrameTime frameTime: UInt32) -> CycleRecord? {
        // The newest lie before `recentStart`: after a server's restart two may have the same time.
        recent[..<recentStart].last { $0.frameTime == frameTime }
            ?? recent[recentStart...].last { $0.frameTime == frameTime }
    }

    /// The last 8192 records, in order.
    package var recentCycles: [CycleRecord] { Array(recent[recentStart...] + recent[..<recentStart]) }

    private mutating func remember(_ record: CycleRecord) {
        if recent.count < Self.recentCapacity {
            recent.append(record)
        } else {
            recent[recentStart] = record
            recentStart = (recentStart + 1) % Self.recentCapacity
        }
    }
}

/// The shortest, mean and longest of some intervals between starts of the callback.
public struct IntervalWindow: Sendable, Equatable {
    /// Of intervals.
    public private(set) var count = 0
    /// 0 where there are none.
    public private(set) var shortestNanoseconds: UInt64 = 0
    /// 0 where there are none.
    public private(set) var longestNanoseconds: UInt64 = 0
    /// In floating point, because a few intervals may be longer together than a whole number can tell.
    private var sum = 0.0

    /// Of no interval yet.
    public init() {}

    /// 0 where there are none.
    public var meanNanoseconds: Double { count == 0 ? 0 : sum / Double(count) }

    mutating func add(_ nanoseconds: UInt64) {
        shortestNanoseconds = count == 0 ? nanoseconds : min(shortestNanoseconds, nanoseconds)
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
        sum += Double(nanoseconds)
        count += 1
    }
}

/// The reader's end of a ring of records: keeps the account of them and passes them on.
package final class Telemetry: Sendable {
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var records: Consumer<CycleRecord>
        var account: CycleAccount?
        /// In hertz, oldest first.
        var newRates: [Int] = []
        var listener: (@Sendable ([CycleRecord]) -> Void)?

        init(records: consuming Consumer<CycleRecord>) { self.records = records }

        mutating func read() {
            var batch: [CycleRecord] = []
            while let record = records.pop() {
                let rate = account?.sampleRate
                account?.add(record)
                if let account, account.sampleRate != rate { newRates.append(Int(account.sampleRate)) }
                if listener != nil { batch.append(record) }
            }
            if !batch.isEmpty { listener?(batch) }
        }
    }

    package init(_ records: consuming Consumer<CycleRecord>) { state = Mutex(State(records: records)) }

    /// What is read from now on belongs to a client that was opened again.
    ///
    /// - Parameter sampleRate: in hertz.
    package func begin(sampleRate: Int) {
        state.withLock { state in
            state.newRates = []
            if state.account?.breakContinuity(sampleRate: sampleRate) == nil {
                state.account = CycleAccount(sampleRate: sampleRate)
            }
        }
    }

    /// Reads what there is. Under the lock, so that batches arrive in order. Thread: the collector, or control.
    package func collect() { state.withLock { $0.read() } }

    /// Reads what there is, and tells of all that was read; `nil` before the first client.
    package var account: CycleAccount? {
        state.withLock { state in
            state.read()
            return state.account
        }
    }

    /// The present rate in hertz, as far as it was read of; 0 before the first client.
    package var sampleRate: Int { state.withLock { Int($0.account?.sampleRate ?? 0) } }

    /// How many cycles have been read of.
    package var cycles: UInt64 {
        state.withLock { state in
            state.read()
            return state.account?.cycles ?? 0
        }
    }

    /// The sample rates in hertz that the server has changed to since the last call, in order: what was rendered at, and
    /// not what was announced.
    package func takeNewRates() -> [Int] {
        state.withLock { state in
            state.read()
            defer { state.newRates = [] }
            return state.newRates
        }
    }

    /// Cycles whose record found no room, as of the last record that was read.
    package var lostRecords: UInt64 { state.withLock { $0.account?.lostRecords ?? 0 } }

    package func takeWindow() -> IntervalWindow { state.withLock { $0.account?.takeWindow() ?? IntervalWindow() } }

    package func listen(_ listener: (@Sendable ([CycleRecord]) -> Void)?) {
        state.withLock { state in
            state.read()
            state.listener = listener
        }
    }
}
