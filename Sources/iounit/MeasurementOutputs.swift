import AudioMeasurement

/// The files of a measurement's report: opened before the run, so that what cannot be written is known then, and written
/// at its end.
struct MeasurementOutputs {
    let log: CycleWriter?
    private let page: OutputFile?
    private let cases: OutputFile?
    /// One for each mode, by its name.
    private let percentiles: [(mode: String, file: OutputFile)]
    private let isJSON: Bool

    /// - Parameter modes: the names that the report's modes will have.
    init(_ options: OutputOptions, modes: [String]) throws {
        isJSON = options.isJSON
        page = try options.open("html")
        cases = try options.open("junit")
        percentiles =
            try options["hgrm"].map { path in
                try modes.map { ($0, try OutputFile(modes.count > 1 ? Self.path(path, of: $0) : path)) }
            } ?? []
        log = try options["csv"].map { path throws(FileError) in try CycleWriter(path: path) }
    }

    /// `run.hgrm` and `queued 480` make `run.queued-480.hgrm`.
    static func path(_ path: String, of mode: String) -> String {
        let word = String(mode.map { $0.isLetter || $0.isNumber ? $0 : "-" })
        guard let dot = path.lastIndex(of: "."),
            dot > (path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)
        else { return "\(path).\(word)" }
        return "\(path[..<dot]).\(word)\(path[dot...])"
    }

    /// Writes all files and prints the report.
    func write(_ report: Report) throws {
        try log?.finish()
        try page?.finish(with: HTMLPage(report).text)
        try cases?.finish(with: JUnitFile(report).text)
        for (name, file) in percentiles {
            guard let mode = report.modes.first(where: { $0.name == name }) else { continue }
            try file.finish(with: PercentileFile(mode.deviationHistogram).text)
        }
        try Command.print(isJSON ? encodeJSON(report) : ReportTable(report).text)
    }
}
