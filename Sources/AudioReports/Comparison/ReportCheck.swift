extension MeasuredRun {
    /// The first figure of a report that cannot be, in words: a negative count, a fraction of a callback, a rate of 0, a number as
    /// a text. Of such a report nothing can be believed, so that it is refused as a whole; `nil` where there is none.
    package static func impossibleFigure(in report: ReportValue) -> String? {
        let facts: [(path: String, name: String, unit: String, isCount: Bool)] = [
            ("seconds", "length", "s", false), ("server.sampleRate", "sample rate", "Hz", true),
            ("server.periodFrames", "period", "frames", true),
        ]
        for (path, name, unit, isCount) in facts {
            if let other = report.other(path) { return "the \(name) is \(other)" }
            guard let value = report.number(path) else { continue }
            let isPossible = isCount ? value >= 1 && value == value.rounded() : value >= 0
            if !isPossible || value > Part.mostPossible { return "the \(name) is \(plain(value)) \(unit)" }
        }
        for mode in report.list("modes") ?? [] {
            guard let found = impossible(Limit.Subject.mode.figures, in: mode) else { continue }
            return "the \(found.name) of \(shown(mode.text("name") ?? "a mode")) is \(found.value)"
        }
        return impossible(Limit.Subject.latency.figures, in: report).map { "the \($0.name) is \($0.value)" }
    }

    private static func impossible(_ figures: [Figure], in report: ReportValue) -> (name: String, value: String)? {
        for figure in figures {
            let path =
                figure.path.hasPrefix(Part.modePrefix)
                ? String(figure.path.dropFirst(Part.modePrefix.count)) : figure.path
            if let other = report.other(path) { return (figure.limit ?? path, other) }
            guard let value = report.number(path), !isPossible(value, of: figure, in: report) else { continue }
            let unit = figure.unit == .none ? "" : " \(figure.unit.rawValue)"
            let words = figure.unit == .share ? "\(plain(value * 100)) %" : plain(value) + unit
            return (figure.limit ?? path, words)
        }
        return nil
    }

    private static func isPossible(_ value: Double, of figure: Figure, in report: ReportValue) -> Bool {
        guard abs(value) <= Part.mostPossible, figure.kind != .integer || value == value.rounded() else { return false }
        guard value < 0, !figure.isOfMagnitude else { return true }
        guard figure.limit == "latency" else { return false }
        // A latency of nothing comes out as a hair less; the error holds in 99 of 100 measurements.
        let error = report.number("latencyErrorFrames") ?? report.number("latency.errorFrames") ?? 0
        return value >= -max(1, 4 * error)
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? fixed(value, 0) : "\(value)"
    }
}

extension ReportValue {
    /// What stands where a number must be, in words; `nil` for a number, for null and for nothing.
    fileprivate func other(_ path: String) -> String? {
        var value = self
        for name in path.split(separator: ".") where value != .null {
            guard case .object(let fields) = value else { return "not in an object" }
            value = fields[String(name)] ?? .null
        }
        return switch value {
        case .null: nil
        case .number(let number) where number.isFinite: nil
        case .text(let text): "\"\(shown(text))\", a text and no number"
        default: "no number"
        }
    }
}
