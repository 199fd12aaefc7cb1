/// What `iounit help` explains beside the subcommands: the articles of the manual, and what is made from the program's own
/// tables.
struct Topic: Sendable {
    let name: String
    let summary: String
    let text: @Sendable () -> String

    static let all =
        [
            Topic(
                name: "figures", summary: "what is measured, and what it is called in limits and in the JSON",
                text: { FigureHelp.text }),
            Topic(name: "exit-codes", summary: "what the exit codes mean", text: { exitCodes }),
        ]
        + Article.all.map { article in
            Topic(name: article.name, summary: article.summary, text: { ArticleText(article).text })
        }

    /// `iounit help topics`.
    static var list: String {
        let rows = all.map { (name: $0.name, meaning: $0.summary) }
        return (["iounit help TOPIC explains:", ""] + HelpText.table(rows)).joined(separator: "\n")
    }

    private static var exitCodes: String {
        let rows = ExitCode.allCases.map { (name: String($0.rawValue), meaning: $0.meaning) }
        return (["iounit help exit-codes - what the exit codes mean", ""] + HelpText.table(rows))
            .joined(separator: "\n")
    }
}
