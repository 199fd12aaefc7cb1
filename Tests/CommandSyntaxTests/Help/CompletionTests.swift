import AudioReports
import CommandTestSupport
import Foundation
import Testing

@testable import CommandSyntax
@testable import iounit

/// What the program answers the completion of a shell, which picks what begins with the word.
@Suite("What is offered at a place of a line")
struct CompletionTests {
    private let syntaxes = Command.subcommands.map(\.syntax)

    /// - Parameter line: behind `iounit`.
    private func answer(_ line: String, _ shell: CompletionScript = .bash) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Completion(words, syntaxes).answer(shell).lines
    }

    private func offers(_ line: String) -> [String] { Array(answer(line).dropFirst()) }

    @Test func `each option of each subcommand is offered, and no other`() {
        for syntax in syntaxes {
            #expect(offers("\(syntax.name) --") == syntax.options.flatMap(\.forms), "\(syntax.name)")
        }
        #expect(offers("no --").isEmpty && offers("no ").isEmpty)
    }

    @Test func `the words that an option takes are offered, behind a blank and behind an equals sign`() {
        for syntax in syntaxes {
            for option in syntax.options where !option.choices.isEmpty {
                #expect(answer("\(syntax.name) --\(option.name) ") == ["0"] + option.choices)
                let start = "--\(option.name)="
                #expect(answer("\(syntax.name) \(start)x") == ["\(start.count)"] + option.choices)
            }
        }
        #expect(offers("--shape ").first == offers("monitor --shape ").first, "one that few subcommands have")
    }

    @Test func `what means nothing beside the words before is not offered`() {
        #expect(!offers("ports --inputs --").contains { ["--inputs", "--outputs"].contains($0) })
        #expect(offers("ports --inputs --").contains("--names"))
        #expect(!offers("ports --json --").contains("--names"), "which excludes it")
        #expect(offers("monitor --plugin a --").contains("--plugin"), "which is a list")
    }

    @Test func `zsh and fish are told what a word means, and zsh what a value is`() {
        #expect(answer("pre", .bash).contains("preset"))
        #expect(answer("pre", .fish).contains("preset\tkeep a command line under a name"))
        #expect(answer("help settings", .zsh).contains { $0.hasPrefix("settings\t") })
        #expect(answer("monitor --dri", .fish).contains { $0.hasPrefix("--drive\t") })
        #expect(answer("monitor --gain ", .zsh) == ["0", ":value DB"])
        #expect(answer("monitor --gain ", .fish) == ["0"])
    }

    @Test func `files are offered behind a short option too, and in its word`() {
        #expect(answer("picture a.wav -o ") == ["0", ":files"])
        #expect(answer("picture a.wav -ob") == ["2", ":files"])
        #expect(answer("picture a.wav -o=b") == ["3", ":files"])
    }

    @Test func `what help takes is offered`() {
        #expect(offers("help --schema ") == syntaxes.reports.map(\.kind.name))
        #expect(offers("help --man ").contains("iounit-monitor.1"))
        #expect(offers("help monitor ").isEmpty)
    }

    @Test(arguments: [["monitor", "--server", "nowhere", "--input", ""], ["preset", "show", ""], ["no", ""]])
    func `no server, no settings and no such subcommand are no complaint`(words: [String]) throws {
        let run = try CommandRun.tool(
            "env", ["XDG_CONFIG_HOME=/nowhere", CommandRun.program, "complete", "zsh", "--"] + words)
        #expect(run.code == 0 && run.out == "0\n" && run.err.isEmpty, "\(run.out)\(run.err)")
    }

    @Test(arguments: [[], ["bash"], ["tcsh", "--", ""], ["bash", "monitor", ""]])
    func `who is no shell is told who asks`(words: [String]) throws {
        let run = try CommandRun(["complete"] + words)
        #expect(try run.end() == 64 && run.out.isEmpty && run.err.contains("help --completion"), "\(run.err)")
    }
}
