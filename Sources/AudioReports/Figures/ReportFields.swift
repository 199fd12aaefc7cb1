import AudioFigures

extension Report: MeasurementReport, Encodable {
    package static let fields: [ReportField<Self>] = head + run + facts + [.group("published", \.published)]

    private static let run: [ReportField<Self>] = [
        .field(
            "warmupSeconds", "how long the unit ran before; null of a log that does not tell", unit: .seconds,
            \.warmupSeconds),
        .field(
            "isSequential", "whether the modes were measured one after another; null of a log that does not tell",
            \.isSequential),
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
