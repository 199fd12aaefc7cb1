import Testing

@testable import CommandSyntax
@testable import iounit

/// The command lines of a text that explains the command.
struct DocumentedCommands {
    let lines: [Substring]

    /// - Parameter markdown: what stands in its blocks of code. A line goes on after a backslash.
    init(_ markdown: String) {
        lines = markdown.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .flatMap { $0.element.replacing(/\\\n +/, with: "").split(separator: "\n") }
            .map { $0.drop { $0 == " " || $0 == "$" } }
            // The live view begins with the name too.
            .filter { $0.prefixMatch(of: /(Tools\/)?iounit \S/) != nil }
    }

    /// What a shell makes of it.
    private static func words(_ line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { words, piece in
            guard piece.offset.isMultiple(of: 2) else {
                words[words.count - 1] += piece.element
                return
            }
            let parts = piece.element.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            words[words.count - 1] += parts.first ?? ""
            words += parts.dropFirst()
        }.filter { !$0.isEmpty }
    }

    /// Has the command read each of them, and run none.
    func expectUnderstood() {
        for line in lines {
            // Behind a pipe is another program.
            var words = Array(Self.words(line.prefix { !"#|".contains($0) }).dropFirst())
            let name = words.removeFirst()
            words.removeAll { $0 == "--help" }
            guard let subcommand = Command.subcommands.first(where: { $0.syntax.name == name }) else {
                #expect(name == "help" && Topic.all.map(\.name).contains(words.first ?? ""), "\(line)")
                continue
            }
            // A preset is of somebody's settings.
            if let preset = words.firstRange(of: ["--preset", "warm"]) { words.removeSubrange(preset) }
            #expect(throws: Never.self, "\(line)") { _ = try subcommand.read(words) }
        }
    }
}
