import AudioReports
import Threads

/// Where a measurement's report goes, beside the table for people.
package struct OutputOptions {
    package var isJSON: Bool
    /// Whether the files may replace others.
    package private(set) var replaces = false
    /// Paths by the option's name: html, hgrm, csv, junit.
    private var paths: [String: String] = [:]

    private static let files = ["html", "hgrm", "csv", "junit"]

    /// The options under their heading.
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

    package init(_ arguments: Arguments) throws(Failure) {
        isJSON = arguments.has("json")
        for name in Self.files {
            guard let path = try arguments.file(name) else { continue }
            if let other = option(naming: path) {
                throw arguments.usage("--\(other) and --\(name) name the same file; give each its own", of: other, name)
            }
            paths[name] = path
        }
        replaces = arguments.has("force")
    }

    /// The option that names a file, however it spells the path.
    package func option(naming path: String) -> String? {
        paths.first { Self.place($0.value) == Self.place(path) }?.key
    }

    /// Where a path leads to, however it is spelled.
    package static func place(_ path: String) -> String {
        FilePath(path).resolved
    }

    package subscript(name: String) -> String? { paths[name] }

    /// Finds out whether a file can be written, before the run.
    package func open(_ name: String) throws(FileError) -> OutputFile? {
        guard let path = paths[name] else { return nil }
        return try OutputFile(path, replacing: replaces)
    }
}
