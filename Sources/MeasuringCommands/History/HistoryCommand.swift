import AudioFigures
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages
import Threads

/// `iounit history`: what became of the figures of the reports in a folder.
struct HistoryCommand {
    let options: HistoryOptions

    func run() throws -> ExitCode {
        // Before a file is opened to be written: it may be one of those that are read.
        let history = RunHistory(try runs(), names: options.figures)
        guard history.count > 0 else {
            throw Failure(
                .noInput, "\(shown(options.folder)) holds no report of iounit jitter, compare or latency with a date")
        }
        // From here on a signal must not leave half a file.
        let signals = try Signals()
        let files = try options.outputs.open()
        try files.finish("html", with: HistoryPage(history).text)
        try files.finish("openmetrics", with: MetricsExposition(history).text)
        try files.finish("markdown", with: history.markdown)
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print(history.table)
        return .done
    }

    /// Of all files in the folder but hidden ones and those that are to be written. What is left out is said.
    private func runs() throws -> [MeasuredRun] {
        guard let names = Folder.names(in: options.folder) else {
            throw Failure(.noInput, "cannot read the folder \(shown(options.folder)): it is none, or may not be read")
        }
        return try names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
            let path = FilePath(options.folder).appending(name)
            let kind = Self.kind(of: path)
            guard kind != S_IFDIR else { return nil }
            let isOutput = options.outputs.contain(path)
            do {
                guard kind == S_IFREG else {
                    throw Failure(.badInput, "\(shown(path)) is no file, or leads to none")
                }
                let run = try RunFile.report(path)
                guard run.date != nil else {
                    throw Failure(.badInput, "\(shown(path)) does not tell when it was made")
                }
                guard !isOutput else {
                    throw Failure(
                        .usage, "\(shown(path)) is a report, which would be replaced; name another file to write")
                }
                return run
            } catch let failure as Failure where failure.code == .usage {
                throw failure
            } catch {
                guard !isOutput else { return nil }
                StandardError.complain("\(Failure.from(error).message); it is left out")
                return nil
            }
        }
    }

    /// As `stat` tells it; 0 where there is nothing behind a link.
    private static func kind(of path: String) -> mode_t {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : 0
    }
}
