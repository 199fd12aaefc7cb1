import AudioReports

/// What is installed beside the program, made from its syntax: manual pages, and completions for shells. Whoever installs
/// asks for it by `iounit help --man` (the names of the pages), `--man NAME` and `--completion SHELL`.
enum InstalledHelp {
    private static let usage = "iounit help takes --man, --man NAME, or --completion bash, zsh or fish"

    /// - Throws: `usage`.
    static func text(_ words: [String]) throws(Failure) -> String {
        switch (words.first, words.dropFirst().first, words.count) {
        case ("--man", nil, _): return pages.map(\.file).joined(separator: "\n")
        case ("--man", let name?, 2):
            if let page = pages.first(where: { $0.file == name || $0.name == name }) { return page.text }
            throw Failure(.usage, "there is no manual page \"\(shown(name))\"; see iounit help --man")
        case ("--completion", "bash", 2): return BashCompletion(Command.syntaxes, topics: topics).text
        case ("--completion", "zsh", 2): return ZshCompletion(Command.syntaxes, topics: topics).text
        case ("--completion", "fish", 2): return FishCompletion(Command.syntaxes, topics: topics).text
        default: throw Failure(.usage, usage)
        }
    }

    static var pages: [ManualPage] {
        [.overview(Command.syntaxes, topics: Topic.all.map { ($0.name, $0.summary) })]
            + Command.syntaxes.map(ManualPage.init)
            + Topic.all.map { ManualPage(topic: $0.name, summary: $0.summary, text: $0.text()) }
    }

    private static var topics: [String] { Topic.all.map(\.name) }
}
