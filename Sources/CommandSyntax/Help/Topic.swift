/// What `iounit help` explains beside the subcommands: the articles of the manual, and what is made from the program's own
/// tables.
struct Topic: Sendable {
    let name: String
    let summary: String
    /// As it is printed by a program of these subcommands.
    let text: @Sendable (HelpText, [Syntax]) -> String

    static let all =
        [
            Topic(
                name: "figures", summary: "what is measured, and what it is called in limits and in the JSON",
                text: { FigureHelp.text($0, $1.reports) }),
            Topic(name: "exit-codes", summary: "what the exit codes mean", text: { format, _ in exitCodes(format) }),
        ]
        + Article.all.map { article in
            Topic(
                name: article.name, summary: article.summary,
                text: { format, _ in ArticleText(article: article, format: format).text })
        }

    /// `iounit help topics`.
    static func list(_ format: HelpText) -> String {
        let rows = all.map { (name: $0.name, meaning: $0.summary) }
        return (["iounit help TOPIC explains:", ""] + format.table(rows)).joined(separator: "\n")
    }

    private static func exitCodes(_ format: HelpText) -> String {
        let rows = ExitCode.allCases.map { (name: String($0.rawValue), meaning: $0.meaning) }
        return (["iounit help exit-codes - what the exit codes mean", ""] + format.table(rows))
            .joined(separator: "\n")
    }
}
