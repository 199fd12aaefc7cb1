import AudioFigures

/// All figures of a report in rows, each with a cell for every mode and for the timer: what tables are made from.
struct FigureSheet {
    /// What one column is about.
    enum Column {
        case mode(ModeReport)
        case timer(BaselineReport)

        var heading: String {
            switch self {
            case .mode(let mode): shown(mode.name)
            case .timer: "timer"
            }
        }
    }

    struct Row {
        var label: String
        var unit: String
        /// `–` where there is nothing.
        var cells: [String]
        /// Whether it is among the few that a terminal shows.
        var isMain: Bool
    }

    struct Group {
        var title: String
        var rows: [Row]
    }

    let columns: [Column]
    private(set) var groups: [Group] = []

    init(_ report: Report) {
        columns = report.modes.map(Column.mode) + (report.baseline.value.map { [.timer($0)] } ?? [])
        add("Interval from one callback's start to the next", intervals)
        add("Deviation of the interval from nominal, early or late", deviations)
        add("The callback itself", callbacks)
        add("Lost time", losses)
        add("Late callbacks, by whom", blames)
        add("Latency through the mode", latencies)
        add("What the queue lost", queues)
        add("What it cost", costs)
    }

    /// Times of one group have one unit, so that they can be compared at a glance. Rows of which no column has anything
    /// are left out.
    private mutating func add(_ title: String, _ lines: [Line]) {
        let told = lines.filter { $0.values.contains { $0 != nil } }
        guard !told.isEmpty else { return }
        let times = told.filter { $0.digits == nil && $0.isMain }.flatMap { $0.values.compactMap { $0 } }
        let (unit, timeDigits) = scale(times.map(abs).filter { $0 > 0 })
        let rows = told.map { line in
            let cells = line.values.map { value in
                guard let value else { return Self.nothing }
                return line.digits.map { fixed(value, $0) } ?? unit.text(value, digits: timeDigits)
            }
            let symbol = line.digits == nil ? unit.symbol : line.unit
            return Row(label: line.label, unit: symbol, cells: cells, isMain: line.isMain)
        }
        groups.append(Group(title: title, rows: rows))
    }

    /// The unit of one of the shorter ones, with as many digits as are worth reading.
    private func scale(_ times: [Double]) -> (TimeUnit, digits: Int) {
        guard !times.isEmpty else { return (.milliseconds, 3) }
        return switch times.sorted()[times.count / 4] {
        case ..<1e3: (.nanoseconds, 0)
        case ..<1e4: (.microseconds, 2)
        case ..<1e6: (.microseconds, 1)
        case ..<1e9: (.milliseconds, 3)
        default: (.seconds, 3)
        }
    }

    /// A row before its unit is known.
    private struct Line {
        var label: String
        var unit = ""
        /// Digits after the point; `nil` where the values are times in nanoseconds.
        var digits: Int?
        var values: [Double?]
        var isMain: Bool
    }

    private static let nothing = "–"

    private var intervals: [Line] {
        let spread = distribution({ $0.interval }, { $0.interval })
        return [
            // Where the period or the rate changed there is none for all of the run.
            time(
                "nominal interval", isMain: true, { $0.hasChangedPeriod ? nil : $0.nominalNanoseconds },
                { $0.nominalNanoseconds }),
            figure("frames of each callback", "frames", digits: 0) {
                $0.hasChangedPeriod ? nil : Double($0.bufferFrames.value ?? $0.periodFrames)
            },
            count("intervals", isMain: false, { $0.interval.count }, { $0.interval.count }),
            spread("shortest interval", true, 1) { Double($0.minimum) },
            spread("mean interval", false, 1) { $0.mean },
            spread("interval p50", false, 1) { Double($0.p50) },
            spread("interval p90", false, 10) { Double($0.p90) },
            spread("interval p99", false, 100) { Double($0.p99) },
            spread("interval p99.9", false, 1000) { Double($0.p999) },
            spread("interval p99.99", false, 10000) { Double($0.p9999) },
            spread("longest interval", true, 1) { Double($0.maximum) },
            spread("standard deviation", false, 2) { $0.standardDeviation },
        ]
    }

    private var deviations: [Line] {
        let spread = distribution({ $0.deviation }, { $0.deviation })
        let signed = distribution({ $0.signedDeviation }, { _ in nil })
        return [
            spread("mean deviation", false, 1) { $0.mean },
            spread("deviation p50", true, 1) { Double($0.p50) },
            spread("deviation p90", false, 10) { Double($0.p90) },
            spread("deviation p99", true, 100) { Double($0.p99) },
            spread("deviation p99.9", true, 1000) { Double($0.p999) },
            spread("deviation p99.99", false, 10000) { Double($0.p9999) },
            spread("greatest deviation", true, 1) { Double($0.maximum) },
            signed("earliest", false, 1) { Double($0.minimum) },
            signed("mean with sign", false, 1) { $0.mean },
            signed("latest", false, 1) { Double($0.maximum) },
            time(
                "timer woke late, p50", { _ in nil }, { $0.lateness.count > 0 ? Double($0.lateness.p50) : nil }),
            time(
                "timer woke late, p99", { _ in nil }, { $0.lateness.count >= 100 ? Double($0.lateness.p99) : nil }),
            time(
                "timer woke late, most", { _ in nil }, { $0.lateness.count > 0 ? Double($0.lateness.maximum) : nil }),
        ]
    }

    private var callbacks: [Line] {
        let spread = distribution({ $0.callbackTime }, { _ in nil })
        return [
            count("callbacks", isMain: true, { $0.cycles }, { $0.cycles }),
            spread("callback time p50", true, 1) { Double($0.p50) },
            spread("callback time p99", true, 100) { Double($0.p99) },
            spread("callback time p99.9", false, 1000) { Double($0.p999) },
            spread("longest callback", false, 1) { Double($0.maximum) },
            figure("mean load", "%", digits: 2) { $0.callbackTime.count > 0 ? $0.load.mean * 100 : nil },
            figure("greatest load", "%", digits: 2) { $0.callbackTime.count > 0 ? $0.load.maximum * 100 : nil },
            count("overruns", isMain: true) { $0.overruns },
        ]
    }

    private var losses: [Line] {
        [
            time("time not rendered", isMain: true) { Double($0.lost.wallNanoseconds) },
            figure("frame clock skipped", "frames", digits: 0, isMain: true) { Double($0.lost.gapFrames) },
            count("intervals > 1.5 periods", isMain: true) { $0.lost.longIntervals },
            count("xruns by JACK", isMain: true) { $0.lost.xruns },
            time("delay that JACK named", isMain: true) { Double($0.lost.xrunDelayNanoseconds) },
        ]
    }

    private var blames: [Line] {
        [
            count("late: own callback", isMain: true) { $0.blame.value?.own },
            count("late: client before us", isMain: true) { $0.blame.value?.upstream },
            count("late: wake-up", isMain: true) { $0.blame.value?.wakeup },
            count("late: unknown", isMain: true) { $0.blame.value?.unknown },
        ]
    }

    private var latencies: [Line] {
        [
            figure("latency measured", "frames", digits: 3, isMain: true) { $0.shownLatencyFrames },
            figure("± error", "frames", digits: 3, isMain: true) { $0.latencyErrorFrames.value },
            // In one unit whatever its length: next to nothing in one mode is no reason to tell the other in nanoseconds.
            figure("latency measured", "ms", digits: 3, isMain: true) { mode in
                mode.shownLatencyNanoseconds.map { $0 / 1e6 }
            },
            // Only where it is another one than the run began with.
            figure("latency measured at", "Hz", digits: 0, isMain: true) { mode in
                mode.latencyRate == mode.sampleRate ? nil : Double(mode.latencyRate)
            },
            figure("latency declared", "frames", digits: 0, isMain: true) { Double($0.declaredLatencyFrames) },
        ]
    }

    private var queues: [Line] {
        func ofQueue(_ value: @escaping (ModeReport) -> UInt64) -> (ModeReport) -> Double? {
            { $0.mode == .queued ? Double(value($0)) : nil }
        }
        return [
            figure("input dropped", "frames", digits: 0, isMain: true, ofQueue { $0.droppedFrames }),
            figure("silence inserted", "frames", digits: 0, isMain: true, ofQueue { $0.insertedFrames }),
        ]
    }

    private var costs: [Line] {
        [
            time("CPU per callback", isMain: true) { $0.cpuNanosecondsPerCycle.value },
            figure("gave the processor up", "per s", digits: 1, isMain: true) {
                $0.contextSwitchesPerSecond.value?.voluntary
            },
            figure("lost the processor", "per s", digits: 1, isMain: true) {
                $0.contextSwitchesPerSecond.value?.involuntary
            },
            count("records lost", isMain: true) { $0.telemetryDropped },
        ]
    }

    private typealias OfMode<Value> = (ModeReport) -> Value?
    private typealias OfTimer<Value> = (BaselineReport) -> Value?

    private func values<Value>(_ ofMode: OfMode<Value>, _ ofTimer: OfTimer<Value>) -> [Value?] {
        columns.map { column in
            switch column {
            case .mode(let mode): ofMode(mode)
            case .timer(let timer): ofTimer(timer)
            }
        }
    }

    private func figure(
        _ label: String, _ unit: String, digits: Int, isMain: Bool = false, _ ofMode: OfMode<Double>
    ) -> Line {
        Line(label: label, unit: unit, digits: digits, values: values(ofMode, { _ in nil }), isMain: isMain)
    }

    private func count(
        _ label: String, isMain: Bool, _ ofMode: OfMode<UInt64>, _ ofTimer: OfTimer<UInt64> = { _ in nil }
    ) -> Line {
        Line(label: label, digits: 0, values: values(ofMode, ofTimer).map { $0.map { Double($0) } }, isMain: isMain)
    }

    private func time(
        _ label: String, isMain: Bool = false, _ ofMode: OfMode<Double>, _ ofTimer: OfTimer<Double> = { _ in nil }
    ) -> Line {
        Line(label: label, digits: nil, values: values(ofMode, ofTimer), isMain: isMain)
    }

    /// Makes rows of one kind of distribution. A percentile that fewer than `least` values cannot have is left empty.
    private func distribution(
        _ ofMode: @escaping OfMode<Distribution>, _ ofTimer: @escaping OfTimer<Distribution>
    ) -> (_ label: String, _ isMain: Bool, _ least: UInt64, _ value: (Distribution) -> Double) -> Line {
        { label, isMain, least, value in
            func known(_ spread: Distribution?) -> Double? {
                spread.flatMap { $0.count >= least ? value($0) : nil }
            }
            return time(label, isMain: isMain, { known(ofMode($0)) }, { known(ofTimer($0)) })
        }
    }
}
