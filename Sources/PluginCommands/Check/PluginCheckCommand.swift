import AudioReports
import CommandSyntax
import Glibc
import PluginChecks
import TerminalPages
import Threads

/// `iounit plugin check`: which plug-ins may run on an audio thread.
struct PluginCheckCommand {
    let options: PluginCheckOptions

    func run() throws -> ExitCode {
        var check = PluginCheck(try PluginProbe())
        check.jobs = options.jobs ?? Processors.permitted
        check.deadlineSeconds = options.deadlineSeconds
        check.failing = options.failing
        // Before anything is written, so that a signal ends it at once.
        var plugins = try options.selection.plugins(check.probe)
        // Of what others may host.
        let hashes = hashes(of: plugins)
        let signals = try Signals()
        guard let processors = try Self.processors(options.processors, check.probe, signals) else {
            StandardError.complain("interrupted: nothing was checked")
            return .interrupted
        }
        defer { withExtendedLifetime(processors) {} }
        plugins += processors.flatMap(\.plugins)
        let files = try options.outputs.open()
        let began = MonotonicClock.nanoseconds()
        let results = try Self.results(of: plugins, check, signals)
        let seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        keep(results, hashes)
        let left = plugins.count - results.count
        let report = PluginCheckReport(
            results, left: left, seconds: seconds, allowsFirstBlock: options.allowsFirstBlock)
        try files.finish("html", with: PluginPage(report).text)
        try files.finish("junit", with: PluginCases(report, allowsFirstBlock: options.allowsFirstBlock).text)
        try files.finish("markdown", with: PluginMarkdown(report).text)
        // Not before: an interruption must not leave a file half written. To print may take for ever, where nobody reads.
        signals.release()
        try StandardOutput.print(
            options.outputs.isJSON ? reportJSON(report) : PluginTable(report, isVerbose: options.isVerbose).text)
        guard left == 0 else {
            StandardError.complain("interrupted: \(results.count) of \(plugins.count) were checked, \(left) are left")
            return .interrupted
        }
        return report.isFit ? .done : .outsideLimits
    }

    /// Described; `nil` after an interruption.
    private static func processors(
        _ libraries: [String], _ probe: PluginProbe, _ signals: Signals
    ) throws(PluginSearchError) -> [ProcessorBundle]? {
        var bundles: [ProcessorBundle] = []
        for library in libraries {
            do throws(PluginSearchError) {
                bundles.append(try ProcessorBundle(library: library, probe) { isInterrupted(signals) })
            } catch {
                if error == .interrupted { return nil }
                throw error
            }
        }
        return bundles
    }

    private static func results(
        of plugins: [InstalledPlugin], _ check: PluginCheck, _ signals: Signals
    ) throws(ResourceError) -> [PluginResult] {
        var line = ProgressLine()
        defer { line.clear() }
        return try check.results(of: plugins) {
            isInterrupted(signals)
        } report: { progress in
            guard plugins.count > 1, progress.done < progress.all else { return }
            let left = Int(progress.secondsLeft.rounded(.up))
            line.show(
                "checked \(progress.done) of \(progress.all), about \(left) s left (\(shown(progress.last.name)))",
                seconds: progress.seconds)
        }
    }

    private static func isInterrupted(_ signals: Signals) -> Bool {
        let numbers = signals.take()
        if numbers.contains(SIGTSTP) { raise(SIGSTOP) }
        return numbers.contains(where: Signals.ends)
    }

    /// Of the binaries, as they are before they are checked. Without a hash the results are reported and not kept.
    private func hashes(of plugins: [InstalledPlugin]) -> [String: String] {
        do {
            return try BinaryHash.all(of: plugins.map(\.binary))
        } catch {
            StandardError.complain("what this check finds is not kept: \(error)")
            return [:]
        }
    }

    private func keep(_ results: [PluginResult], _ hashes: [String: String]) {
        let date = "\(WallClock.text(WallClock.nanoseconds()).prefix(19))Z"
        do {
            try KeptChecks.keep(
                results.compactMap { result in
                    hashes[result.binary].flatMap { KeptCheck(result, hash: $0, date: date) }
                })
        } catch {
            StandardError.complain("what this check found is not kept: \(Failure.from(error).message)")
        }
    }
}

extension PluginSearchError: EndsCommand {
    package var failure: Failure {
        switch self {
        case .notFound(let text): Failure(.noInput, shown(text))
        case .unreadable(let text): Failure(.badInput, shown(text))
        case .interrupted: Failure(.interrupted, "interrupted")
        }
    }
}
