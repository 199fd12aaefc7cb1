import AudioReports
import Threads

/// Where a report goes, beside the table for people.
package struct OutputOptions {
    package let isJSON: Bool
    /// Whether the files may replace others.
    package let replaces: Bool
    /// The options that name files, and their values.
    private let names: [String]
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
        names = files
        try arguments.requireFilesApart(inputs + files)
        for name in files { paths[name] = try arguments.file(name) }
    }

    /// Whether one of the files is this one, however its path is spelled.
    package func contain(_ path: String) -> Bool {
        paths.values.contains { FilePath($0).resolved == FilePath(path).resolved }
    }

    package subscript(name: String) -> String? { paths[name] }

    /// Opens the files before the run, in the order of their options, so that what cannot be written is known then.
    ///
    /// - Parameter names: of the options; `nil` for all.
    package func open(_ names: [String]? = nil) throws(FileError) -> OpenOutputs {
        try OpenOutputs(
            (names ?? self.names).compactMap { name in paths[name].map { (name, $0) } }, replacing: replaces)
    }
}

/// The files of a report, by the names of their options. What is not written leaves nothing behind.
package final class OpenOutputs {
    private var files: [String: OutputFile] = [:]
    /// Of `--markdown`, which is added to what is there.
    private var summary: AppendedFile?
    private static let summaryName = "markdown"

    fileprivate init(_ paths: [(name: String, path: String)], replacing: Bool) throws(FileError) {
        for (name, path) in paths where name != Self.summaryName {
            files[name] = try OutputFile(path, replacing: replacing)
        }
        // Last: to open it makes it.
        for (name, path) in paths where name == Self.summaryName { summary = try AppendedFile(path) }
    }

    /// Writes a file, where it was asked for.
    package func finish(_ name: String, with text: @autoclosure () -> String) throws(FileError) {
        if name == Self.summaryName { try summary?.finish(with: text()) } else { try files[name]?.finish(with: text()) }
    }
}
