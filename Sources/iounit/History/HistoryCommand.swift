import AudioMeasurement
import AudioReports
import AudioStreaming
import Foundation

/// `iounit history`: what became of the figures of the reports in a folder.
struct HistoryCommand {
    let options: HistoryOptions

    init(_ options: HistoryOptions) { self.options = options }

    func run() throws -> ExitCode {
        let page = try options.page.map { path throws(FileError) in try OutputFile(path) }
        let metrics = try options.openMetrics.map { path throws(FileError) in try OutputFile(path) }
        let summary = try options.markdown.map { path throws(FileError) in try AppendedFile(path) }
        let history = RunHistory(try runs(), names: options.figures)
        guard history.count > 0 else {
            throw Failure(
                .noInput, "\(shown(options.folder)) holds no report of iounit jitter, compare or latency with a date")
        }
        try page?.finish(with: HistoryPage(history).text)
        try metrics?.finish(with: PageExposition(history).text)
        try summary?.finish(with: history.markdown)
        try Command.print(history.table)
        return .done
    }

    /// Of all files in the folder but hidden ones. What is left out is said.
    private func runs() throws -> [MeasuredRun] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: options.folder)
        } catch {
            throw Failure(.noInput, "cannot read the folder \(shown(options.folder)): it is none, or may not be read")
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { name in
            let path = (options.folder as NSString).appendingPathComponent(name)
            var isFolder: ObjCBool = false
            guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else {
                return nil
            }
            do {
                let run = try RunFile.report(path)
                guard run.date != nil else {
                    throw Failure(.badInput, "\(shown(path)) does not tell when it was made")
                }
                return run
            } catch {
                Command.complain("\(Failure.from(error).message); it is left out")
                return nil
            }
        }
    }
}
