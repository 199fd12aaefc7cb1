import AudioReports
import Glibc
import Threads

extension Option {
    /// `--force` of a subcommand that writes files.
    ///
    /// - Parameter files: the options that name them; empty where arguments do.
    package static func force(_ does: String = "replace files that exist", of files: [String] = []) -> Option {
        Option(flag: "force", does).needs(files).kept(.run)
    }
}

extension Arguments {
    /// Whether a report is printed as JSON: `--json`.
    package var isJSON: Bool { has("json") }
    /// Whether files that exist are replaced: `--force`.
    package var replaces: Bool { has("force") }

    /// The name of a file; `nil` where the option was not given.
    package func file(_ option: Option) throws(Failure) -> String? { try file(option.name) }

    fileprivate func file(_ name: String) throws(Failure) -> String? {
        try require(value(name) != "", "--\(name) needs the name of a file", of: name)
        return value(name)
    }

    /// Complains where two of the options name the same file, or one of them a file that is to be read.
    package func requireFilesApart(_ names: [String]) throws(Failure) {
        var taken = operands.reduce(into: [:]) { $0[StandardOutput.place(of: $1)] = "the argument \"\(shown($1))\"" }
        for name in names {
            guard let path = value(name), !path.isEmpty else { continue }
            let place = StandardOutput.place(of: path)
            if let other = taken[place] {
                throw Failure(
                    .usage, "\(other) and --\(name) name the same file; give each its own",
                    options: names.filter { value($0).map(StandardOutput.place) == place })
            }
            taken[place] = "--\(name)"
        }
    }
}

/// Where a report goes, beside the table for people.
package struct OutputOptions {
    package let isJSON: Bool
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
        optionGroup(
            "Output (default: a table)",
            .json(report, "print one JSON object instead of the table"),
            Option("html", "FILE", page),
            Option("hgrm", "FILE", percentiles),
            Option("csv", "FILE", rows),
            Option("junit", "FILE", cases),
            .force(of: files))
    }

    /// - Parameters:
    ///   - files: the options that name files to write.
    ///   - inputs: those that name files to read, over which nothing is to be written.
    package init(_ arguments: Arguments, _ files: [String] = files, beside inputs: [String] = []) throws(Failure) {
        isJSON = arguments.isJSON
        replaces = arguments.replaces
        names = files
        try arguments.requireFilesApart(inputs + files)
        for name in files {
            let path = try arguments.file(name)
            try arguments.require(
                path != "-" && path.map(StandardOutput.isNamed) != true,
                "--\(name) writes a file, and not the standard output; name a file", of: name)
            paths[name] = path
        }
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

/// A file that is added to, as the summary of a job is, which every step writes a part of.
package final class AppendedFile {
    private let path: String
    private let descriptor: CInt

    /// Finds out whether the file can be written, by opening it.
    ///
    /// - Throws: `cannotCreate`.
    package init(_ path: String) throws(FileError) {
        self.path = path
        // A pipe that nobody reads would never be open, and one whose reader takes nothing would keep the program.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
        guard descriptor >= 0 else { throw .cannotCreate(path: path, reason: FileError.creation()) }
    }

    deinit { close(descriptor) }

    /// Where a pipe's reader takes nothing, it is waited for as long as `WholeWrite` has it.
    ///
    /// - Throws: `cannotWrite`.
    package func finish(
        with text: String, patienceMilliseconds: CInt = WholeWrite.patienceMilliseconds
    ) throws(FileError) {
        try WholeWrite.write(
            Array(((endsWithinLine ? "\n" : "") + text).utf8), to: descriptor, path: path,
            patienceMilliseconds: patienceMilliseconds)
        guard WholeWrite.hasArrived(at: descriptor) else {
            throw .cannotWrite(path: path, reason: FileError.reason)
        }
    }

    /// Whether the file ends without a newline.
    private var endsWithinLine: Bool {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else {
            return false
        }
        let reading = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard reading >= 0 else { return false }
        defer { close(reading) }
        var last: UInt8 = 0
        return unsafe pread(reading, &last, 1, facts.st_size - 1) == 1 && last != UInt8(ascii: "\n")
    }
}
