import AudioFigures
import AudioRealtime

/// Turns the records of a mode's callbacks into its figures, while they come: memory stays the same however many.
///
/// An interval goes from the start of a callback to the start of the next, and its nominal length is that of the
/// frames which the first of them rendered, at the sample rate that the server had then. Where records between the two were
/// lost there is none, nor where a queue's buffer was filled while the server changed its rate: nobody noted at which frame.
public struct CallbackAnalysis: Sendable {
    /// Records whose times cannot be: a callback that began before the one before it, or ended before it began, or that rendered
    /// frames before the last ones, as the first of a second run does. They are counted as cycles, and bound no interval.
    public private(set) var impossibleRecords: UInt64 = 0

    /// How many late callbacks a report tells one by one; of more of them the latest.
    public static let eventCapacity = 1000
    /// 146 years of uptime: what is stamped later was not stamped by a clock.
    private static let latestEntry: UInt64 = 1 << 62

    private let mode: CycleFile.Mode
    /// Of the last record that told it.
    private var presentSampleRate: UInt32
    private let maximumCycles: UInt64

    /// Callbacks that were taken so far.
    public private(set) var cycles: UInt64 = 0
    /// How long the frames of these callbacks last, each at the rate of its cycle.
    public private(set) var renderedNanoseconds = 0.0
    private var intervals = Histogram()
    private var deviations = SignedHistogram()
    /// Whether the records tell `restFrames`, which an older log does not.
    private let knowsRest: Bool
    private var arithmeticDeviations = SignedHistogram()
    private var timingDeviations = SignedHistogram()
    private var callbackTimes = Histogram()
    private var sumOfLoads = 0.0
    private var loadedCycles: UInt64 = 0
    private var maximumLoad = 0.0
    private var account: CycleAccount
    private var parts = PeriodParts()
    private var series = IntervalSeries()
    private var events = EventSeries(capacity: eventCapacity)
    private var origin: UInt64?
    private var last: CycleRecord?
    private var lostBefore: UInt64?
    private var lostRecords: UInt64 = 0
    /// The last deviation, and the farthest since somebody looked.
    private var newest: Int64?
    private var farthest: Int64?
    /// Of each callback, where they are to be kept; `nil` where not.
    package private(set) var samples: CallbackSamples?

    /// - Parameters:
    ///   - mode: whose callbacks the records are of. Its sample rate, 1 or more, holds until a record tells another; of its period
    ///     and buffers, the records' own lengths are what counts, cycle by cycle.
    ///   - maximumCycles: after as many the rest is left out.
    ///   - knowsRest: whether a queue's records tell `CycleRecord.restFrames`, as those of an older log do not.
    public init(_ mode: CycleFile.Mode, maximumCycles: UInt64 = .max, knowsRest: Bool = false) {
        self.knowsRest = knowsRest && mode.kind == .queued
        self.mode = mode
        self.maximumCycles = maximumCycles
        presentSampleRate = UInt32(clamping: max(1, mode.sampleRate))
        account = CycleAccount(sampleRate: max(1, mode.sampleRate))
    }

    /// As above, of a mode given field by field: what they mean, `CycleFile.Mode` says. The name may be any that a report has.
    public init(
        mode kind: ModeReport.Mode, name: String, sampleRate: Int, periodFrames: Int, bufferFrames: Int? = nil,
        startNanoseconds: UInt64 = 0, maximumCycles: UInt64 = .max, knowsRest: Bool = false
    ) {
        var mode = CycleFile.Mode(
            kind: kind, name: "", sampleRate: sampleRate, periodFrames: periodFrames, bufferFrames: bufferFrames,
            startNanoseconds: startNanoseconds)
        mode.name = name
        self.init(mode, maximumCycles: maximumCycles, knowsRest: knowsRest)
    }

    /// In hertz, at the beginning.
    public var sampleRate: Int { max(1, mode.sampleRate) }

    /// From now on keeps what each callback tells: some 24 bytes each.
    mutating func keepSamples() { samples = CallbackSamples() }

    /// Takes the next records, in the order of their callbacks.
    public mutating func add(_ records: [CycleRecord]) {
        for var record in records {
            if record.sampleRate > 0 { presentSampleRate = record.sampleRate }
            record.sampleRate = presentSampleRate
            add(record)
        }
    }

    /// Takes the last cycle of the warm-up. Time lost between it and the first measured cycle counts as lost.
    package mutating func follow(_ record: CycleRecord) {
        guard cycles == 0, isPossible(record), record.frames > 0 else { return }
        var record = record
        // An overrun of this cycle is not measured.
        record.exitNanoseconds = record.entryNanoseconds
        account.add(record)
        _ = account.takeWindow()
    }

    /// - Parameter record: with its sample rate.
    private mutating func add(_ record: CycleRecord) {
        guard record.entryNanoseconds >= mode.startNanoseconds else { return lostBefore = record.lostRecords }
        guard cycles < maximumCycles else { return }
        cycles += 1
        countLost(upTo: record)
        guard isPossible(record) else { return skip(record) }
        let origin = origin ?? (mode.startNanoseconds > 0 ? mode.startNanoseconds : record.entryNanoseconds)
        self.origin = origin
        addDuration(of: record)
        // A cycle of no frames covers no time; its neighbours are each other's.
        guard record.frames > 0 else { return }

        let lateCycles = account.lateCycles
        account.add(record)
        _ = account.takeWindow()
        if let last {
            let interval = Int64(record.entryNanoseconds - last.entryNanoseconds)
            let time = Int64(record.entryNanoseconds) - Int64(origin)
            if record.position == last.position &+ UInt64(last.frames), hasNominal(from: last, to: record) {
                addInterval(interval, from: last, to: record, at: time)
            }
            if account.lateCycles > lateCycles {
                let late = Double(interval) - duration(record.position - last.position, at: last.sampleRate)
                events.add(.init(nanoseconds: time, lateNanoseconds: Int64(late.rounded()), blame: .unknown))
            }
        }
        last = record
    }

    /// What was lost before the first record that is seen was lost before the measurement. A log may tell any number; those of all
    /// modes are added up.
    private mutating func countLost(upTo record: CycleRecord) {
        let before = lostBefore ?? record.lostRecords
        lostBefore = before
        if record.lostRecords > before { lostRecords = max(lostRecords, min(record.lostRecords - before, 1 << 53)) }
    }

    private func isPossible(_ record: CycleRecord) -> Bool {
        record.entryNanoseconds <= Self.latestEntry && record.exitNanoseconds >= record.entryNanoseconds
            && record.exitNanoseconds <= Self.latestEntry && record.entryNanoseconds >= last?.entryNanoseconds ?? 0
            && record.position >= last?.position ?? 0
    }

    /// Neither the interval before a record of impossible times nor the one after it is known.
    private mutating func skip(_ record: CycleRecord) {
        impossibleRecords += 1
        last = nil
        account.breakContinuity(sampleRate: Int(record.sampleRate))
    }

    private func hasNominal(from last: CycleRecord, to record: CycleRecord) -> Bool {
        mode.kind == .callback || last.sampleRate == record.sampleRate
    }

    private mutating func addDuration(of record: CycleRecord) {
        let time = Int64(record.exitNanoseconds - record.entryNanoseconds)
        callbackTimes.record(time)
        samples?.callbackTimes.append(time)
        guard record.frames > 0 else { return }
        let nominal = duration(UInt64(record.frames), at: record.sampleRate)
        renderedNanoseconds += nominal
        let load = Double(time) / nominal
        sumOfLoads += load
        loadedCycles += 1
        maximumLoad = max(maximumLoad, load)
    }

    private mutating func addInterval(_ interval: Int64, from record: CycleRecord, to next: CycleRecord, at time: Int64)
    {
        let nominal = duration(UInt64(record.frames), at: record.sampleRate)
        let deviation = Int64((Double(interval) - nominal).rounded())
        intervals.record(interval)
        deviations.record(deviation)
        newest = deviation
        farthest = max(farthest ?? 0, abs(deviation))
        samples?.intervals.append(interval)
        samples?.deviations.append(abs(deviation))
        if knowsRest {
            let ahead = Double(next.restFrames) - Double(record.restFrames)
            let arithmetic = Int64((ahead * 1e9 / Double(record.sampleRate)).rounded())
            arithmeticDeviations.record(arithmetic)
            timingDeviations.record(deviation - arithmetic)
        }
        parts.add(
            interval, frames: Int(record.frames), sampleRate: Int(record.sampleRate), deviation: deviation,
            start: time - interval)
        series.add(at: time, deviation: deviation)
    }

    /// How long frames last at a rate in hertz, in nanoseconds.
    private func duration(_ frames: UInt64, at rate: UInt32) -> Double { Double(frames) * 1e9 / Double(rate) }

    /// What is known so far, for somebody who looks while records still come: a pass over a histogram, and no copy.
    public mutating func look() -> LiveFigures {
        defer { farthest = nil }
        var figures = LiveFigures(name: mode.name)
        figures.callbacks = cycles
        (figures.now, figures.recent) = (newest, farthest)
        if deviations.count >= 100 { figures.p99 = deviations.magnitude(atPercentile: 99) }
        if deviations.count > 0 { figures.worst = max(deviations.maximum, -deviations.minimum) }
        figures.lostNanoseconds = account.lostNanoseconds
        figures.longIntervals = account.lateCycles
        return figures
    }

    /// What the records tell of the mode. The rest of the report is the caller's to fill in: xruns, blame, latency,
    /// dropped and inserted frames, processor time.
    public var report: ModeReport {
        let nominal = duration(UInt64(max(0, mode.bufferFrames ?? mode.periodFrames)), at: UInt32(clamping: sampleRate))
        var report = ModeReport(
            mode: mode.kind, name: mode.name, periodFrames: mode.periodFrames, sampleRate: sampleRate,
            nominalNanoseconds: nominal)
        report.bufferFrames = Nullable(mode.bufferFrames)
        report.cycles = cycles
        report.interval = intervals.distribution
        report.signedDeviation = deviations.distribution
        let magnitudes = deviations.magnitudes
        report.deviation = magnitudes.distribution
        report.deviationCurve = magnitudes.curve
        report.deviationHistogram = magnitudes
        if knowsRest {
            report.arithmeticDeviation = Nullable(arithmeticDeviations.magnitudes.distribution)
            report.timingDeviation = Nullable(timingDeviations.magnitudes.distribution)
        }
        (report.parts, report.omittedParts) = parts.all
        report.callbackTime = callbackTimes.distribution
        report.load.mean = loadedCycles == 0 ? 0 : sumOfLoads / Double(loadedCycles)
        report.load.maximum = maximumLoad
        report.overruns = account.overruns
        report.lost.gapFrames = account.gapFrames
        report.lost.nanoseconds = account.lostNanoseconds
        report.lost.longIntervals = account.lateCycles
        report.lostRecords = lostRecords
        report.impossibleRecords = impossibleRecords
        report.series.stepNanoseconds = series.stepNanoseconds
        report.series.steps = series.steps
        report.series.events = events.events
        return report
    }
}
