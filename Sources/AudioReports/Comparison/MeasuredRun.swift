import AudioFigures

/// A run as its report tells of it, to be held beside others.
package struct MeasuredRun: Sendable {
    /// A mode of the run; of a latency the path.
    package struct Part: Sendable {
        /// As the report calls it: `callback`, `queued 480`; of a latency `latency`.
        package let name: String
        /// `nil` of a latency.
        package let mode: ModeReport.Mode?
        /// `3 × 480 frames of float32`; `nil` where there is no queue.
        package let queue: String?
        let values: [String: Double]
        /// Of a log.
        package var samples: CallbackSamples?
        /// The percentile curve of the deviation, as far as it is known.
        package var curve: [CurvePoint]

        /// In the figure's own unit; `nil` where it was not measured.
        func value(_ figure: Figure) -> Double? { values[figure.path] }

        /// How far the latency may be off, in frames.
        var latencyError: Double? { values["latency.errorFrames"] ?? values["modes[].latencyErrorFrames"] }
    }

    /// What the file is called.
    package let name: String
    /// `jitter`, `compare`, `latency`; `log` of a log of cycles, which does not tell which of the first two wrote it.
    package let kind: String
    package let subject: Limit.Subject
    package let isComplete: Bool
    /// `nil` where the report does not tell.
    package let provenance: Provenance?
    /// Between which ports a latency was measured; `nil` of any other measurement.
    package let path: Path?
    /// `nil` where the report does not tell, as of a server that is not private; so is `isSync`.
    package let backend: String?
    package let isSync: Bool?
    /// The server's name where that tells one from another: not of a private one, which has another name each time.
    package let serverName: String?
    /// What was in the path of the sound, as each was set.
    package let plugins: [String]
    private var settings: [Setting] = []
    /// The processor, as far as the report tells: runners in a cloud have another name each time.
    package let machine: String?
    /// In hertz.
    package let sampleRate: Int
    /// Of the server.
    package let periodFrames: Int
    package let seconds: Double
    /// Of a log: whose times cannot be.
    package let impossibleRecords: Int
    package var parts: [Part]

    /// - Parameters:
    ///   - name: of the file.
    ///   - report: what stands in it.
    ///   - isLog: whether it was made from a log of cycles, and has no schema.
    ///   - tellsPlugins: whether no plug-ins means that there were none; a log may not tell.
    /// - Returns: `nil` where that is no report of a measurement.
    package init?(name: String, report: ReportValue, isLog: Bool = false, tellsPlugins: Bool = true) {
        let schema = report.text("schema")
        guard let kind = isLog ? Self.log : Self.kinds.first(where: { $0.schema == schema })?.name,
            let rate = report.number("server.sampleRate"), let period = report.number("server.periodFrames")
        else { return nil }
        self.name = name
        self.kind = kind
        if kind != ReportKind.latency.name, let modes = report.list("modes") {
            guard modes.count <= Self.mostModes else { return nil }
            subject = .mode
            parts = modes.compactMap(Part.init(mode:))
            path = nil
        } else if kind == ReportKind.latency.name, report.text("outcome") != nil {
            subject = .latency
            path = Path(report)
            parts = [Part(latency: report)]
        } else {
            return nil
        }
        isComplete = report.text("end").map { $0 == Report.End.done.rawValue } ?? true
        sampleRate = Int(rate.clamped)
        periodFrames = Int(period.clamped)
        seconds = report.number("seconds") ?? 0
        provenance = report.text("provenance.date").map { date in
            Provenance(
                date: date, version: report.text("provenance.version") ?? "",
                host: report.text("provenance.host") ?? "",
                command: report.text("provenance.command") ?? "")
        }
        let cores = report.number("host.cores").map { fixed($0, 0) }
        machine = report.text("host.cpu").map { cpu in cores.map { "\(cpu), \($0) cores" } ?? cpu }
        impossibleRecords = Int(
            (report.list("modes") ?? []).compactMap { $0.number("impossibleRecords") }.reduce(0, +).clamped)
        backend = report.text("server.backend")
        isSync = report.truth("server.sync")
        // A log that does not tell of its server stands there by its own name.
        serverName = backend == nil && report.truth("server.realtime") != nil ? report.text("server.name") : nil
        let plugins = report.list("plugins")?.compactMap { $0.text("setting") }
        self.plugins = plugins ?? []
        settings = Setting.all(of: self, report, plugins: tellsPlugins ? plugins : nil)
    }

    /// The reports that tell of a measurement.
    static let kinds = [ReportKind.jitter, .compare, .latency]

    /// Whether it is a report of a measurement, but by names of figures that are not those of today.
    package static func isOfOtherSchema(_ report: ReportValue) -> Bool {
        guard let schema = report.text("schema") else { return false }
        let name = schema.split(separator: "/").first.map(String.init)
        return kinds.contains { "iounit.\($0.name)" == name && $0.schema != schema }
    }

    /// The kind of a log.
    package static let log = "log"

    /// What tables call it.
    package var kindInWords: String { kind == Self.log ? "log of cycles" : "iounit \(shown(kind))" }

    /// In what two runs were not alike, so that what differs in their figures may come from that.
    package func differences(from other: MeasuredRun) -> [String] {
        let settings = zip(settings, other.settings).compactMap { $0.difference(from: $1) }
        // The longer a run, the more is counted in it, and the farther off are its extremes.
        let isAsLong = abs(seconds - other.seconds) <= Self.likeLength * max(seconds, other.seconds)
        return settings + (isAsLong ? [] : ["length \(fixed(seconds, 1)) s and \(fixed(other.seconds, 1)) s"])
    }

    /// Whether a limit on how much figures change means something: not where they are of another period, rate, mode or path.
    func isOfSameSetting(as other: MeasuredRun) -> Bool {
        zip(settings, other.settings).allSatisfy { !$0.isDeciding || $0.difference(from: $1) == nil }
    }

    private static let likeLength = 0.1
    /// A log has no more, and `compare` measures 8. Each takes time: all its figures are looked for.
    package static let mostModes = 64
}

extension MeasuredRun.Part {
    fileprivate init?(mode report: ReportValue) {
        guard let name = report.text("name") else { return nil }
        self.name = name
        mode = report.text("mode").flatMap(ModeReport.Mode.init(rawValue:))
        queue = report.number("bufferCount").map { count in
            "\(fixed(count, 0)) × \(frames(report.number("bufferFrames") ?? 0)) of \(report.text("format") ?? "")"
        }
        values = Self.values(Report.figures, in: report)
        curve = Self.curve(report)
    }

    fileprivate init(latency report: ReportValue) {
        name = "latency"
        mode = nil
        queue = nil
        values = Self.values(FigureTable.latency, in: report)
        curve = []
    }

    private static func values(_ figures: [Figure], in report: ReportValue) -> [String: Double] {
        figures.flatMap { [$0] + $0.statistics }.reduce(into: [:]) { values, figure in
            let path = figure.path.hasPrefix(modePrefix) ? String(figure.path.dropFirst(modePrefix.count)) : figure.path
            values[figure.path] =
                figure.statistic.map { statistic in
                    let distribution = String(path.dropLast(statistic.rawValue.count + 1))
                    return value(statistic, of: distribution, in: report)
                } ?? figure.heldToLimit(report.number(path))
            // From elsewhere there may come any number, and nothing can be made of such ones.
            if abs(values[figure.path] ?? 0) > mostPossible { values[figure.path] = nil }
        }
    }

    /// Of any figure in its own unit.
    static let mostPossible = 1e15

    static let modePrefix = "modes[]."

    /// `nil` where there are too few values for it.
    private static func value(_ statistic: Statistic, of path: String, in report: ReportValue) -> Double? {
        guard case .object(let fields) = report[path] else { return nil }
        if let count = report.number("\(path).count"), UInt64(count.clamped) < statistic.leastCount { return nil }
        guard case .number(let value) = fields[statistic.rawValue], value.isFinite else { return nil }
        return value
    }

    /// Of the few percentiles that a report has.
    private static func curve(_ report: ReportValue) -> [CurvePoint] {
        let count = report.number("deviation.count") ?? 0
        let places: [(Statistic, Double)] = [
            (.min, 0), (.p50, 50), (.p90, 90), (.p99, 99), (.p999, 99.9), (.p9999, 99.99), (.max, 100),
        ]
        return places.compactMap { statistic, percentile in
            value(statistic, of: "deviation", in: report).map { value in
                CurvePoint(
                    percentile: percentile, nanoseconds: Int64(value.clamped),
                    count: UInt64((count * percentile / 100).clamped))
            }
        }
    }
}

extension Double {
    /// Within what a whole number of ours can be: a file from elsewhere may hold any number.
    fileprivate var clamped: Double { isNaN ? 0 : Swift.min(Swift.max(self, 0), 1e15) }
}
