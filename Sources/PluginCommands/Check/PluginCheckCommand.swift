import AudioReports
import CommandSyntax
import PluginChecks
import TerminalPages
import Threads

/// `iounit plugin check`: which plug-ins may run on an audio thread.
struct PluginCheckCommand {
    let options: PluginCheckOptions
    let isJSON: Bool

    func run() throws -> ExitCode {
        let page = try options.page.map { path throws(FileError) in try OutputFile(path, replacing: options.replaces) }
        let cases = try options.cases.map { path throws(FileError) in try OutputFile(path, replacing: options.replaces)
        }
        let summary = try options.markdown.map { path throws(FileError) in try AppendedFile(path) }
        var check = PluginCheck(try PluginProbe())
        check.jobs = options.jobs ?? Processors.permitted
        check.deadlineSeconds = options.deadlineSeconds
        check.failing = options.failing
        let plugins = try options.selection.plugins(check.probe)
        let began = MonotonicClock.nanoseconds()
        let results = try Self.results(of: plugins, check)
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        let report = PluginCheckReport(results, seconds: seconds, allowsFirstBlock: options.allowsFirstBlock)
        try page?.finish(with: PluginPage(report).text)
        try cases?.finish(with: PluginCases(report, allowsFirstBlock: options.allowsFirstBlock).text)
        try summary?.finish(with: PluginMarkdown(report).text)
        try StandardOutput.print(
            isJSON ? reportJSON(report) : PluginTable(report, isVerbose: options.isVerbose).text)
        return report.isFit ? .done : .outsideLimits
    }

    private static func results(of plugins: [InstalledPlugin], _ check: PluginCheck) throws(ResourceError)
        -> [PluginResult]
    {
        var line = ProgressLine()
        defer { line.clear() }
        return try check.results(of: plugins) { progress in
            guard plugins.count > 1, progress.done < progress.all else { return }
            let left = Int(progress.secondsLeft.rounded(.up))
            line.show(
                "checked \(progress.done) of \(progress.all), about \(left) s left (\(shown(progress.last.name)))",
                seconds: progress.seconds)
        }
    }
}

extension PluginSearchError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .notFound(let text): Failure(.noInput, shown(text))
        case .unreadable(let text): Failure(.badInput, shown(text))
        }
    }
}
