import AudioFigures

/// A figure of a report: where the JSON has it, what it means, what a limit calls it and how a table shows it.
///
/// Those of measurements stand in `FigureTable`, from which limits, tables and glossary are made; those of other reports are made
/// from their fields (`Reported`). Help and schemas are made from both.
package struct Figure: Sendable, Equatable {
    /// Of the number in the JSON.
    package enum Unit: String, Sendable {
        /// A count; a text, too.
        case none = ""
        case nanoseconds = "ns"
        case milliseconds = "ms"
        case seconds = "s"
        case frames
        case hertz = "Hz"
        /// 1 is all.
        case share
        case decibels = "dB"
        /// Of full scale, weighted by EBU R 128.
        case lufs = "LUFS"
        case perSecond = "1/s"
    }

    /// What a value of the JSON is.
    package enum Kind: Sendable, Equatable {
        case integer, number, text, flag
        /// A text, and one of these.
        case choice([String])
        /// Texts by a name that is not known beforehand.
        case texts
        case distribution
        /// Of other figures.
        case object
    }

    /// What a figure is taken from.
    package enum Source: Sendable {
        case mode(ModeReport)
        case timer(BaselineReport)
        case latency(LatencyReport)
    }

    /// A row of a table.
    struct Row: Sendable {
        var label: String
        /// The figure's own, where it is `nil`.
        var unit: Unit?
        /// After the point; `nil` for as many as are usual for the unit.
        var digits: Int?
        /// Whether it is among the few that a terminal shows.
        var isMain = true
        /// Whether it is shown where nothing of it is known: good is 0, and that is not to be read from a missing row.
        var isKept = false
        /// For the cells of modes and timer; the figure's own, where it is `nil`.
        var value: (@Sendable (Source) -> Double?)?
        /// For a latency, whose cells are text.
        var text: (@Sendable (LatencyReport) -> String?)?
    }

    /// Where the JSON has it: `modes[].xruns`; `[]` stands for each of several.
    package private(set) var path: String
    package let unit: Unit
    /// One line, without a full stop.
    package let meaning: String
    /// What `--limit` calls it; `nil` where no limit can be set on it. Of a distribution, what stands before the statistic.
    package private(set) var limit: String?
    /// In `unit`; `nil` where it was not measured, and for what is no number.
    package private(set) var value: @Sendable (Source) -> Double? = { _ in nil }
    private(set) var rows: [Row] = []
    /// Of the JSON: what the value is, and whether it may be `null`.
    package private(set) var kind: Kind
    package private(set) var isNullable = false
    /// Whether the JSON has it of a run on a server alone.
    private(set) var isLive = false
    /// Those of a distribution.
    package private(set) var statistics: [Figure] = []
    /// Which of them it is; `nil` of any other figure.
    private(set) var statistic: Statistic?

    init(_ path: String, _ meaning: String, _ unit: Unit = .none) {
        self.path = path
        self.meaning = meaning
        self.unit = unit
        kind = unit == .none ? .integer : .number
    }

    /// Of a field of a report.
    init(_ path: String, _ meaning: String, _ unit: Unit, _ form: FieldForm) {
        self.init(path, meaning, unit)
        (kind, isNullable) = (form.kind, form.isNullable)
    }

    /// The meaning where there is no `null`: without what it says of that.
    package var subject: String {
        meaning.firstRange(of: "; null").map { String(meaning[..<$0.lowerBound]) } ?? meaning
    }

    /// - Parameter place: of the object that has it.
    func within(_ place: String) -> Figure { with { $0.path = "\(place).\($0.path)" } }

    /// The JSON has it of a run on a server alone.
    var live: Figure { with { $0.isLive = true } }

    /// The path says which it is.
    package static func == (one: Figure, other: Figure) -> Bool { one.path == other.path }

    private func with(_ change: (inout Figure) -> Void) -> Figure {
        var figure = self
        change(&figure)
        return figure
    }
}

/// What an entry of the table says, beside what is in the JSON.
extension Figure {
    /// A figure that has a unit is a number, and one that has none a whole one, where it is not said to be something else.
    func of(_ kind: Kind) -> Figure { with { $0.kind = kind } }

    /// It may be `null`.
    var orNull: Figure { with { $0.isNullable = true } }

    func limit(_ name: String) -> Figure { with { $0.limit = name } }

    func ofMode(_ value: @escaping @Sendable (ModeReport) -> Double?) -> Figure {
        with { $0.value = { $0.mode.flatMap(value) } }
    }

    func ofTimer(_ value: @escaping @Sendable (BaselineReport) -> Double?) -> Figure {
        with { [ofMode = self.value] in $0.value = { ofMode($0) ?? $0.timer.flatMap(value) } }
    }

    func ofLatency(_ value: @escaping @Sendable (LatencyReport) -> Double?) -> Figure {
        with { $0.value = { $0.latency.flatMap(value) } }
    }

    /// - Parameter value: of a mode; the figure's own, where it is left out.
    func row(
        _ label: String, _ unit: Unit? = nil, digits: Int? = nil, isMain: Bool = true, isKept: Bool = false,
        value: (@Sendable (ModeReport) -> Double?)? = nil
    ) -> Figure {
        var row = Row(label: label, unit: unit, digits: digits, isMain: isMain, isKept: isKept)
        if let value { row.value = { $0.mode.flatMap(value) } }
        return with { $0.rows.append(row) }
    }

    func row(_ label: String, text: @escaping @Sendable (LatencyReport) -> String?) -> Figure {
        with { $0.rows.append(Row(label: label, text: text)) }
    }

    /// Makes it a distribution, of which each statistic is a figure.
    ///
    /// - Parameters:
    ///   - label: what stands before the statistic in the label of a row.
    ///   - rows: the statistics that a page shows; those in `main` are shown by a terminal, too.
    func distribution(
        _ label: String, rows: [Statistic], main: Set<Statistic> = [],
        of distribution: @escaping @Sendable (Source) -> Distribution?
    ) -> Figure {
        let statistics = Statistic.allCases.map { statistic in
            var figure = Figure("\(path).\(statistic.rawValue)", meaning, statistic == .count ? .none : unit)
            figure.limit = statistic.limit.flatMap { name in limit.map { $0 + name } }
            figure.statistic = statistic
            figure.value = { distribution($0).flatMap(statistic.value) }
            guard rows.contains(statistic) else { return figure }
            let row = Row(label: "\(label) \(statistic.word)", isMain: main.contains(statistic))
            figure.rows = [row]
            return figure
        }
        return with {
            $0.statistics = statistics
            $0.kind = .distribution
        }
    }
}

extension Figure.Source {
    var mode: ModeReport? { if case .mode(let mode) = self { mode } else { nil } }
    var timer: BaselineReport? { if case .timer(let timer) = self { timer } else { nil } }
    var latency: LatencyReport? { if case .latency(let report) = self { report } else { nil } }
}

extension Figure.Unit {
    /// OpenMetrics' base unit, empty for none, and how many of ours are one of it.
    var metric: (name: String, perBase: Double) {
        switch self {
        case .nanoseconds: ("seconds", 1e9)
        case .milliseconds: ("seconds", 1e3)
        case .seconds: ("seconds", 1)
        case .frames: ("frames", 1)
        case .share: ("ratio", 1)
        case .hertz: ("hertz", 1)
        case .decibels: ("decibels", 1)
        case .lufs: ("lufs", 1)
        case .perSecond, .none: ("", 1)
        }
    }
}
