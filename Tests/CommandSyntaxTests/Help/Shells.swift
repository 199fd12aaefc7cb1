import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// Shells that complete the built command's lines. What they need is in a folder of the test's.
struct Shells {
    private let folder: TemporaryFolder
    private let program = URL(fileURLWithPath: CommandRun.program).deletingLastPathComponent().path

    init(_ folder: TemporaryFolder) { self.folder = folder }

    /// Settings with presets; returns what XDG_CONFIG_HOME has to name.
    static func presets(in folder: TemporaryFolder) throws -> String {
        try FileManager.default.createDirectory(atPath: folder("settings/iounit"), withIntermediateDirectories: true)
        let sections = [("warm", "monitor"), ("wide", "monitor"), ("night", "record")]
        let text = sections.map { "[preset \($0.0)]\ncommand = \($0.1)\n" }.joined()
        try text.write(toFile: folder("settings/iounit/config"), atomically: true, encoding: .utf8)
        return folder("settings")
    }

    /// Writes the completion of a shell under the name that zsh needs, and returns its path.
    func completion(_ shell: String) throws -> String {
        let path = folder(shell == "zsh" ? "_iounit" : "iounit.\(shell)")
        let run = try CommandRun.run("help", "--completion", shell)
        try #require(run.code == 0, "\(run.err)")
        try run.out.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// fish can be asked what it would offer.
    func fishOffers(_ line: String, _ variables: String...) throws -> [String] {
        let script = try completion("fish")
        let run = try CommandRun.tool(
            "env",
            ["-C", folder(""), "HOME=\(folder(""))", "PATH=\(program):/usr/bin:/bin"] + variables + [
                "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line,
            ])
        #expect(run.code == 0 && run.err.isEmpty, "\(run.err)")
        return run.out.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    func zshCompletes(_ lines: [(typed: String, shown: String)], _ variables: String...) throws {
        _ = try completion("zsh")
        let start = #"PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print rea""dy"#
        try completes(lines, "zsh -f -i", start, variables)
    }

    func bashCompletes(_ lines: [(typed: String, shown: String)]) throws {
        _ = try completion("bash")
        try completes(
            lines, "bash --norc -i", #"PS1=; bind "set bell-style none"; source iounit.bash; echo rea""dy"#, [])
    }

    /// What a shell completes it shows on a terminal alone: what is typed there, and what comes behind a tabulator.
    private func completes(
        _ lines: [(typed: String, shown: String)], _ shell: String, _ start: String, _ variables: [String]
    ) throws {
        let script = #"""
            zmodload zsh/zpty
            # Without an echo bash shows nothing of what is typed.
            zpty -e shell ${=1}
            ask() {
                local text
                zpty -w -n shell $'\C-u'"$1"$'\t'
                zpty -r -m shell text "*${(b)2}*" && print -r -- "$2"
            }
            zpty -w shell $2
            zpty -r -m shell text '*ready*'
            shift 2
            for line shown in "$@"; do ask "$line" "$shown"; done
            zpty -d shell
            """#
        let run = try CommandRun.tool(
            "env",
            ["-C", folder(""), "TERM=dumb", "PATH=\(program):/usr/bin:/bin"] + variables
                + ["timeout", "60", "zsh", "-f", "-c", script, "zsh", shell, start]
                + lines.flatMap { [$0.typed, $0.shown] })
        let shown = lines.map { $0.shown + "\n" }.joined()
        #expect(run.code == 0 && run.out == shown, "\(run.out)\(run.err)")
    }
}
