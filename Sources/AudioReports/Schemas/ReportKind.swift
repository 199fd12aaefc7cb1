import AudioFigures

/// A kind of report that `--json` prints.
package struct ReportKind: Sendable {
    /// The subcommand's: `jitter`.
    package let name: String
    /// Counted up where a key changes its name or its meaning.
    package let version: Int
    /// What help says before its fields; empty for nothing.
    package let note: String
    /// What is `null` of a run on a server, and else tells what took its place; empty where there is nothing of the sort.
    let liveKey: String
    private let makeFigures: @Sendable () -> [Figure]

    /// - Parameter figures: all that it may have; evaluated at its use.
    package init(
        _ name: String, _ version: Int, note: String = "", liveKey: String = "",
        _ figures: @autoclosure @escaping @Sendable () -> [Figure]
    ) {
        (self.name, self.version, self.note, self.liveKey) = (name, version, note, liveKey)
        makeFigures = figures
    }

    package var figures: [Figure] { makeFigures() }

    /// What the field `schema` says.
    package var schema: String { "iounit.\(name)/\(version)" }
}

extension ReportKind {
    package static let jitter = ReportKind("jitter", 2, Report.figures)
    package static let compare = ReportKind("compare", 2, Report.figures)
    package static let latency = ReportKind("latency", 2, LatencyReport.figures)
}

/// A report that is printed as a whole: its kind is declared beside its fields. Who made it is added where it is printed.
package protocol ReportDocument: Reported, Encodable {
    static var kind: ReportKind { get }
}

extension ReportDocument {
    /// Its kind, as `ReportKind` has it: with its own fields, and those that every document has.
    package static func document(_ name: String, _ version: Int, note: String = "", liveKey: String = "") -> ReportKind
    {
        let schema = "iounit.\(name)/\(version)"
        return ReportKind(
            name, version, note: note, liveKey: liveKey,
            [Figure("schema", schema, .none, String.form) { _ in schema }] + figures + Report.maker.figures)
    }

    package func write(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try container.encode(Self.kind.schema, forKey: FieldKey("schema"))
        try write(into: &container)
    }
}
