import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages
@testable import iounit

@Suite("The manual")
struct ManualTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/Manual/Manual.docc")

    @Test func `each article of the catalogue is a topic of the help, and stands in the table of contents`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".md") && $0 != "Manual.md"
        }
        let contents = try String(contentsOf: Self.folder.appendingPathComponent("Manual.md"), encoding: .utf8)
        #expect(files.count == ArticleSource.all.count && files.count >= 20)
        for file in files {
            let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
            #expect(ArticleSource.all.contains { $0.markdown == text }, "\(file) is not in articles.c")
            #expect(contents.contains("<doc:\(file.dropLast(3))>"), "\(file)")
        }
        #expect(Set(ArticleSource.all.map(\.name)).isDisjoint(with: Command.subcommands.map(\.syntax.name)))
    }

    @Test func `a cell of a table that is empty has no name in the help`() throws {
        let help = try CommandRun.run("help", "osc").out
        #expect(help.contains("what can be set: gain, voice\n") && !help.contains("all have:\n"), "\(help)")
    }

    @Test func `each file that the article on the design names is there`() throws {
        let article = try String(contentsOf: Self.folder.appendingPathComponent("Design.md"), encoding: .utf8)
        let sources = Self.folder.appendingPathComponent("../..").standardizedFileURL
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        let named = article.split { " \n`".contains($0) }.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".h") }
        #expect(named.count >= 20)
        for name in named {
            let name = name.hasPrefix("Sources/") ? name.dropFirst("Sources/".count) : name
            #expect(files.contains { $0 == name || $0.hasSuffix("/\(name)") }, "\(name)")
        }
    }

    @Test func `each file in the picture of a block's path has what stands beside it`() throws {
        let article = try String(contentsOf: Self.folder.appendingPathComponent("Design.md"), encoding: .utf8)
        let picture = try #require(article.components(separatedBy: "```").dropFirst().first)
        let sources = Self.folder.appendingPathComponent("../..").standardizedFileURL
        let rows = picture.split(separator: "\n").map { $0.split { " │├└─,".contains($0) } }
            .filter { $0.last?.hasSuffix(".swift") == true }
        #expect(rows.count >= 20)
        // It is to become shorter: what makes it longer has a reason that is worth a reader's time.
        #expect(Set(rows.compactMap(\.last)).count <= 19)
        #expect(rows.reduce(0) { $0 + $1.count - 1 } <= 27)
        for row in rows {
            let file = sources.appendingPathComponent(String(row[row.count - 1]))
            let text = try String(contentsOf: file, encoding: .utf8)
            for name in row.dropLast().flatMap({ $0.split(separator: ".") }) {
                #expect(text.contains(name), "\(name) in \(file.lastPathComponent)")
            }
        }
    }

    @Test func `the table of parts tells which subcommand has which`() throws {
        let parts = ["source", "voice", "plugin", "record", "send", "serve", "osc", "midi", "offline", "freewheel"]
        for kind in VoiceParts.kinds + SideParts.kinds {
            let name = try #require(kind.group.options.first?.name)
            #expect(parts.contains(name), "a part of --\(name) has no column")
        }
        let article = try String(contentsOf: Self.folder.appendingPathComponent("LiveView.md"), encoding: .utf8)
        var told: [String: [String]] = [:]
        for line in article.split(separator: "\n") {
            let words = line.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
            guard line.hasPrefix("| `"), let name = words.first, words.dropFirst().contains("--osc") else { continue }
            told[name] = words.dropFirst().map { String($0.dropFirst(2)) }
        }
        let live = Command.subcommands.map(\.syntax).filter { $0.option("osc") != nil }
        #expect(live.count >= 8 && Set(told.keys) == Set(live.map(\.name)))
        for syntax in live {
            let names = parts.filter { syntax.option($0) != nil }
            let row = "| `\(syntax.name)` | \(names.map { "`--\($0)`" }.joined(separator: ", ")) |"
            #expect(told[syntax.name] == names, "the row is \(row)")
        }
    }

    @Test func `the article on the live view has each key of monitor, and what the key 0 resets`() throws {
        let article = try String(contentsOf: Self.folder.appendingPathComponent("LiveView.md"), encoding: .utf8)
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| `") && !$0.contains("`--osc`") }
        for (key, meaning) in MonitorKeys.all {
            for part in key.split(separator: " ") {
                #expect(rows.contains { $0.dropFirst(2).prefix { $0 != "|" }.contains("`\(part)`") }, "\(part)")
            }
            if key == "0" { #expect(rows.contains("| `0` | \(meaning) |")) }
        }
    }

    @Test(arguments: ArticleSource.all.map(\.name))
    func `a topic is set in 80 columns, and has no mark of Markdown left`(_ name: String) throws {
        let topic = try #require(Topic.all.first { $0.name == name })
        let lines = topic.text(.manual, []).split(separator: "\n")
        try #require(lines.count > 5)
        let article = try #require(Article.all.first { $0.name == name })
        let examples = article.parts.flatMap { part -> [String] in
            if case .code(let lines) = part { lines } else { [] }
        }
        for line in lines where !examples.contains(where: { line.hasSuffix($0) }) {
            #expect(line.count <= 80, "\(line)")
            for mark in ["`", "**", "](", "<doc:"] { #expect(!line.contains(mark), "\(line)") }
            #expect(!line.hasPrefix("|"), "\(line)")
        }
        #expect(lines[0].hasPrefix("iounit help \(name) - "))
    }

    @Test(arguments: ArticleSource.all.map(\.name))
    func `every command line in it is one that the command understands`(_ name: String) throws {
        let article = try #require(ArticleSource.all.first { $0.name == name })
        DocumentedCommands(article.markdown).expectUnderstood()
    }

    @Test func `nor is another in the articles on the library, or in a manual page of a subcommand`() throws {
        let folder = Self.folder.appendingPathComponent("../../AudioIO/AudioIO.docc")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        try #require(files.count >= 6)
        for file in files { DocumentedCommands(try String(contentsOf: file, encoding: .utf8)).expectUnderstood() }
        for syntax in Command.subcommands.map(\.syntax) { DocumentedCommands(notes: syntax.notes).expectUnderstood() }
    }

    /// Each other line of the articles needs a server, a card, another machine or somebody's settings.
    @Test func `what needs no server does what the article on sound files says`() throws {
        let folder = try TemporaryFolder()
        for name in ["take.wav", "talk.wav", "bass.wav"] {
            try SoundFile(
                sampleRate: 48000,
                channels: [(0..<48000).map { 0.25 * sin(Float($0) * 0.0576) }]
            ).write(folder(name))
        }
        let text = try #require(ArticleSource.all.first { $0.name == "files" }).markdown
        let lines = try #require(text.split(separator: "```").dropFirst().first).split(separator: "\n")
            .filter { $0.contains(/^(mkdir|iounit (convert|info|picture))\s/) }
        try #require(lines.count >= 6)
        let script = "cd '\(folder.path)'; iounit() { '\(CommandRun.program)' \"$@\"; }\n"
        for line in lines {
            let run = try CommandRun.tool("sh", "-c", script + line)
            #expect(run.code == 0, "\(line): \(run.err)")
        }
        #expect(FileManager.default.fileExists(atPath: folder("mp3s/take.mp3")))
    }

    @Test func `the parts of an article are told apart`() {
        let article = Article(
            ArticleSource(
                name: "x",
                markdown: """
                    # A title

                    What it is
                    about.

                    ## A `head`

                    Some **text** with *stress*, a · b * c, and [words](https://example.org).
                    - one
                      and more
                    - two

                    1. first

                    | a | b |
                    |---|---|
                    | `c` | – |

                    ```sh
                    | no table

                    # no head
                    ```
                    """))
        #expect(article.title == "A title" && article.summary == "What it is about.")
        #expect(
            article.parts == [
                .heading("A head"),
                .paragraph("Some text with stress, a · b * c, and words (https://example.org)."),
                .list(marks: ["-", "-"], items: ["one and more", "two"]), .list(marks: ["1."], items: ["first"]),
                .table([["a", "b"], ["c", "–"]]), .code(["| no table", "", "# no head"]),
            ])
    }

    @Test func `the list of topics names each, and so does the overview`() throws {
        let list = try CommandRun.run("help", "topics")
        let overview = try CommandRun.run("--help").out
        #expect(list.code == 0)
        for topic in Topic.all {
            #expect(list.out.contains("\n  \(topic.name)"))
            #expect(overview.split { " ,;\n".contains($0) }.contains(Substring(topic.name)), "\(topic.name)")
        }
        let codes = try CommandRun.run("help", "exit-codes").out
        #expect(codes.contains("\n  69 ") && codes.contains("\n  73   a file cannot be made, or a port is in use\n"))
    }
}
