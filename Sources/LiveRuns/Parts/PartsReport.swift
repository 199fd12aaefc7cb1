import AudioReports

/// What the parts of a run have done: a field of each in its report, `null` of a part that was not asked for.
package struct PartsReport<List: PartList>: Reported {
    private let all: [any PartReport]

    package static var fields: [ReportField<Self>] { List.kinds.map { field(of: $0) } }

    init(_ parts: [any RunPart]) { all = parts.compactMap { $0.report } }

    private static func field<Options: PartOptions>(of _: Options.Type) -> ReportField<Self> {
        typealias Report = Options.Part.Report
        return .field(Report.field.name, Report.field.meaning) { report in
            report.all.lazy.compactMap { $0 as? Report }.first
        }
    }

    package var lines: [String] { all.flatMap(\.lines) }
}
