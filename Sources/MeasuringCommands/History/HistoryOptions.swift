import AudioReports
import CommandSyntax

/// What `iounit history` was asked to do.
struct HistoryOptions {
    static let syntax = Syntax(
        name: "history", summary: "what became of the figures of many measurements: a trend of a folder of reports",
        groups: [
            (
                "History",
                [
                    Option(
                        "figures", "NAMES",
                        "which figures, with commas between them (\(RunHistory.usualNames.joined(separator: ",")))")
                ]
            ),
            (
                "Output",
                [
                    Option("html", "FILE", "write a page with a plot of each figure"),
                    Option("markdown", "FILE", "add it as Markdown to a file, as to $GITHUB_STEP_SUMMARY"),
                    Option("openmetrics", "FILE", "write the figures and their times for Prometheus"),
                    .force(of: ["html", "openmetrics"]),
                    .help,
                ]
            ),
        ],
        notes: """
            FOLDER holds reports (--json of jitter, compare and latency), in files of any name. They are put in the order of the
            dates in them. Runs of another mode, period or sample rate have a table of their own. A file that is no report is named
            on the standard error and left out. Names of figures: iounit help figures.
            It needs no server.
            """,
        operands: "FOLDER")

    let folder: String
    let figures: [String]
    let outputs: OutputOptions

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        try arguments.require(
            arguments.operands.count == 1, "history needs a folder of reports: iounit history FOLDER")
        folder = arguments.operands[0]
        outputs = try OutputOptions(arguments, ["html", "markdown", "openmetrics"])
        let given = arguments.value("figures")?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        figures = given ?? RunHistory.usualNames
        for name in figures where !RunHistory.knows(name) {
            let near = didYouMean(name, among: RunHistory.names) ?? "see iounit help figures"
            throw arguments.usage("--figures: there is no figure \"\(shown(name))\"; \(near)", of: "figures")
        }
    }
}
