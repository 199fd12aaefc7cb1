import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import CommandSyntax
@testable import iounit

@Suite("The manual and the completions that are installed")
struct InstalledHelpTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Writes what the built command prints.
    private func write(_ name: String, _ words: String...) throws -> String {
        let run = try CommandRun(["help"] + words)
        try #require(try run.end() == 0, "\(run.err)")
        try run.out.write(toFile: folder(name), atomically: true, encoding: .utf8)
        return folder(name)
    }

    private func oneLine(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    @Test func `there is a page of the program, of each subcommand and of each topic`() throws {
        let run = try CommandRun.run("help", "--man")
        let wanted =
            ["iounit.1"] + Command.subcommands.map(\.syntax).map { "iounit-\($0.name).1" }
            + Topic.all.map { "iounit-\($0.name).7" }
        #expect(run.code == 0 && run.out.split(separator: "\n").map(String.init) == wanted)
        let page = try CommandRun.run("help", "--man", "iounit.1").out
        for syntax in Command.subcommands.map(\.syntax) {
            #expect(page.contains("\n.BR iounit\\-\(syntax.name) (1)\n\(syntax.summary.prefix(6))"))
        }
        for code in ExitCode.allCases { #expect(page.contains("\n.B \(code.rawValue)\n")) }
        #expect(page.hasPrefix(".TH IOUNIT 1 \(Release.date) \"iounit \(Release.version)\""))
    }

    @Test(arguments: [
        ["--man", "iounit-none.1"], ["--man", "a", "b"], ["--completion", "tcsh"], ["--completion"], ["--no"],
    ])
    func `what is none of that is refused`(words: [String]) throws {
        let run = try CommandRun(["help"] + words)
        #expect(try run.end() == 64 && run.out.isEmpty && run.err.contains("--man"))
    }

    @Test func `neither man nor mandoc has anything to say against a page`() throws {
        let paths = try InstalledHelp(Command.subcommands.map(\.syntax)).pages.map {
            try write($0.file, "--man", $0.file)
        }
        let lint = try CommandRun.tool("mandoc", ["-Tlint", "-Wwarning"] + paths)
        #expect(lint.code == 0 && lint.out.isEmpty && lint.err.isEmpty, "\(lint.out)\(lint.err)")
        let man = try CommandRun.tool("env", ["LC_ALL=C.UTF-8", "man", "--warnings", "--local-file"] + paths)
        #expect(man.code == 0 && man.err.isEmpty, "\(man.err)")
        #expect(man.out.count { $0 == "\n" } > 100 * paths.count, "each page is there")
    }

    /// As it is read: of two programs' settings, and without the breaks of lines.
    @Test func `each page says what the help says`() throws {
        for syntax in Command.subcommands.map(\.syntax) {
            let path = try write("page", "--man", "iounit-\(syntax.name).1")
            let run = try CommandRun.tool("mandoc", "-Tutf8", "-Owidth=1000", path)
            var page = String.UnicodeScalarView()
            for scalar in run.out.unicodeScalars {
                // Bold is a character over itself.
                if scalar == "\u{8}" { page.removeLast() } else { page.append(scalar) }
            }
            let words = oneLine(String(page))
            for option in syntax.options {
                let value = option.value.map { option.isValueOptional ? " [\($0)]" : " \($0)" } ?? ""
                #expect(
                    words.contains(" --\(option.name)\(value) \(oneLine(option.help))"),
                    "\(option.name)")
            }
            for line in syntax.notes.split(separator: "\n") {
                #expect(words.contains(oneLine(String(line))), "\(line)")
            }
            #expect(words.contains("\(syntax.name) - \(syntax.summary)"))
        }
    }

    @Test func `a terminal of 80 columns shows each line of a topic as it was set`() throws {
        for topic in Topic.all {
            let path = try write("page", "--man", "iounit-\(topic.name).7")
            let man = try CommandRun.tool("env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "--local-file", path)
            let shown = Set(man.out.split(separator: "\n").map(String.init))
            // The first lines are the name and the summary.
            let lines = topic.text(.manual, Command.subcommands.map(\.syntax))
                .split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.isEmpty }.filter { !$0.isEmpty }
            try #require(lines.count > 5, "\(topic.name)")
            for line in lines {
                #expect(shown.contains("       \(line)") || shown.contains("   \(line)"), "\(topic.name): \(line)")
            }
            // A line of code that is copied must stay one.
            let code = Article.all.first { $0.name == topic.name }?.parts.flatMap { part -> [String] in
                if case .code(let lines) = part { lines } else { [] }
            }
            for line in shown where line.count > 80 {
                let text = line.trimmingCharacters(in: .whitespaces)
                #expect(code?.contains { $0.contains(text) } == true, "\(topic.name): \(line)")
            }
        }
    }

    @Test func `the notes of a subcommand keep their lines, and its page names those of its topics`() throws {
        let path = try write("page", "--man", "iounit-preset.1")
        let man = try CommandRun.tool("env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "--local-file", path)
        let lines = man.out.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let line = "iounit monitor --preset stage runs it, and so does iounit --preset stage."
        #expect(lines.contains(line), "\(man.out)")
        #expect(lines.contains { $0.hasPrefix("Exit codes: ") }, "\(man.out)")
        let related =
            [".BR iounit (1)"]
            + ["figures", "exit\\-codes", "settings"].map { ".BR iounit\\-\($0) (7)" }
        let page = try CommandRun.run("help", "--man", "iounit-preset.1").out
        #expect(page.hasSuffix(".SH SEE ALSO\n.nh\n\(related.joined(separator: ",\n"))\n"), "\(page)")
        let plugin = try CommandRun.run("help", "--man", "iounit-plugin.1").out
        #expect(plugin.contains("\n.BR iounit\\-plugin\\-check (7)"), "\(plugin)")
        // The summary of the topic names the subcommand.
        let beat = try CommandRun.run("help", "--man", "iounit-beat.1").out
        #expect(beat.contains("\n.BR iounit\\-heartbeats (7)"), "\(beat)")
        let diff = try CommandRun.run("help", "--man", "iounit-diff.1").out
        #expect(!diff.contains("iounit\\-changing"), "the patches of that topic are none of iounit diff")
    }

    @Test func `a word that an option takes is in its help`() {
        for syntax in Command.subcommands.map(\.syntax) {
            for option in syntax.options {
                for word in option.choices {
                    #expect(option.help.contains(word), "\(syntax.name) --\(option.name) \(word)")
                }
            }
        }
    }
}
