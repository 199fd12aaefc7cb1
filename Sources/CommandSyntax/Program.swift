import AudioFigures
import AudioReports
import Glibc
import TerminalPages

/// A program of subcommands: finds the one that is wanted, and turns failures into a sentence on stderr and an exit code.
package struct Program {
    /// In the order of the overview.
    private let subcommands: [Subcommand]
    /// What `--version --verbose` says beside the version, a line each.
    private let details: () -> [String]
    /// Takes the words before all else; `nil` where they are not for it.
    private let session: Session?

    package typealias Session = (_ words: [String], _ settings: () throws -> SettingsFile?) throws -> ExitCode?

    package init(_ subcommands: [Subcommand], details: @escaping () -> [String], session: Session? = nil) {
        self.subcommands = subcommands
        self.details = details
        self.session = session
    }

    /// Runs what the words of this process say, and ends it.
    package func main() -> Never {
        let words = CommandLine.arguments
        // Swift's runtime takes them from there.
        guard !words.isEmpty else {
            StandardError.complain("the words of the command line cannot be read: mount /proc")
            StandardError.flush()
            exit(ExitCode.inputOutput.rawValue)
        }
        // Swift repairs a word that is no UTF-8, and there is no file of the repaired name. It may hold a password.
        let strange = words.indices.dropFirst().first { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe String(validatingCString: $0) == nil } ?? false
        }
        // SAFETY: the words of this process, of which there is a copy now.
        unsafe HiddenPasswords.wipe(CommandLine.unsafeArgv, count: words.count)
        reserveStandardDescriptors()
        _ = Provenance.startNanoseconds
        // Nobody reads any more, or a file may not grow: errors like any other, and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Who starts us may ignore it, and the kernel would forget how a program of ours has ended.
        signal(SIGCHLD, SIG_DFL)
        let code =
            strange.map { unsafe Self.refuse(CommandLine.unsafeArgv[$0]) } ?? run(Array(words.dropFirst()))
        StandardError.flush()
        switch code {
        case .interrupted: Signals.endProcess()
        case .outputClosed: Signals.endProcess(by: SIGPIPE)
        default: break
        }
        exit(code.rawValue)
    }

    /// Refuses a word that is no UTF-8, which is shown as far as it is.
    private static func refuse(_ word: UnsafePointer<CChar>?) -> ExitCode {
        let text = unsafe word.map { unsafe String(cString: $0) } ?? ""
        StandardError.complain(
            "\"\(shown(text))\" is not written in UTF-8, as all words must be; rename the file that is called so")
        return .usage
    }

    /// Where one of the standard descriptors is closed, the next file or socket would get its number, and what is
    /// printed would go there.
    private func reserveStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // For reading: to write there fails, as it should.
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    /// Of the subcommands, in the order of the help.
    private var syntaxes: [Syntax] { subcommands.map(\.syntax) }

    private func run(_ words: [String]) -> ExitCode {
        do {
            if words.first == "complete" { return try complete(Array(words.dropFirst())) }
            let isOfProgram = ["--help", "-h", "--version", "-V"].contains(words.first)
            let hasLeadingOptions = !isOfProgram && words.first?.hasPrefix("-") == true
            var words = hasLeadingOptions ? try LeadingOptions(syntaxes).moved(words) : words
            if !isOfProgram, !wantsHelp(words), let name = try presetName(words) {
                guard let preset = try settings()?.preset(name.name) else { throw Preset.missing(name.name) }
                words = [preset.subcommand, "--preset=\(name.name)"] + name.rest
            }
            if let session, let code = try session(words, settings) { return code }
            guard let first = words.first else { return try StandardOutput.print(overview) }
            let rest = Array(words.dropFirst())
            switch first {
            case "--help", "-h", "help": return try help(rest.filter { !["--help", "-h"].contains($0) })
            case "--version", "-V", "version": return try version(rest)
            case _ where first.hasPrefix("-") && wantsHelp(words): return try StandardOutput.print(overview)
            default: break
            }
            return try run(subcommand: words)
        } catch {
            let failure = Failure.from(error)
            // A closed standard output is no error to report: with `| head` the reader has what it wanted.
            if failure.code != .outputClosed { StandardError.complain(failure.message) }
            return failure.code
        }
    }

    /// What stands behind `--preset` where there is no subcommand: the preset says which.
    private func presetName(_ words: [String]) throws(Failure) -> (name: String, rest: [String])? {
        guard let first = words.first, first.hasPrefix("-") else { return nil }
        guard let place = LeadingOptions.presetPlace(words) else {
            throw Failure(.usage, "a subcommand is missing after \(shown(first)); see iounit --help")
        }
        var rest = words
        var name = String(rest.remove(at: place).dropFirst("--preset=".count))
        if words[place] == "--preset" {
            guard rest.indices.contains(place) else {
                throw Failure(.usage, "--preset needs a name; see iounit preset list")
            }
            name = rest.remove(at: place)
        }
        return (name, rest)
    }

    private func run(subcommand words: [String]) throws -> ExitCode {
        let (first, rest) = (words[0], Array(words.dropFirst()))
        guard let subcommand = subcommands.first(where: { $0.syntax.name == first }) else {
            let names = subcommands.map(\.syntax.name)
            let near = Synonyms.subcommand(first, among: names) ?? nearest(to: first, among: names)
            throw Failure(
                .usage,
                "there is no subcommand \"\(shown(first))\"; \(near.map { "did you mean \($0)?" } ?? "see iounit --help")"
            )
        }
        if wantsHelp(rest) { return try StandardOutput.print(subcommand.syntax.help(.standardOutput)) }
        let own = try Settings(rest, subcommand.syntax) { try settings() }
        do {
            return try subcommand.read(own.words)()
        } catch {
            throw own.blamed(Failure.from(error))
        }
    }

    /// The user's settings; `nil` where there are none.
    private func settings() throws -> SettingsFile? {
        guard let place = SettingsPlace(), let text = try place.read() else { return nil }
        return try SettingsFile(text, path: place.path, syntaxes: syntaxes)
    }

    /// Behind `--` no word is an option.
    private func wantsHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { ["--help", "-h"].contains($0) }
    }

    private func help(_ words: [String]) throws -> ExitCode {
        guard let word = words.first else { return try StandardOutput.print(overview) }
        if word.hasPrefix("--") { return try StandardOutput.print(InstalledHelp(syntaxes).text(words)) }
        guard let text = help(on: word) else {
            let names = subcommands.map(\.syntax.name) + Topic.all.map(\.name)
            let meant = Synonyms.subcommand(word, among: names).map { "did you mean \($0)?" }
            let near = meant ?? didYouMean(word, among: names) ?? "see iounit help topics"
            throw Failure(.usage, "there is no help on \"\(shown(word))\"; \(near)")
        }
        guard words.count == 1 else {
            throw Failure(.usage, "help explains one thing at a time: leave out \"\(shown(words[1]))\"")
        }
        return try StandardOutput.print(text)
    }

    private func help(on name: String) -> String? {
        if name == "topics" { return Topic.list(.standardOutput) }
        if ["help", "version"].contains(name) { return overview }
        let subcommand = subcommands.first { $0.syntax.name == name }
        return subcommand?.syntax.help(.standardOutput)
            ?? Topic.all.first { $0.name == name }?.text(.standardOutput, syntaxes)
    }

    /// Answers a shell while a line is being typed, where nothing is wrong yet: a server that is not there has no ports.
    private func complete(_ words: [String]) throws(Failure) -> ExitCode {
        guard words.count > 2, words[1] == "--", let shell = CompletionScript(rawValue: words[0]) else {
            throw Failure(
                .usage, "iounit complete is called by shells: by what iounit help --completion SHELL prints")
        }
        let answer = Completion(Array(words.dropFirst(2)), syntaxes).answer(shell)
        try StandardOutput.print(answer.lines.joined(separator: "\n"))
        return answer.command.isEmpty ? .done : (try? run(subcommand: answer.command)) ?? .done
    }

    private var overview: String {
        let rows = subcommands.map { (name: $0.syntax.name, meaning: $0.syntax.summary) }
        let names = Topic.all.map(\.name).joined(separator: ", ")
        let text = HelpText.standardOutput
        let paragraphs = [
            "iounit SUBCOMMAND --help (-h) explains a subcommand, iounit --version (-V) names the version.",
            "iounit help TOPIC explains \(names); iounit help topics says what each of them is about.",
        ]
        let lines =
            ["iounit - a low-latency audio I/O unit for JACK", "", "usage: iounit SUBCOMMAND [options]", ""]
            + text.table(rows, column: 18) + paragraphs.flatMap { [""] + text.wrapped($0) }
        return lines.joined(separator: "\n")
    }

    private func version(_ words: [String]) throws -> ExitCode {
        guard words.isEmpty || words == ["--verbose"] else {
            throw Failure(.usage, "--version takes nothing after it but --verbose")
        }
        let lines = words.isEmpty ? [] : ["date \(Release.date)"] + details()
        return try StandardOutput.print((["iounit \(Release.version)"] + lines).joined(separator: "\n"))
    }
}

/// Passwords that somebody wrote on the command line, as in `icecast://source:PASSWORD@HOST`.
enum HiddenPasswords {
    private static let scheme = "icecast://"

    /// Takes them out of what `ps` and `/proc` show of this process. Until then they are seen, and a shell may keep them: a
    /// file or a variable is better.
    ///
    /// - Parameter words: the arguments, which must have been copied before.
    static func wipe(_ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
        for index in 0..<count {
            // SAFETY: so many words, each of which ends with a NUL.
            guard let word = unsafe words[index], unsafe strstr(word, scheme) != nil else { continue }
            let text = unsafe Array(UnsafeBufferPointer(start: word, count: strlen(word)))
            guard let kept = without(text) else { continue }
            unsafe memset(word, 0, text.count)
            for (place, character) in kept.enumerated() { unsafe word[place] = character }
        }
    }

    /// The word without its password; `nil` where it has none.
    static func without(_ word: [CChar]) -> [CChar]? {
        let bytes = word.map { UInt8(bitPattern: $0) }
        guard let start = bytes.firstRange(of: Array(scheme.utf8))?.upperBound,
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), start <= at,
            let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return Array(word[..<colon] + word[at...])
    }
}
