import AudioDSP
import AudioFigures
import AudioReports
import Foundation
import Jack

/// The command: finds the subcommand, and turns failures into a sentence on stderr and an exit code.
@main
struct Command {
    /// The one place of it: manual pages, packages, reports and recordings take it from here.
    static let version = "0.1.0"
    /// The day of that version, as in the README's list of changes.
    static let versionDate = "2026-11-23"

    static func main() {
        let words = CommandLine.arguments
        // SAFETY: the words of this process, of which there is a copy now.
        unsafe HiddenPasswords.wipe(CommandLine.unsafeArgv, count: words.count)
        reserveStandardDescriptors()
        // For its date.
        _ = Provenance.current
        // Nobody reads any more, or a file may not grow: errors like any other, and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let code = run(Array(words.dropFirst()))
        StandardError.flush()
        exit(code.rawValue)
    }

    /// Where one of the standard descriptors is closed, the next file or socket would get its number, and what is
    /// printed would go there.
    private static func reserveStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // For reading: to write there fails, as it should.
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    /// In the order of the overview.
    static let subcommands: [Subcommand] = [
        Subcommand(MonitorOptions.syntax) { words in
            let options = try MonitorOptions(words)
            return { try MonitorCommand(options).run() }
        },
        Subcommand(CompareOptions.syntax) { words in
            let options = try CompareOptions(words)
            return { try CompareCommand(options).run() }
        },
        Subcommand(JitterOptions.syntax) { words in
            let options = try JitterOptions(words)
            return { try JitterCommand(options).run() }
        },
        Subcommand(LatencyOptions.syntax) { words in
            let options = try LatencyOptions(words)
            return { try LatencyCommand(options).run() }
        },
        Subcommand(DiffOptions.syntax) { words in
            let options = try DiffOptions(words)
            return { try DiffCommand(options).run() }
        },
        Subcommand(HistoryOptions.syntax) { words in
            let options = try HistoryOptions(words)
            return { try HistoryCommand(options).run() }
        },
        Subcommand(RecordOptions.syntax) { words in
            let options = try RecordOptions(words)
            return { try RecordCommand(options).run() }
        },
        Subcommand(PlayOptions.syntax) { words in
            let options = try PlayOptions(words)
            return { try PlayCommand(options).run() }
        },
        Subcommand(SendOptions.syntax) { words in
            let options = try SendOptions(words)
            return { try SendCommand(options).run() }
        },
        Subcommand(ReceiveOptions.syntax) { words in
            let options = try ReceiveOptions(words)
            return { try ReceiveCommand(options).run() }
        },
        Subcommand(BeatOptions.syntax) { words in
            let options = try BeatOptions(words)
            return { try ListenCommand(options.listen, BeatListener()).run() }
        },
        Subcommand(TuneOptions.syntax) { words in
            let options = try TuneOptions(words)
            return { try ListenCommand(options.listen, TuneListener(reference: options.reference)).run() }
        },
        Subcommand(MonitorOptions.serveSyntax) { words in
            let options = try MonitorOptions(words, servesPage: true)
            return { try MonitorCommand(options).run() }
        },
        Subcommand(ConvertOptions.syntax) { words in
            let options = try ConvertOptions(words)
            return {
                var command = ConvertCommand(options)
                return try command.run()
            }
        },
        Subcommand(PictureOptions.syntax) { words in
            let options = try PictureOptions(words)
            return { try PictureCommand(options).run() }
        },
        Subcommand(InfoOptions.syntax) { words in
            let options = try InfoOptions(words)
            return { try InfoCommand(options).run() }
        },
        Subcommand(PortsCommand.syntax) { words in
            let command = try PortsCommand(words)
            return { try command.run() }
        },
        Subcommand(DoctorCommand.syntax) { words in
            let command = try DoctorCommand(words)
            return { try command.run() }
        },
        Subcommand(PresetOptions.syntax) { words in
            let options = try PresetOptions(words)
            return { try PresetCommand(options: options, subcommands: Command.subcommands).run() }
        },
    ]

    /// Of the subcommands, in the order of the help.
    static var syntaxes: [Syntax] { subcommands.map(\.syntax) }

    static func run(_ words: [String]) -> ExitCode {
        do {
            if let session = SessionCommand(words), let code = try session.run(settings) { return code }
            guard let first = words.first else { return try print(overview) }
            let rest = Array(words.dropFirst())
            switch first {
            case "--help", "-h", "help": return try help(rest)
            case "--version", "-V", "version": return try version(rest)
            default: break
            }
            if let name = try presetName(words) {
                guard let preset = try settings()?.preset(name.name) else {
                    throw Failure(
                        .usage, "there is no preset \"\(shown(name.name))\"; see iounit preset list")
                }
                return try run(subcommand: [preset.subcommand, "--preset=\(name.name)"] + name.rest)
            }
            return try run(subcommand: words)
        } catch {
            let failure = Failure.from(error)
            complain(failure.message)
            return failure.code
        }
    }

    /// What stands behind `--preset` where no subcommand is before it: the preset says which.
    private static func presetName(_ words: [String]) throws(Failure) -> (name: String, rest: [String])? {
        if words[0].hasPrefix("--preset=") { return (String(words[0].dropFirst(9)), Array(words.dropFirst())) }
        guard words[0] == "--preset" else { return nil }
        guard words.count > 1 else { throw Failure(.usage, "--preset needs a name; see iounit preset list") }
        return (words[1], Array(words.dropFirst(2)))
    }

    /// - Parameter words: a subcommand, and what is behind it.
    private static func run(subcommand words: [String]) throws -> ExitCode {
        let (first, rest) = (words[0], Array(words.dropFirst()))
        guard let subcommand = subcommands.first(where: { $0.syntax.name == first }) else {
            let names = subcommands.map(\.syntax.name)
            let near = Synonyms.subcommand(first, among: names) ?? nearest(to: first, among: names)
            throw Failure(
                .usage,
                "there is no subcommand \"\(shown(first))\"; \(near.map { "did you mean \($0)?" } ?? "see iounit --help")"
            )
        }
        if wantsHelp(rest) { return try print(subcommand.syntax.help) }
        let own = try Settings(rest, subcommand.syntax) { try settings() }
        do {
            return try subcommand.read(own.words)()
        } catch {
            throw own.blamed(Failure.from(error))
        }
    }

    /// The user's settings; `nil` where there are none.
    private static func settings() throws -> SettingsFile? {
        guard let place = SettingsPlace(), let text = try place.read() else { return nil }
        return try SettingsFile(text, path: place.path, syntaxes: subcommands.map(\.syntax))
    }

    private static func wantsHelp(_ words: [String]) -> Bool { words.contains("--help") || words.contains("-h") }

    private static func help(_ words: [String]) throws -> ExitCode {
        guard let word = words.first else { return try print(overview) }
        if word.hasPrefix("--") { return try print(InstalledHelp.text(words)) }
        if let subcommand = subcommands.first(where: { $0.syntax.name == word }) {
            return try print(subcommand.syntax.help)
        }
        if word == "topics" { return try print(Topic.list) }
        if let topic = Topic.all.first(where: { $0.name == word }) { return try print(topic.text()) }
        throw Failure(.usage, "there is no help on \"\(shown(word))\"; see iounit help topics")
    }

    private static var overview: String {
        let rows = subcommands.map { (name: $0.syntax.name, meaning: $0.syntax.summary) }
        let topics = HelpText.wrapped(
            "iounit help TOPIC explains \(Topic.all.map(\.name).joined(separator: ", ")); iounit help topics says what each of "
                + "them is about.")
        return """
            iounit - a low-latency audio I/O unit for JACK

            usage: iounit SUBCOMMAND [options]

            \(HelpText.table(rows, column: 18).joined(separator: "\n"))

            iounit SUBCOMMAND --help (-h) explains a subcommand, iounit --version (-V) names
            the version.

            \(topics.joined(separator: "\n"))
            """
    }

    private static func version(_ words: [String]) throws -> ExitCode {
        guard words.isEmpty || words == ["--verbose"] else {
            throw Failure(.usage, "--version takes nothing behind it but --verbose")
        }
        guard !words.isEmpty else { return try print("iounit \(version)") }
        return try print(
            """
            iounit \(version)
            date \(versionDate)
            libjack \(LibJack.version)
            guard \(CancellationGuard.state.rawValue)
            instructions \(InstructionSet.best.name)
            """)
    }

    /// Prints a line of results on stdout.
    @discardableResult
    static func print(_ text: String) throws(Failure) -> ExitCode {
        // In the order in which it was said, where both go to one place.
        StandardError.flush()
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            // Foundation's own words for it are a domain and a number.
            let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? Int(EIO)
            let reason = unsafe String(cString: strerror(CInt(code)))
            throw Failure(.inputOutput, "cannot write to the standard output: \(reason)")
        }
        return .done
    }

    /// Says something that is not a result, on stderr. Never waits.
    static func complain(_ message: String) { StandardError.write("iounit: \(shown(message))\n") }
}
