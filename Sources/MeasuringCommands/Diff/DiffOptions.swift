import AudioReports
import CommandSyntax

struct DiffOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "diff", summary: "which figures changed from one measurement to another, and what of that is chance",
        groups: [
            optionGroup("Comparison", tolerance),
            optionGroup(
                "Output (default: a table)",
                .json(ComparisonReport.kind, "print one JSON object instead of the table"),
                Option("html", "FILE", "write a page with plots"),
                Option("markdown", "FILE", "add it as Markdown to a file, as to $GITHUB_STEP_SUMMARY"),
                .force(of: ["html"])),
        ],
        notes: """
            A, B and more are logs of cycles (--csv of jitter and compare) or reports (--json of these and of latency); one of them
            may be -, the standard input. Each is compared with A: iounit help comparing says what is chance, and what fails.
            Names: iounit help figures.
            It needs no server.
            """,
        operands: "A B [C]...")

    private static let tolerance = Option(
        "fail-if", "NAME+VALUE",
        "how much more a figure may be than in A, as p99+20%, p99+50us, xruns+0; may be repeated; where one is exceeded "
            + "the exit code is 1"
    ).offering(Tolerance.keys)

    let paths: [String]
    /// As they were given: what they mean depends on what was measured.
    let tolerances: [String]
    let outputs: OutputOptions

    init(_ arguments: Arguments) throws(Failure) {
        paths = arguments.operands
        try arguments.require(
            paths.count >= 2, "diff needs two runs to compare: iounit diff before.csv after.csv")
        try arguments.require(
            paths.count { $0 == RunFile.standardInput } <= 1, "the standard input can be read once only")
        outputs = try OutputOptions(arguments, ["html", "markdown"])
        tolerances = arguments.words(of: Self.tolerance)
        // What no measurement has is known before files are read.
        for text in tolerances {
            let subjects: [Limit.Subject] = [.mode, .latency]
            guard !subjects.contains(where: { (try? Tolerance(text, of: $0)) != nil }) else { continue }
            _ = try Self.tolerance(text, of: .mode)
        }
    }

    /// What a tolerance says of a measurement.
    static func tolerance(_ text: String, of subject: Limit.Subject) throws(Failure) -> Tolerance {
        do throws(Limit.Malformed) {
            return try Tolerance(text, of: subject)
        } catch {
            throw error.failure(of: "fail-if", subject)
        }
    }

    /// Holds the measurements against the first of them.
    func run() throws -> ExitCode {
        let first = try RunFile.read(paths[0])
        let tolerances = try tolerances.map { text throws(Failure) in
            try DiffOptions.tolerance(text, of: first.subject)
        }
        let sheet = ComparisonSheet(
            try paths.dropFirst().map { path in
                let run = try RunFile.read(path)
                guard run.subject == first.subject else {
                    throw Failure(
                        .badInput,
                        "\(shown(path)) is a \(run.kind == MeasuredRun.log ? "" : "report of ")\(run.kindInWords), which has no figure in common with \(shown(first.name))"
                    )
                }
                return RunComparison(first, run, tolerances: tolerances)
            })
        // Behind the reading, which may wait for a pipe: from here on a signal must not leave half a file.
        let signals = try Signals()
        let files = try outputs.open()
        try files.finish("html", with: ComparisonPage(sheet).text)
        try files.finish("markdown", with: sheet.markdown)
        guard !signals.release() else { return .interrupted }
        try StandardOutput.print(outputs.isJSON ? reportJSON(ComparisonReport(sheet)) : sheet.table)
        return sheet.comparisons.contains(where: \.isExceeded) ? .outsideLimits : .done
    }
}
