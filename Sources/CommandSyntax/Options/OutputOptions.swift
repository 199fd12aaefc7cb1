import AudioReports
import Threads

/// Where a report goes, beside the table for people.
package struct OutputOptions {
    package let isJSON: Bool
    /// Whether the files may replace others.
    package let replaces: Bool
    /// By the option's name.
    private var paths: [String: String] = [:]

    /// Of a measurement.
    package static let files = ["html", "hgrm", "csv", "junit"]

    /// The options of a measurement under their heading.
    ///
    /// - Parameters:
    ///   - report: what the JSON is.
    ///   - page, percentiles, rows, cases: what the files hold.
    package static func group(
        _ report: ReportKind, page: String, percentiles: String, rows: String, cases: String
    ) -> (String, [Option]) {
        (
            "Output (default: a table)",
            [
                .json(report, "print one JSON object instead of the table"),
                Option("html", "FILE", page),
                Option("hgrm", "FILE", percentiles),
                Option("csv", "FILE", rows),
                Option("junit", "FILE", cases),
                .force(of: files),
                .help,
            ]
        )
    }

    /// - Parameters:
    ///   - files: the options that name files to write.
    ///   - inputs: those that name files to read, over which nothing is to be written.
    package init(_ arguments: Arguments, _ files: [String] = files, beside inputs: [String] = []) throws(Failure) {
        isJSON = arguments.has("json")
        replaces = arguments.has("force")
        try arguments.requireFilesApart(inputs + files)
        for name in files { paths[name] = try arguments.file(name) }
    }

    /// Whether one of the files is this one, however its path is spelled.
    package func contain(_ path: String) -> Bool {
        paths.values.contains { FilePath($0).resolved == FilePath(path).resolved }
    }

    package subscript(name: String) -> String? { paths[name] }

    /// Finds out whether a file can be written, before the run.
    package func open(_ name: String) throws(FileError) -> OutputFile? {
        guard let path = paths[name] else { return nil }
        return try OutputFile(path, replacing: replaces)
    }
}
