import AudioReports
import CommandSyntax

/// `iounit diff`: holds measurements against the first of them.
struct DiffCommand {
    let options: DiffOptions

    func run() throws -> ExitCode {
        let first = try RunFile.read(options.paths[0])
        let tolerances = try options.tolerances.map { text throws(Failure) in
            try DiffOptions.tolerance(text, of: first.subject)
        }
        let sheet = ComparisonSheet(
            try options.paths.dropFirst().map { path in
                let run = try RunFile.read(path)
                guard run.subject == first.subject else {
                    throw Failure(
                        .badInput,
                        "\(shown(path)) is a report of iounit \(run.kind), which has no figure in common with \(shown(first.name))"
                    )
                }
                return RunComparison(first, run, tolerances: tolerances)
            })
        // Behind the reading, which may wait for a pipe: from here on a signal must not leave half a file.
        let signals = try Signals()
        let files = try options.outputs.open()
        try files.finish("html", with: ComparisonPage(sheet).text)
        try files.finish("markdown", with: sheet.markdown)
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print(options.outputs.isJSON ? reportJSON(ComparisonReport(sheet)) : sheet.table)
        return sheet.comparisons.contains(where: \.isExceeded) ? .outsideLimits : .done
    }
}
