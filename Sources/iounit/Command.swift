import AudioDSP
import AudioReports
import Foundation
import Jack

/// The command: finds the subcommand, and turns failures into a sentence on stderr and an exit code.
@main
struct Command {
    static let version = "0.1.0"

    static func main() {
        let words = CommandLine.arguments
        // SAFETY: the words of this process, of which there is a copy now.
        unsafe HiddenPasswords.wipe(CommandLine.unsafeArgv, count: words.count)
        reserveStandardDescriptors()
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

    /// A subcommand, its explanation, and how it is run with the words behind it.
    private static let subcommands: [(syntax: Syntax, run: @Sendable ([String]) throws -> ExitCode)] = [
        (MonitorOptions.syntax, { try MonitorCommand(MonitorOptions($0)).run() }),
        (CompareOptions.syntax, { try CompareCommand(CompareOptions($0)).run() }),
        (JitterOptions.syntax, { try JitterCommand(JitterOptions($0)).run() }),
        (LatencyOptions.syntax, { try LatencyCommand(LatencyOptions($0)).run() }),
        (RecordOptions.syntax, { try RecordCommand(RecordOptions($0)).run() }),
        (PlayOptions.syntax, { try PlayCommand(PlayOptions($0)).run() }),
        (SendOptions.syntax, { try SendCommand(SendOptions($0)).run() }),
        (ReceiveOptions.syntax, { try ReceiveCommand(ReceiveOptions($0)).run() }),
        (BeatOptions.syntax, { try ListenCommand(BeatOptions($0).listen, BeatListener()).run() }),
        (
            TuneOptions.syntax,
            {
                let options = try TuneOptions($0)
                return try ListenCommand(options.listen, TuneListener(reference: options.reference)).run()
            }
        ),
        (MonitorOptions.serveSyntax, { try MonitorCommand(MonitorOptions($0, servesPage: true)).run() }),
        (
            ConvertOptions.syntax,
            {
                var command = ConvertCommand(try ConvertOptions($0))
                return try command.run()
            }
        ),
        (PictureOptions.syntax, { try PictureCommand(PictureOptions($0)).run() }),
        (InfoOptions.syntax, { try InfoCommand(InfoOptions($0)).run() }),
        (PortsCommand.syntax, { try PortsCommand($0).run() }),
        (DoctorCommand.syntax, { try DoctorCommand($0).run() }),
    ]

    /// What `iounit help` explains beside the subcommands.
    private static let topics: [(name: String, summary: String, text: @Sendable () -> String)] = [
        ("figures", "what is measured, and what it is called in limits and in the JSON", { FigureHelp.text })
    ]

    static func run(_ words: [String]) -> ExitCode {
        do {
            guard let first = words.first else {
                throw Failure(.usage, "a subcommand is missing; see iounit --help")
            }
            let rest = Array(words.dropFirst())
            switch first {
            case "--help", "-h", "help": return try help(rest)
            case "--version": return try version(rest)
            default: break
            }
            guard let subcommand = subcommands.first(where: { $0.syntax.name == first }) else {
                let near = nearest(to: first, among: subcommands.map(\.syntax.name))
                throw Failure(
                    .usage,
                    "there is no subcommand \"\(shown(first))\"; \(near.map { "did you mean \($0)?" } ?? "see iounit --help")"
                )
            }
            if wantsHelp(rest) { return try print(subcommand.syntax.help) }
            return try subcommand.run(rest)
        } catch {
            let failure = Failure.from(error)
            complain(failure.message)
            return failure.code
        }
    }

    private static func wantsHelp(_ words: [String]) -> Bool { words.contains("--help") || words.contains("-h") }

    private static func help(_ words: [String]) throws -> ExitCode {
        guard let word = words.first else { return try print(overview) }
        if let subcommand = subcommands.first(where: { $0.syntax.name == word }) {
            return try print(subcommand.syntax.help)
        }
        if let topic = topics.first(where: { $0.name == word }) { return try print(topic.text()) }
        throw Failure(.usage, "there is no help on \"\(shown(word))\"; see iounit --help")
    }

    private static var overview: String {
        let rows =
            subcommands.map { ($0.syntax.name, $0.syntax.summary) }
            + topics.map { ("help \($0.name)", $0.summary) }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { "  " + $0.0.padding(toLength: width + 3, withPad: " ", startingAt: 0) + $0.1 }
        return """
            iounit - a low-latency audio I/O unit for JACK

            usage: iounit SUBCOMMAND [options]

            \(lines.joined(separator: "\n"))

            iounit SUBCOMMAND --help explains a subcommand, iounit --version names the version.
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
