import AudioFigures
import AudioRealtime

/// Finds the cause of each late cycle of a unit, by comparing its records with a sentinel's.
///
/// Late is a cycle whose interval is longer than nominal by more than half a period, as in `CycleAccount.lateCycles`.
/// From the moment at which its callback was due to the moment at which it began, that time is divided up:
/// - while our previous callback still ran: *own*;
/// - after that, until the sentinel began the cycle (and as long after that as we usually do): *wakeup*;
/// - the rest, while the cycle had begun but not for us: *upstream*.
///
/// The one with at least half of it is to blame. If none has, or there is nothing to compare with, that is *unknown*.
///
/// What the records cannot tell, because they show when a callback ran and not why: a scheduler that delays our thread
/// alone looks like a client before us, and our callback, while another thread has its processor, like a slow one.
/// A sentinel whose own thread is delayed in the same cycle makes a late client look like a late wake-up. In sync mode
/// the server waits for all clients, so that one that overruns *after* us in the graph, or beside us, makes the next
/// cycle late for all and is a wake-up here. A card's driver that starts again after an xrun makes more time late than
/// the callback that caused it, and gets the blame where it took most of it.
///
/// A pure function of the two streams: however they are cut into batches, and whichever comes first, the result is the
/// same. It keeps what waits for the other stream, 65536 cycles at most, and 1000 events, if nothing else is said: of more of them
/// the latest, over the whole run.
public struct BlameJudge: Sendable {
    private static let longestBacklog = 65_536
    private static let offsetCapacity = 31

    private let sampleRate: Double
    private let hasUpstream: Bool
    private var settled = BlameCount()
    private var settledEvents: EventSeries
    private var origin: UInt64?
    /// The cycle that was judged last; those behind it wait for the sentinel.
    private var last: CycleRecord?
    private var waiting: [CycleRecord] = []
    private var sentinel: [CycleRecord] = []
    /// How many of the sentinel's records lie before its last one that is no later than `last`.
    private var past = 0
    /// How long after the sentinel the last cycles began that were not late, round and round.
    private var wakeUpOffsets: [Int64] = []
    private var nextOffset = 0

    /// - Parameters:
    ///   - sampleRate: in hertz, 1 or more, of records that tell none.
    ///   - hasUpstream: whether any input is connected to another client; if none is, nobody was before us, and what
    ///     looked like it was a late wake-up of our thread.
    ///   - startNanoseconds: when the measurement began, on the monotonic clock; 0 for the unit's first record.
    ///   - eventCapacity: 16 or more: of more events some are left out, over the whole run.
    public init(
        sampleRate: Int, hasUpstream: Bool = true, startNanoseconds: UInt64 = 0,
        eventCapacity: Int = CallbackAnalysis.eventCapacity
    ) {
        settledEvents = EventSeries(capacity: max(16, eventCapacity))
        self.sampleRate = Double(max(1, sampleRate))
        self.hasUpstream = hasUpstream
        origin = startNanoseconds > 0 ? startNanoseconds : nil
    }

    /// Takes the unit's last cycle of the warm-up, before all other records: the first measured cycle may be late after it.
    package mutating func follow(_ record: CycleRecord) { if record.frames > 0 { pass(record) } }

    /// Takes the unit's next records, in order.
    public mutating func add(own records: [CycleRecord]) {
        waiting += records
        settle()
    }

    /// Takes the sentinel's next records, in order.
    public mutating func add(sentinel records: [CycleRecord]) {
        sentinel += records
        settle()
    }

    /// How many late cycles are put down to whom. As far as the sentinel has not caught up, with what is known.
    public var counts: BlameCount { allSettled.settled }

    /// The late cycles one by one, in order; of more than 1000 the latest, over the whole run. Times are counted from the start.
    public var events: [Series.Event] { allSettled.settledEvents.events }

    private var allSettled: BlameJudge {
        var judge = self
        judge.settle(all: true)
        return judge
    }

    private mutating func settle(all: Bool = false) {
        var count = 0
        while count < waiting.count, all || waiting.count - count > Self.longestBacklog || isSettled(waiting[count]) {
            judge(waiting[count])
            count += 1
        }
        waiting.removeFirst(count)
        // Where the unit's records do not come, nobody asks for those of the sentinel.
        past = max(past, sentinel.count - Self.longestBacklog)
        sentinel.removeFirst(past)
        past = 0
    }

    /// Whether the sentinel has come as far as this cycle, so that nothing that it adds makes a difference.
    private func isSettled(_ record: CycleRecord) -> Bool {
        guard let newest = sentinel.last else { return false }
        return !isAfter(record.frameTime, newest.frameTime)
    }

    /// Whether one frame time is later than another. They wrap, so that half of all are.
    private func isAfter(_ later: UInt32, _ earlier: UInt32) -> Bool { Int32(bitPattern: later &- earlier) > 0 }

    private mutating func judge(_ record: CycleRecord) {
        defer { pass(record) }
        origin = origin ?? record.entryNanoseconds
        guard let last else { return }
        // Between the two lie the frames of the first, which last as long as the server's rate was then.
        let rate = last.sampleRate > 0 ? Double(last.sampleRate) : sampleRate
        let nominal = Double(record.position &- last.position) / rate * 1e9
        // Signed, should a clock run backwards.
        let interval = Int64(bitPattern: record.entryNanoseconds &- last.entryNanoseconds)
        guard Double(interval) > nominal + Double(last.frames) / rate * 0.5e9 else { return noteWakeUpOffset(record) }

        let wait = Wait(after: last, nominalNanoseconds: UInt64(nominal), until: record)
        let blame = wait.blame(
            cycleBegan: start(after: last).map {
                // Without a check: records may hold any times.
                UInt64(clamping: Int64(clamping: $0.entryNanoseconds) &+ typicalWakeUpOffset)
            },
            hasUpstream: hasUpstream)
        settled.count(blame)
        settledEvents.add(
            Series.Event(
                nanoseconds: Int64(clamping: record.entryNanoseconds &- (origin ?? 0)),
                lateNanoseconds: wait.lateNanoseconds, blame: blame))
    }

    private mutating func pass(_ record: CycleRecord) {
        last = record
        while past + 1 < sentinel.count, !isAfter(sentinel[past + 1].frameTime, record.frameTime) { past += 1 }
    }

    /// The sentinel's first cycle after one of ours, if it is known that there was none before it.
    ///
    /// By frame time, because after a pause the server may start cycles at any distance. It is the time that a client
    /// reads when it runs at last: in async mode it may be a later cycle's than the one that it was woken for.
    private func start(after own: CycleRecord) -> CycleRecord? {
        guard let index = sentinel[past...].firstIndex(where: { isAfter($0.frameTime, own.frameTime) })
        else { return nil }
        let start = sentinel[index]
        if start.frameTime == own.frameTime &+ own.frames { return start }
        return index > 0 && sentinel[index - 1].lostRecords == start.lostRecords ? start : nil
    }

    /// How long after the sentinel we usually begin: the time that the clients before us take, as a rule.
    private var typicalWakeUpOffset: Int64 {
        wakeUpOffsets.isEmpty ? 0 : wakeUpOffsets.sorted()[wakeUpOffsets.count / 2]
    }

    private mutating func noteWakeUpOffset(_ record: CycleRecord) {
        guard let start = sentinel[past...].first(where: { !isAfter(record.frameTime, $0.frameTime) }),
            start.frameTime == record.frameTime
        else { return }
        let offset = Int64(bitPattern: record.entryNanoseconds &- start.entryNanoseconds)
        if wakeUpOffsets.count < Self.offsetCapacity {
            wakeUpOffsets.append(offset)
        } else {
            wakeUpOffsets[nextOffset] = offset
        }
        nextOffset = (nextOffset + 1) % Self.offsetCapacity
    }
}

/// The time from when a callback was due to when it began.
private struct Wait {
    private let due: UInt64
    private let entry: UInt64
    /// When the callback before it ended.
    private let freed: UInt64
    /// Between the two records there are others, which were lost.
    private let isTorn: Bool

    init(after last: CycleRecord, nominalNanoseconds: UInt64, until record: CycleRecord) {
        due = last.entryNanoseconds &+ nominalNanoseconds
        entry = max(record.entryNanoseconds, due)
        freed = min(max(due, last.exitNanoseconds), entry)
        isTorn = record.lostRecords != last.lostRecords
    }

    var lateNanoseconds: Int64 { Int64(clamping: entry - due) }

    /// - Parameters:
    ///   - cycleBegan: when the callback might have begun, had nobody before it been slow; `nil` if nobody knows.
    func blame(cycleBegan: UInt64?, hasUpstream: Bool) -> Blame {
        guard !isTorn, entry > due else { return .unknown }
        let half = (entry - due) / 2
        if freed - due >= half { return .own }
        if !hasUpstream { return .wakeup }
        guard let cycleBegan else { return .unknown }
        let woken = min(max(freed, cycleBegan), entry)
        if woken - freed >= half { return .wakeup }
        return entry - woken >= half ? .upstream : .unknown
    }
}
