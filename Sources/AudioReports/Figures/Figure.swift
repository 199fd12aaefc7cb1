import AudioFigures

/// A figure of a report: where the JSON has it, what it means, what a limit calls it and how a table shows it.
///
/// It is made from the field that is declared beside its report (`Reported`). Limits, tables, glossary, help and schemas are
/// made from figures.
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
        var value: (@Sendable (any Reported) -> Double?)?
        /// In words, of what has the field, or of an object that holds that. Such a row has one cell.
        var text: (@Sendable (Any) -> String?)?

        /// - Parameter object: which has the figure, of what holds that.
        func within(_ object: @escaping @Sendable (Any) -> Any?) -> Row {
            guard let own = text else { return self }
            var row = self
            row.text = { own($0) ?? object($0).flatMap(own) }
            return row
        }
    }

    /// Where the JSON has it: `modes[].xruns`; `[]` stands for each of several.
    package private(set) var path: String
    package let unit: Unit
    /// One line, without a full stop.
    package let meaning: String
    /// What `--limit` calls it; `nil` where no limit can be set on it. Of a distribution, what stands before the statistic.
    package fileprivate(set) var limit: String?
    /// Reads it from what has the field, or from an object that holds that.
    fileprivate var reading: @Sendable (Any) -> Double? = { _ in nil }
    fileprivate(set) var rows: [Row] = []
    /// Of the JSON: what the value is, and whether it may be `null`.
    package private(set) var kind: Kind
    package private(set) var isNullable = false
    /// Whether the JSON has it of a run on a server alone.
    private(set) var isLive = false
    /// Those of a distribution.
    package fileprivate(set) var statistics: [Figure] = []
    /// Which of them it is; `nil` of any other figure.
    private(set) var statistic: Statistic?
    /// Whether it counts what nobody wants any of.
    fileprivate(set) var isLoss = false
    /// Whether a limit holds for the number without its sign.
    fileprivate(set) var isOfMagnitude = false
    /// The title and the terms of the section that begins with it.
    fileprivate(set) var section: (title: String, terms: [Term])?

    /// Of a field of a report. Each statistic of a distribution is a figure as well.
    ///
    /// - Parameter read: of what has the field; `nil` for anything else.
    init(
        _ path: String, _ meaning: String, _ unit: Unit, _ form: FieldForm,
        _ read: @escaping @Sendable (Any) -> (any FieldValue)?
    ) {
        (self.path, self.meaning, self.unit) = (path, meaning, unit)
        (kind, isNullable) = (form.kind, form.isNullable)
        guard kind == .distribution else {
            reading = { read($0)?.numbers.first ?? nil }
            return
        }
        statistics = Statistic.allCases.map { statistic in
            let isCount = statistic == .count
            var figure = Figure(
                "\(path).\(statistic.rawValue)", meaning, isCount ? .none : unit, isCount ? UInt64.form : Double.form
            ) { (read($0)?.object as? Distribution).flatMap(statistic.value) }
            figure.statistic = statistic
            return figure
        }
    }

    /// In `unit`; `nil` where it was not measured, and for what is no number.
    package func value(_ report: any Reported) -> Double? { heldToLimit(reading(report)) }

    /// Of a value, what a limit holds for.
    func heldToLimit(_ value: Double?) -> Double? { isOfMagnitude ? value.map(abs) : value }

    /// The meaning where there is no `null`: without what it says of that.
    package var subject: String {
        meaning.firstRange(of: "; null").map { String(meaning[..<$0.lowerBound]) } ?? meaning
    }

    /// - Parameters:
    ///   - place: of the object that has it.
    ///   - object: that object, of what holds it.
    func within(_ place: String, of object: @escaping @Sendable (Any) -> Any?) -> Figure {
        with {
            $0.path = "\(place).\(path)"
            $0.reading = { [own = reading] in own($0) ?? object($0).flatMap(own) }
            $0.statistics = statistics.map { $0.within(place, of: object) }
            $0.rows = rows.map { $0.within(object) }
        }
    }

    /// The JSON has it of a run on a server alone.
    var live: Figure { with { $0.isLive = true } }

    /// The path says which it is.
    package static func == (one: Figure, other: Figure) -> Bool { one.path == other.path }

    fileprivate func with(_ change: (inout Figure) -> Void) -> Figure {
        var figure = self
        change(&figure)
        return figure
    }
}

/// What the declaration of a field says, beside what is in the JSON: what tables, glossary and limits make of it.
extension ReportField {
    /// A section of tables and glossary begins with it.
    func section(_ title: String, _ terms: Term...) -> Self { figure { $0.section = (title, terms) } }

    /// A limit can be set on it; on a distribution, on each statistic.
    ///
    /// - Parameters:
    ///   - isLoss: whether it counts what nobody wants any of.
    ///   - isOfMagnitude: whether it holds for the number without its sign.
    func limit(_ name: String, isLoss: Bool = false, isOfMagnitude: Bool = false) -> Self {
        figure {
            ($0.limit, $0.isLoss, $0.isOfMagnitude) = (name, isLoss, isOfMagnitude)
            $0.statistics = $0.statistics.map { figure in
                figure.with { $0.limit = figure.statistic?.limit.map { name + $0 } }
            }
        }
    }

    /// The timer has it as well.
    func timer<Value: FieldValue>(_ read: @escaping @Sendable (BaselineReport) -> Value) -> Self {
        figure { figure in
            let own = figure
            let other = Figure(own.path, own.meaning, own.unit, Value.form) { ($0 as? BaselineReport).map(read) }
            figure.reading = { own.reading($0) ?? other.reading($0) }
            figure.statistics = zip(own.statistics, other.statistics).map { one, other in
                one.with { $0.reading = { one.reading($0) ?? other.reading($0) } }
            }
        }
    }

    /// - Parameter value: of a mode; the field's own, where it is left out.
    func row(
        _ label: String, _ unit: Figure.Unit? = nil, digits: Int? = nil, isMain: Bool = true, isKept: Bool = false,
        value: (@Sendable (ModeReport) -> Double?)? = nil
    ) -> Self {
        figure { figure in
            var row = Figure.Row(label: label, unit: unit, digits: digits, isMain: isMain, isKept: isKept)
            if let value { row.value = { [figure] in ($0 as? ModeReport).map(value) ?? figure.value($0) } }
            figure.rows.append(row)
        }
    }

    /// A row in words.
    ///
    /// - Parameter text: `nil` for no row.
    func words(_ label: String, _ text: @escaping @Sendable (Root) -> String?) -> Self {
        figure { $0.rows.append(Figure.Row(label: label, text: { ($0 as? Root).flatMap(text) })) }
    }

    /// Of a distribution: the statistics that a page shows; those in `main` are shown by a terminal, too.
    ///
    /// - Parameters:
    ///   - label: what stands before the statistic.
    ///   - isShown: of which modes.
    func rows(
        _ label: String, _ shown: [Statistic] = Statistic.allCases, main: Set<Statistic> = [],
        isShown: @escaping @Sendable (ModeReport) -> Bool = { _ in true }
    ) -> Self {
        figure {
            $0.statistics = $0.statistics.map { figure in
                guard let statistic = figure.statistic, shown.contains(statistic) else { return figure }
                var row = Figure.Row(label: "\(label) \(statistic.word)", isMain: main.contains(statistic))
                row.value = { ($0 as? ModeReport).map(isShown) == false ? nil : figure.value($0) }
                return figure.with { $0.rows = [row] }
            }
        }
    }

    private func figure(_ change: (inout Figure) -> Void) -> Self {
        var field = self
        change(&field.figures[0])
        return field
    }
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
