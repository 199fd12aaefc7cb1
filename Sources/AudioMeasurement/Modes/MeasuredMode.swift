import AudioFigures
import AudioIO
import AudioRealtime
import Synchronization
import Threads

/// One unit under measurement: what it tells while it runs, made into the figures of its mode.
final class MeasuredMode: Sendable {
    let unit: any GraphUnit
    /// The unit, where it is one with a queue.
    private let queued: QueuedUnit?
    let name: String
    private let state = Mutex(State())
    private let log: CycleWriter?
    private let isJudged: Bool
    /// Whether another client is before the unit in the graph.
    private let hasUpstream: Bool

    private struct State {
        /// The mode's number in the log.
        var logNumber: Int?
        /// The callbacks of the mode: JACK's, or the worker's.
        var callbacks: CallbackAnalysis?
        /// The audio thread's cycles, where they are not the callbacks.
        var cycles: CallbackAnalysis?
        var judge: BlameJudge?
        var startNanoseconds: UInt64 = .max
        var endNanoseconds: UInt64 = .max
        /// The audio thread's last cycle before the start. `nil` after the first measured cycle.
        var lastOfWarmup: CycleRecord?
        var isOver = false
        /// How often the server had begun to freewheel before the start.
        var freewheelingsBefore = 0
        var before: Totals?
        var after: Totals?

        func counts(_ record: CycleRecord) -> Bool {
            record.entryNanoseconds >= startNanoseconds && record.entryNanoseconds < endNanoseconds
        }
    }

    /// What is counted from the unit's start, so that the measurement is a difference.
    private struct Totals {
        var statistics: UnitStatistics
        var threads: [ThreadUsage?]
        var nanoseconds: UInt64
    }

    /// - Parameters:
    ///   - log: where every callback is written to.
    ///   - isJudged: whether somebody delivers a sentinel's records.
    ///   - hasUpstream: whether another client is before the unit in the graph.
    init(_ unit: any GraphUnit, name: String, log: CycleWriter?, isJudged: Bool, hasUpstream: Bool) {
        self.unit = unit
        queued = unit as? QueuedUnit
        self.name = name
        self.log = log
        self.isJudged = isJudged
        self.hasUpstream = hasUpstream
        unit.onCycles { [weak self, areCallbacks = queued == nil] records in
            self?.take(records, areCallbacks: areCallbacks, areCycles: true)
        }
        queued?.onBuffers { [weak self] records in self?.take(records, areCallbacks: true, areCycles: false) }
    }

    private var kind: ModeReport.Mode { queued == nil ? .callback : .queued }
    private var bufferFrames: Int? { queued?.buffers.bufferFrames }

    /// From now on everything counts, of all modes since one moment, however long this thread is held up between two of them.
    ///
    /// - Returns: that moment, on the monotonic clock.
    static func begin(_ modes: [MeasuredMode], sampleRate: Int, periodFrames: Int) -> UInt64 {
        for mode in modes {
            let totals = mode.totals()
            mode.state.withLock { $0.before = totals }
        }
        return begin(modes.reversed()[...], sampleRate, periodFrames)
    }

    /// Under the locks of all of them, so that none gets a record meanwhile. The last of them begins first, and in the log too.
    private static func begin(_ modes: ArraySlice<MeasuredMode>, _ sampleRate: Int, _ periodFrames: Int) -> UInt64 {
        guard let mode = modes.first else { return MonotonicClock.nanoseconds() }
        return mode.state.withLock { state in
            let now = begin(modes.dropFirst(), sampleRate, periodFrames)
            mode.begin(&state, sampleRate: sampleRate, periodFrames: periodFrames, atNanoseconds: now)
            return now
        }
    }

    private func begin(_ state: inout State, sampleRate: Int, periodFrames: Int, atNanoseconds now: UInt64) {
        state.startNanoseconds = now
        state.freewheelingsBefore = unit.freewheelings
        let mode = CycleFile.Mode(
            kind: kind, name: name, sampleRate: sampleRate, periodFrames: periodFrames, bufferFrames: bufferFrames,
            startNanoseconds: now)
        state.callbacks = CallbackAnalysis(mode, knowsRest: true)
        if kind == .queued {
            state.cycles = CallbackAnalysis(
                mode: .callback, name: name, sampleRate: sampleRate, periodFrames: periodFrames, startNanoseconds: now)
        }
        state.logNumber = log?.add(mode)
        if isJudged {
            state.judge = BlameJudge(sampleRate: sampleRate, hasUpstream: hasUpstream, startNanoseconds: now)
        }
    }

    /// From now on nothing counts: what is later than one moment, the same for all modes. Again, it changes nothing.
    ///
    /// - Returns: that moment.
    static func end(_ modes: [MeasuredMode]) -> UInt64 {
        let now = end(modes[...])
        for mode in modes { mode.end() }
        return now
    }

    /// As `begin`.
    private static func end(_ modes: ArraySlice<MeasuredMode>) -> UInt64 {
        guard let mode = modes.first else { return MonotonicClock.nanoseconds() }
        return mode.state.withLock { state in
            let now = end(modes.dropFirst())
            state.endNanoseconds = min(state.endNanoseconds, now)
            return state.endNanoseconds
        }
    }

    private func end() {
        // Reads what still waits in the rings.
        let totals = totals()
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            state.after = totals
        }
    }

    /// Whether the server freewheels, or has since the start; before it, since the unit was made.
    var hasFreewheeled: Bool {
        unit.isFreewheeling || unit.freewheelings > state.withLock { $0.freewheelingsBefore }
    }

    /// Callbacks that were measured.
    var callbacks: UInt64 { state.withLock { $0.callbacks?.cycles ?? 0 } }

    /// Cycles of the audio thread that were measured.
    var audioCycles: UInt64 { state.withLock { ($0.cycles ?? $0.callbacks)?.cycles ?? 0 } }

    /// What is known so far; nothing is read from the audio thread that is not read anyway.
    func look() -> LiveFigures {
        // It hands over what waits in the rings, for which the lock must be free.
        let statistics = unit.statistics
        return state.withLock { state in
            var figures = state.callbacks?.look() ?? LiveFigures(name: name)
            if let cycles = state.cycles?.look() {
                (figures.lostNanoseconds, figures.longIntervals) = (cycles.lostNanoseconds, cycles.longIntervals)
            }
            guard let before = state.before?.statistics else { return figures }
            let counted = statistics - before
            figures.xruns = counted.xruns
            figures.missedFrames = counted.droppedFrames + counted.insertedFrames
            return figures
        }
    }

    func add(sentinel records: [CycleRecord]) {
        state.withLock { state in
            guard !state.isOver else { return }
            let counted = records.filter(state.counts)
            state.judge?.add(sentinel: counted)
        }
    }

    private func take(_ records: [CycleRecord], areCallbacks: Bool, areCycles: Bool) {
        state.withLock { state in
            guard !state.isOver else { return }
            let counted = records.filter(state.counts)
            if areCycles, counted.count < records.count {
                state.lastOfWarmup = records.last { $0.entryNanoseconds < state.startNanoseconds }
            }
            guard !counted.isEmpty else { return }
            if areCycles, let last = state.lastOfWarmup.take() {
                if areCallbacks { state.callbacks?.follow(last) } else { state.cycles?.follow(last) }
                state.judge?.follow(last)
            }
            if areCallbacks {
                state.callbacks?.add(counted)
                if let number = state.logNumber { log?.write(counted, mode: number) }
            } else {
                state.cycles?.add(counted)
            }
            if areCycles { state.judge?.add(own: counted) }
        }
    }

    private func totals() -> Totals {
        var threads = [unit.audioThreadUsage]
        if let queued { threads.append(queued.workerUsage) }
        let statistics = unit.statistics
        return Totals(statistics: statistics, threads: threads, nanoseconds: MonotonicClock.nanoseconds())
    }

    /// What was measured, but for the latency.
    var report: ModeReport? {
        state.withLock { state in
            guard var report = state.callbacks?.report else { return nil }
            report.declaredLatencyFrames = unit.client.graph.latencyFrames
            if let cycles = state.cycles?.report {
                report.lost = cycles.lost
                report.series.events = cycles.series.events
            }
            if let judge = state.judge {
                report.blame = Nullable(judge.counts)
                report.series.events = judge.events
            }
            if let queued {
                report.bufferCount = Nullable(queued.buffers.bufferCount)
                report.format = Nullable(queued.buffers.format.rawValue)
                report.declaredLatencyFrames = queued.latencyFrames
            }
            guard let before = state.before, let after = state.after else { return report }
            let counted = after.statistics - before.statistics
            report.lost.xruns = counted.xruns
            report.lost.xrunDelayNanoseconds = counted.xrunDelayNanoseconds
            // The records tell only of what was lost before one of them.
            report.lostRecords = counted.lostRecords + counted.lostBufferRecords
            report.droppedFrames = counted.droppedFrames
            report.insertedFrames = counted.insertedFrames
            Self.addCost(&report, from: before, to: after)
            return report
        }
    }

    /// Of all the mode's threads; nothing where one of them could not be asked, as after the server went away.
    private static func addCost(_ report: inout ModeReport, from before: Totals, to after: Totals) {
        var processor: UInt64 = 0
        var voluntary: UInt64 = 0
        var involuntary: UInt64 = 0
        for (before, after) in zip(before.threads, after.threads) {
            guard let before, let after, after.processorNanoseconds >= before.processorNanoseconds else { return }
            processor += after.processorNanoseconds - before.processorNanoseconds
            voluntary += after.voluntarySwitches &- before.voluntarySwitches
            involuntary += after.involuntarySwitches &- before.involuntarySwitches
        }
        let seconds = Double(after.nanoseconds &- before.nanoseconds) / 1e9
        guard report.cycles > 0, seconds > 0 else { return }
        report.cpuNanosecondsPerCallback = Nullable(Double(processor) / Double(report.cycles))
        report.contextSwitchesPerSecond = Nullable(
            ContextSwitches(voluntary: Double(voluntary) / seconds, involuntary: Double(involuntary) / seconds))
    }
}
