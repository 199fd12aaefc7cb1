import Testing

@testable import CommandSyntax
@testable import iounit

/// The command lines of a text that explains the command, each as the words of its programs.
struct DocumentedCommands {
    /// In blocks of code, and in the text itself where two words or more stand behind a subcommand.
    private(set) var commands: [[String]] = []
    /// Of the text itself: a subcommand, and at most one word behind it.
    private var names: [[String]] = []

    /// Programs of others in these lines, and why no test runs them.
    static let others = [
        "jackd": "keeps the card's time, and runs for ever", "jack_load": "needs a server on another machine's network",
        "jack_transport": "moves the transport of whoever plays", "oscsend": "is for a run that goes on",
        "ffmpeg": "reads a film or a recorder of yours", "ssh": "needs another machine", "grep": "reads what comes",
        "echo": "says a word to the next program", "sudo": "changes the machine", "mkdir": "makes a folder",
        "pw-metadata": "changes PipeWire's settings", "recorder": "stands for a program of yours",
        "Tools/install": "a stage of Tools/test", "Tools/package": "a stage of Tools/test", "Tools/test": "is itself",
        "systemctl": "changes the machine", "docker": "needs Docker", "espeak-ng": "makes a file to play",
        "curl": "needs a page that is served",
    ]
    private static let own: Set = ["iounit", "Tools/iounit"]

    /// - Parameter markdown: a line of a block goes on after a backslash, and behind a # is a remark.
    init(_ markdown: String) {
        for (number, part) in markdown.split(separator: "```", omittingEmptySubsequences: false).enumerated() {
            guard number.isMultiple(of: 2) else {
                let lines = part.replacing(/\\\n +/, with: "").split(separator: "\n")
                for line in lines { add(Self.words(line.drop { $0 == " " || $0 == "$" })) }
                continue
            }
            for span in part.matches(of: /`((?:pw-jack )?iounit [^`]+)`/) {
                let words = Self.words(span.1.replacing("\n", with: " ")[...])
                if words.count > 3 { add(words) } else { names.append(words) }
            }
        }
    }

    /// Notes of the help, in which a line is an example where it begins with the name.
    init(notes: String) {
        for line in notes.split(separator: "\n") {
            // Behind the command is a sentence about it.
            for example in line.matches(of: /^ *(iounit [a-z]+(?: --?[a-z-]+(?:[ =][a-z0-9.-]+)?)*)/) {
                names.append(Self.words(example.1))
            }
        }
    }

    private mutating func add(_ words: [String]) {
        let programs = words.split { ["|", "&&", ";", "&"].contains($0) }.map { words in
            // Settings for one program, and PipeWire's libjack.
            Array(words.drop { $0.contains(/^[A-Z_]+=/) || $0 == "pw-jack" })
        }
        // The rest is what a program prints.
        guard let first = programs.first?.first, Self.own.contains(first) || Self.others[first] != nil else { return }
        // The live view begins with the name too.
        guard words.count > 1, !words[1].isEmpty else { return }
        for program in programs { commands.append(program) }
    }

    /// What a shell makes of it.
    private static func words(_ line: Substring) -> [String] {
        var (words, isQuoted): ([String], Bool) = ([""], false)
        for character in line {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted: words.append("")
            case "#" where !isQuoted && words.last == "": return words.filter { !$0.isEmpty }
            default: words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    /// Has the command read each of its lines, and run none; any other program is one that is known.
    func expectUnderstood() {
        for program in commands {
            let line = program.joined(separator: " ")
            guard let first = program.first, Self.own.contains(first) else {
                #expect(program.first.map { Self.others[$0] != nil } ?? false, "who runs this? \(line)")
                continue
            }
            var words = Array(program.dropFirst())
            // The live view.
            guard let name = words.first, name != "dummy" else { continue }
            words.removeFirst()
            words.removeAll { $0 == "--help" }
            guard let subcommand = Command.subcommands.first(where: { $0.syntax.name == name }) else {
                #expect(name == "help" && Topic.all.map(\.name).contains(words.first ?? ""), "\(line)")
                continue
            }
            // A preset is of somebody's settings.
            if let preset = words.firstRange(of: ["--preset", "warm"]) { words.removeSubrange(preset) }
            #expect(throws: Never.self, "\(line)") { _ = try subcommand.read(words) }
        }
        for words in names { Self.expectNamed(Array(words.drop { $0 != "iounit" }.dropFirst())) }
    }

    /// A form or a part of a line: what it names is there.
    private static func expectNamed(_ words: [String]) {
        let line = words.joined(separator: " ")
        // Capitals stand for something else.
        guard let name = words.first, name.contains(/^[a-z]/) else { return }
        if name == "help" {
            let topic = words.dropFirst().first ?? "topics"
            let isKnown = topic == "topics" || topic.hasPrefix("--") || topic.allSatisfy(\.isUppercase)
            return #expect(
                isKnown || Topic.all.contains { $0.name == topic }
                    || Command.subcommands.contains { $0.syntax.name == topic }, "\(line)")
        }
        guard let syntax = Command.subcommands.first(where: { $0.syntax.name == name })?.syntax else {
            Issue.record("there is no \(line)")
            return
        }
        for word in words.dropFirst() where word.hasPrefix("--") && word.count > 2 {
            let option = String(word.dropFirst(2).prefix { $0 != "=" })
            #expect(["help", "version"].contains(option) || syntax.option(option) != nil, "\(line)")
        }
    }
}
