import AudioFigures

extension Report: MeasurementReport, Encodable {
    package static let fields: [ReportField<Self>] = head + run + facts + [.group("published", \.published)]

    private static let run: [ReportField<Self>] = [
        .field(
            "warmupSeconds", "how long the unit ran before; null of a log that does not tell", unit: .seconds,
            \.warmupSeconds),
        .field("isSequential", "whether the modes were measured one after another; null likewise", \.isSequential),
        .group("modes", \.modes),
        .plugins(\.plugins),
        .field("baseline", "a timer thread beside it; null without --baseline", \.baseline)
            .section("How late the timer woke", .timer),
    ]

    /// The object of `--json`. Every key is there in every report: what was not measured is `null`.
    public func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

extension BaselineReport: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("nominalNanoseconds", "its period", unit: .nanoseconds, \.nominalNanoseconds),
        .field("wakeups", "how many times it woke", \.cycles),
        .field("interval", "from one waking to the next", unit: .nanoseconds, \.interval),
        .field("deviation", "how far that was from nominal, without sign", unit: .nanoseconds, \.deviation),
        .field("lateness", "how late it woke", unit: .nanoseconds, \.lateness).rows("lateness", [.p50, .p99, .max]),
        .field("scheduling", "of its thread; null where the kernel does not tell", \.scheduling),
    ]
}

extension PublishedFigure: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("name", "a figure that somebody else published of the same case", \.name),
        .field("unit", "of both", \.unit),
        .field("published", "as published", \.published),
        .field("measured", "here", \.measured),
    ]
}

/// What tables, glossary and limits make of a field.
extension ReportField {
    func section(_ title: String, _ terms: Term...) -> Self { figure { $0.section(title, terms) } }

    /// - Parameters:
    ///   - isLoss: whether it counts what nobody wants any of.
    ///   - isOfMagnitude: whether it holds for the number without its sign.
    func limit(_ name: String, isLoss: Bool = false, isOfMagnitude: Bool = false) -> Self {
        figure { $0.limited(name, isLoss: isLoss, isOfMagnitude: isOfMagnitude) }
    }

    func timer<Value: FieldValue>(_ read: @escaping @Sendable (BaselineReport) -> Value) -> Self {
        figure { $0.ofTimer(read) }
    }

    /// - Parameter value: of a mode; the field's own, where it is left out.
    func row(
        _ label: String, _ unit: Figure.Unit? = nil, digits: Int? = nil, isMain: Bool = true, isKept: Bool = false,
        value: (@Sendable (ModeReport) -> Double?)? = nil
    ) -> Self {
        figure { $0.row(label, unit, digits: digits, isMain: isMain, isKept: isKept, value: value) }
    }

    /// A row in words.
    ///
    /// - Parameter text: `nil` for no row.
    func words(_ label: String, _ text: @escaping @Sendable (Root) -> String?) -> Self {
        figure { $0.words(label) { ($0 as? Root).flatMap(text) } }
    }

    /// Of a distribution: see `Figure.rows`.
    func rows(
        _ label: String, _ shown: [Statistic] = Statistic.allCases, main: Set<Statistic> = [],
        isShown: @escaping @Sendable (ModeReport) -> Bool = { _ in true }
    ) -> Self {
        figure { $0.rows(label, shown, main: main, isShown: isShown) }
    }
}
