import AudioIO
import AudioRealtime
import SystemHealth

/// Turns the records of a mode's callbacks into its figures, while they come: memory stays the same however many.
///
/// An interval goes from the start of a callback to the start of the next, and its nominal length is that of the
/// frames which the first of them rendered. Where records between the two were lost there is none.
public struct CallbackAnalysis: Sendable {
    /// Records whose times cannot be: a callback that began before the one before it, or ended before it began. They
    /// are counted as cycles, and bound no interval.
    public private(set) var impossibleRecords: UInt64 = 0

    /// How many late callbacks a report tells one by one.
    public static let eventCapacity = 1000
    /// 146 years of uptime: what is stamped later was not stamped by a clock.
    private static let latestEntry: UInt64 = 1 << 62

    private let mode: ModeReport.Mode
    private let name: String
    private let periodFrames: Int
    private let bufferFrames: Int?
    /// In hertz.
    public let sampleRate: Int
    private let nanosecondsPerFrame: Double
    private let startNanoseconds: UInt64
    private let maximumCycles: UInt64

    /// Callbacks that were taken so far.
    public private(set) var cycles: UInt64 = 0
    private var intervals = Histogram()
    private var deviations = SignedHistogram()
    private var callbackTimes = Histogram()
    private var sumOfLoads = 0.0
    private var loadedCycles: UInt64 = 0
    private var maximumLoad = 0.0
    private var account: CycleAccount
    private var parts = PeriodParts()
    private var series = IntervalSeries()
    private var events: [Series.Event] = []
    private var origin: UInt64?
    private var last: CycleRecord?
    private var lostBefore: UInt64?
    private var lostRecords: UInt64 = 0

    /// - Parameters:
    ///   - mode: whose callbacks the records are of: JACK's, or the worker's of a queue.
    ///   - name: what a report calls it.
    ///   - sampleRate: in hertz, 1 or more.
    ///   - periodFrames: the server's period. The records' own lengths are what counts, cycle by cycle.
    ///   - bufferFrames: of a queue.
    ///   - startNanoseconds: on the monotonic clock; callbacks that began before are the warm-up's and left out.
    ///   - maximumCycles: after as many the rest is left out.
    public init(
        mode: ModeReport.Mode, name: String, sampleRate: Int, periodFrames: Int, bufferFrames: Int? = nil,
        startNanoseconds: UInt64 = 0, maximumCycles: UInt64 = .max
    ) {
        self.mode = mode
        self.name = name
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.sampleRate = max(1, sampleRate)
        self.startNanoseconds = startNanoseconds
        self.maximumCycles = maximumCycles
        nanosecondsPerFrame = 1e9 / Double(self.sampleRate)
        account = CycleAccount(sampleRate: self.sampleRate)
    }

    /// Takes the next records, in the order of their callbacks.
    public mutating func add(_ records: [CycleRecord]) {
        for record in records { add(record) }
    }

    private mutating func add(_ record: CycleRecord) {
        guard record.entryNanoseconds >= startNanoseconds else { return lostBefore = record.lostRecords }
        guard cycles < maximumCycles else { return }
        cycles += 1
        countLost(upTo: record)
        guard isPossible(record) else { return skip() }
        let origin = origin ?? (startNanoseconds > 0 ? startNanoseconds : record.entryNanoseconds)
        self.origin = origin
        addDuration(of: record)
        // A cycle of no frames covers no time; its neighbours are each other's.
        guard record.frames > 0 else { return }

        let lateCycles = account.lateCycles
        if let last, record.position < last.position { account.breakContinuity(sampleRate: sampleRate) }
        account.add(record)
        _ = account.takeWindow()
        if let last {
            let interval = Int64(record.entryNanoseconds - last.entryNanoseconds)
            let time = Int64(record.entryNanoseconds) - Int64(origin)
            if record.position == last.position &+ UInt64(last.frames) {
                addInterval(interval, from: last, at: time)
            }
            if account.lateCycles > lateCycles && events.count < Self.eventCapacity {
                let late = Double(interval) - duration(record.position - last.position)
                events.append(.init(nanoseconds: time, lateNanoseconds: Int64(late.rounded()), blame: .unknown))
            }
        }
        last = record
    }

    /// What was lost before the first record that is seen was lost before the measurement.
    private mutating func countLost(upTo record: CycleRecord) {
        let before = lostBefore ?? record.lostRecords
        lostBefore = before
        if record.lostRecords > before { lostRecords = max(lostRecords, record.lostRecords - before) }
    }

    private func isPossible(_ record: CycleRecord) -> Bool {
        record.entryNanoseconds <= Self.latestEntry && record.exitNanoseconds >= record.entryNanoseconds
            && record.exitNanoseconds <= Self.latestEntry && record.entryNanoseconds >= last?.entryNanoseconds ?? 0
    }

    /// Neither the interval before a record of impossible times nor the one after it is known.
    private mutating func skip() {
        impossibleRecords += 1
        last = nil
        account.breakContinuity(sampleRate: sampleRate)
    }

    private mutating func addDuration(of record: CycleRecord) {
        let time = Int64(record.exitNanoseconds - record.entryNanoseconds)
        callbackTimes.record(time)
        guard record.frames > 0 else { return }
        let load = Double(time) / duration(UInt64(record.frames))
        sumOfLoads += load
        loadedCycles += 1
        maximumLoad = max(maximumLoad, load)
    }

    private mutating func addInterval(_ interval: Int64, from record: CycleRecord, at time: Int64) {
        // The server may change its rate as well.
        let rate = record.sampleRate > 0 ? Double(record.sampleRate) : Double(sampleRate)
        let nominal = Double(record.frames) * 1e9 / rate
        let deviation = Int64((Double(interval) - nominal).rounded())
        intervals.record(interval)
        deviations.record(deviation)
        parts.add(interval, frames: Int(record.frames), nominal: nominal, start: time - interval)
        series.add(at: time, deviation: deviation)
    }

    /// How long frames last, in nanoseconds.
    private func duration(_ frames: UInt64) -> Double { Double(frames) * nanosecondsPerFrame }

    /// What the records tell of the mode. The rest of the report is the caller's to fill in: xruns, blame, latency,
    /// dropped and inserted frames, processor time.
    public var report: ModeReport {
        let nominal = duration(UInt64(max(0, bufferFrames ?? periodFrames)))
        var report = ModeReport(mode: mode, name: name, periodFrames: periodFrames, nominalNanoseconds: nominal)
        report.bufferFrames = Nullable(bufferFrames)
        report.cycles = cycles
        report.interval = intervals.distribution
        report.signedDeviation = deviations.distribution
        let magnitudes = deviations.magnitudes
        report.deviation = magnitudes.distribution
        report.deviationCurve = magnitudes.curve
        report.deviationHistogram = magnitudes
        report.parts = parts.all
        report.omittedParts = parts.omittedParts
        report.callbackTime = callbackTimes.distribution
        report.load.mean = loadedCycles == 0 ? 0 : sumOfLoads / Double(loadedCycles)
        report.load.maximum = maximumLoad
        report.overruns = account.overruns
        report.lost.gapFrames = account.gapFrames
        report.lost.wallNanoseconds = account.lostNanoseconds
        report.lost.longIntervals = account.lateCycles
        report.telemetryDropped = lostRecords
        report.series.stepNanoseconds = series.stepNanoseconds
        report.series.steps = series.steps
        report.series.events = events
        return report
    }
}
