import AudioReports
import FoundationEssentials

/// The manual pages, the completion scripts of the shells and the JSON Schemas that are installed beside the program, made from
/// its syntax. An installer prints them with `iounit help --man` (the names of the pages), `--man NAME`, `--completion SHELL`, and
/// `--schema KIND` for the JSON Schema of a kind of report.
package struct InstalledHelp {
    private let syntaxes: [Syntax]

    private static let usage =
        "iounit help takes --man, --man NAME, --schema, --schema KIND, or --completion bash, zsh or fish"

    /// - Parameter syntaxes: of the program's subcommands, in the order of the help.
    package init(_ syntaxes: [Syntax]) { self.syntaxes = syntaxes }

    /// - Throws: `usage`.
    package func text(_ words: [String]) throws(Failure) -> String {
        let words =
            words.prefix(1).flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) } + words.dropFirst()
        switch (words.first, words.dropFirst().first, words.count) {
        case ("--man", nil, _): return pages.map(\.file).joined(separator: "\n")
        case ("--man", let name?, 2):
            if let page = pages.first(where: { $0.file == name || $0.name == name }) { return page.text }
            throw Failure(.usage, "there is no manual page \"\(shown(name))\"; see iounit help --man")
        case ("--schema", nil, _): return syntaxes.reports.map(\.kind.name).joined(separator: "\n")
        case ("--schema", let name?, 2):
            return try schema(kind(name))
        case ("--completion", let shell?, 2):
            guard let script = CompletionScript(rawValue: shell) else { throw Failure(.usage, Self.usage) }
            return script.text
        default: throw Failure(.usage, Self.usage)
        }
    }

    /// - Parameter text: its name, or what the field `schema` of a report says, as `iounit.beat/2`.
    private func kind(_ text: String) throws(Failure) -> ReportKind {
        let kinds = syntaxes.reports.map(\.kind)
        if let kind = kinds.first(where: { text == $0.name || text == $0.schema }) { return kind }
        if let kind = kinds.first(where: { text.hasPrefix("iounit.\($0.name)/") }) {
            throw Failure(.usage, "there is no schema \"\(shown(text))\" here; this program has \(kind.schema)")
        }
        throw Failure(.usage, "there is no report of \"\(shown(text))\"; see iounit help --schema")
    }

    private func schema(_ kind: ReportKind) throws(Failure) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let text = try? encoder.encode(ReportSchema(kind)) else {
            throw Failure(.inputOutput, "the schema of \(kind.name) cannot be written")
        }
        return String(decoding: text, as: UTF8.self)
    }

    package var pages: [ManualPage] {
        [.overview(syntaxes, topics: Topic.all)] + syntaxes.map { ManualPage($0) }
            + Topic.all.map { ManualPage($0, syntaxes) }
    }
}

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
