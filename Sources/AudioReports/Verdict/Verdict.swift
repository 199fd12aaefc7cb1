import AudioFigures

/// What a report means, in one sentence for people: true whatever was measured, and never more than was measured.
///
/// A ratio says how many times one mode's deviation is another's. It is taken at p99 where each mode has at least 100
/// intervals, else at the maximum, because there is no p99 of fewer.
public struct Verdict: Sendable {
    /// Begins with a capital and ends with a full stop; without line breaks.
    public let sentence: String

    /// Made from the figures of the report, and its limits.
    public init(_ report: Report) {
        let measured = report.modes.filter { $0.deviation.count > 0 }
        var parts = [Self.finding(measured, report)]
        parts += Self.arithmetic(measured)
        parts += Self.losses(measured)
        parts += Self.reservations(measured, of: report)
        parts += Self.limits(report.limits)
        let text = Self.ending(report) + parts.joined(separator: "; ")
        sentence = text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// The sentence that a report brings with it, or else the one that its figures give.
    static func said(of report: Report) -> String {
        report.verdict.isEmpty ? Verdict(report).sentence : shown(report.verdict)
    }

    private static func ending(_ report: Report) -> String {
        switch report.end {
        case .done: ""
        case .interrupted: "incomplete, as the run was interrupted after \(fixed(report.seconds, 1)) s: "
        case .freewheeling: "incomplete, as the server freewheeled after \(fixed(report.seconds, 1)) s: "
        case .serverLost: "incomplete, as the server went away after \(fixed(report.seconds, 1)) s: "
        }
    }

    private static func finding(_ measured: [ModeReport], _ report: Report) -> String {
        guard !measured.isEmpty else {
            let callbacks = report.modes.reduce(0) { $0 + $1.cycles }
            return callbacks == 0
                ? "no callback was measured"
                : "\(counted(callbacks, "callback was", "callbacks were")) measured, too few for an interval"
        }
        let queues = measured.filter { $0.mode == .queued }
        guard let callback = measured.first(where: { $0.mode == .callback }), !queues.isEmpty else {
            return measured.map(coming).joined(separator: ", ")
        }
        return comparison(callback, with: queues)
    }

    private static func coming(_ mode: ModeReport) -> String {
        let came = "\(mode.inWords) came \(pace(mode))"
        guard mode.deviation.hasP99 else {
            return "\(came) within \(durationAtMost(mode.deviation.maximum)) in each of "
                + counted(mode.deviation.count, "interval")
        }
        let callbacks = mode.mode == .queued ? "callbacks" : "cycles"
        return "\(came) within \(durationAtMost(mode.deviation.p99)) in 99 % of \(callbacks)"
    }

    /// How often it came: where period or rate changed, each in turn, or as many as there were.
    private static func pace(_ mode: ModeReport) -> String {
        guard let changes = mode.changesInWords else {
            return "every \(duration(mode.nominalNanoseconds, significantDigits: 4))"
        }
        let times = mode.parts.map { "every \(duration($0.nominalNanoseconds, significantDigits: 4))" }
        let ways = times.count <= 4 ? times.joined(separator: ", then ") : "at the pace of its period"
        return "\(ways) (\(changes)), each"
    }

    private static func comparison(_ callback: ModeReport, with queues: [ModeReport]) -> String {
        let hasP99 = ([callback] + queues).allSatisfy(\.deviation.hasP99)
        // What the lengths of buffer and period give on a perfect machine too says nothing of steadiness.
        func spread(_ mode: ModeReport) -> Int64 { hasP99 ? mode.ownDeviation.p99 : mode.ownDeviation.maximum }
        let steadiness = Self.steadiness(spread(callback), against: queues.map(spread))
        let others = queues.count == 1 ? queues[0].inWords : "the \(queues.count) queues"
        let place = hasP99 ? "at p99" : "at worst"
        let values =
            queues.count == 1
            ? " (\(duration(Double(spread(callback)))) against \(duration(Double(spread(queues[0])))))" : ""
        let clause = quickness(callback, queues)
        let isLess = queues.contains(where: \.hasArithmeticDeviation) ? ", arithmetic left out" : ""
        let comma = isLess.isEmpty || clause.isEmpty ? "" : ","
        return "callback mode was \(steadiness) \(others) \(place)\(values)\(isLess)\(comma)\(clause)"
            + (callback.changesInWords.map { "; \($0)" } ?? "")
    }

    /// What of a queue's deviation no machine can avoid.
    private static func arithmetic(_ measured: [ModeReport]) -> [String] {
        let queues = measured.filter(\.hasArithmeticDeviation)
        guard !queues.isEmpty else { return [] }
        let hasP99 = queues.allSatisfy(\.deviation.hasP99)
        func words(_ distribution: Distribution?) -> String {
            let deviation = (hasP99 ? distribution?.p99 : distribution?.maximum) ?? 0
            return duration(Double(deviation))
        }
        // The percentiles of two parts do not add up to that of their sum.
        let deviations = queues.map { queue in
            "\(queue.inWords) deviated by \(words(queue.deviation)) (\(words(queue.arithmeticDeviation.value)) by "
                + "arithmetic alone, \(words(queue.timingDeviation.value)) without it)"
        }
        let buffers = queues.count == 1 ? "its buffers are" : "their buffers are"
        return [
            "\(hasP99 ? "at p99" : "at worst") \(deviations.listed("and")), as \(buffers) no whole number of periods"
        ]
    }

    /// How much less latency callback mode has: as measured where each mode was, else as declared.
    private static func quickness(_ callback: ModeReport, _ queues: [ModeReport]) -> String {
        let measured = queues.compactMap { queue in
            queue.latencyFrames.value.flatMap { later in callback.latencyFrames.value.map { later - $0 } }
        }
        let isMeasured = measured.count == queues.count
        // A log need not tell it.
        guard isMeasured || (queues + [callback]).allSatisfy({ $0.declaredLatencyFrames != nil })
        else { return "" }
        let gains =
            isMeasured
            ? measured : queues.map { Double(($0.declaredLatencyFrames ?? 0) - (callback.declaredLatencyFrames ?? 0)) }
        let errors = queues.map { ($0.latencyErrorFrames.value ?? 0) + (callback.latencyErrorFrames.value ?? 0) }
        let least = gains.min() ?? 0
        let most = gains.max() ?? 0
        let doubt = max(0.5, isMeasured ? errors.max() ?? 0 : 0)
        let source = isMeasured ? " and " : " and, by what the ports declare, "
        // What is declared are frames, which last as long as the rate says that they are played at.
        let rate = isMeasured ? callback.latencyRate : callback.hasChangedRate ? nil : callback.sampleRate
        if least > doubt { return source + span(least, most, rate) + " faster" }
        if most < -doubt { return source + span(-most, -least, rate) + " slower" }
        if abs(least) <= doubt && abs(most) <= doubt { return source + "as fast" }
        return source + "faster than \(gains.count { $0 > doubt }) of them"
    }

    /// - Parameter sampleRate: in hertz; `nil` where there is no one.
    private static func span(_ least: Double, _ most: Double, _ sampleRate: Int?) -> String {
        func times(_ frames: Double...) -> String {
            guard let sampleRate else { return "" }
            return " (\(frames.map { duration($0 / Double(sampleRate) * 1e9) }.joined(separator: " to ")))"
        }
        guard most - least > 0.5 else { return frames(least) + times(least) }
        return "\(fixed(least, 0)) to \(fixed(most, 0)) frames" + times(least, most)
    }

    private static func losses(_ modes: [ModeReport]) -> [String] {
        guard !modes.isEmpty else { return [] }
        // Modes that run at the same time lose the same time, so that the most that one lost stands for all.
        func most(_ count: (ModeReport) -> UInt64?) -> UInt64 { modes.compactMap(count).max() ?? 0 }
        let queues = modes.filter { $0.mode == .queued }
        var parts = queues.filter(\.losesSound).map { queue in
            "\(queue.inWords) dropped \(frames(Double(queue.droppedFrames ?? 0))) and inserted "
                + "\(frames(Double(queue.insertedFrames ?? 0))) of silence"
        }
        let isSoundWhole = parts.isEmpty
        if case let time = most({ $0.lost.nanoseconds }), time > 0 {
            parts.append("\(modes.count > 1 ? "up to " : "")\(duration(Double(time))) of time was lost")
        }
        if case let gap = most({ $0.lost.gapFrames }), gap > 0 {
            parts.append("the frame clock skipped \(frames(Double(gap)))")
        }
        if case let long = most({ $0.lost.longIntervals }), long > 0 {
            parts.append("\(counted(long, "interval was", "intervals were")) longer than 1.5 periods")
        }
        if case let overruns = modes.reduce(0, { $0 + $1.overruns }), overruns > 0 {
            parts.append("\(counted(overruns, "callback")) ran past \(overruns == 1 ? "its" : "their") time")
        }
        if case let xruns = most({ $0.lost.xruns }), xruns > 0 {
            parts.append("JACK reported \(counted(xruns, "xrun"))")
        }
        if parts.isEmpty {
            let isFullyKnown = modes.allSatisfy { mode in
                mode.lostRecords == 0 && mode.lost.xruns != nil && mode.lost.nanoseconds != nil
                    && mode.droppedFrames != nil
            }
            return [isFullyKnown ? "nothing was lost" : "no loss was seen"]
        }
        if isSoundWhole && !queues.isEmpty && queues.allSatisfy({ $0.droppedFrames != nil }) {
            parts.insert(queues.count == 1 ? "the queue dropped nothing" : "no queue dropped anything", at: 0)
        }
        return [parts.joined(separator: ", ")]
    }

    private static func reservations(_ measured: [ModeReport], of report: Report) -> [String] {
        var parts: [String] = []
        for mode in report.modes where mode.deviation.count == 0 && !measured.isEmpty {
            parts.append("of \(mode.inWords) nothing was measured")
        }
        let least = measured.map(\.deviation.count).min() ?? Statistic.p999.leastCount
        if least < Statistic.p99.leastCount {
            parts.append("the run is too short for p99")
        } else if least < Statistic.p999.leastCount {
            parts.append("the run is too short for p999")
        }
        let unknown = report.modes.reduce(0) { $0 + $1.lostRecords }
        if unknown > 0 {
            parts.append("the figures leave out \(counted(unknown, "callback")) whose record was lost")
        }
        let impossible = report.modes.reduce(0) { $0 + $1.impossibleRecords }
        if impossible > 0 { parts.append("\(impossibleTimes(impossible)) (is it two logs in one?)") }
        return parts
    }

    private static func limits(_ results: [LimitResult]) -> [String] {
        guard !results.isEmpty else { return [] }
        let exceeded = results.filter { !$0.isMet }
        if exceeded.isEmpty {
            return [results.count == 1 ? "the limit was met" : "all \(results.count) limits were met"]
        }
        let head =
            results.count == 1
            ? "the limit was not met"
            : "\(exceeded.count) of \(results.count) limits \(exceeded.count == 1 ? "was" : "were") not met"
        return ["\(head): \(exceeded.map(\.inWords).joined(separator: ", "))"]
    }
}
