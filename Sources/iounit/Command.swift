import Foundation
import Jack

/// The command: finds the subcommand, and turns failures into a sentence on stderr and an exit code.
@main
struct Command {
    static let version = "0.1.0"

    static func main() {
        reserveStandardDescriptors()
        // Nobody reads any more, or a file may not grow: errors like any other, and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Where one of the standard descriptors is closed, the next file or socket would get its number, and what is
    /// printed would go there.
    private static func reserveStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // For reading: to write there fails, as it should.
            _ = unsafe open("/dev/null", O_RDONLY)
        }
    }

    private static let subcommands = ["monitor", "latency", "ports"]

    static func run(_ words: [String]) -> ExitCode {
        do {
            guard let first = words.first else {
                throw Failure(.usage, "a subcommand is missing; see iounit --help")
            }
            let rest = Array(words.dropFirst())
            switch first {
            case "--help", "-h", "help": return try help(rest)
            case "--version": return try version(rest)
            case "monitor":
                if wantsHelp(rest) { return try print(MonitorOptions.syntax.help) }
                return try MonitorCommand(MonitorOptions(rest)).run()
            case "latency":
                if wantsHelp(rest) { return try print(LatencyOptions.syntax.help) }
                return try LatencyCommand(LatencyOptions(rest)).run()
            case "ports":
                if wantsHelp(rest) { return try print(PortsCommand.syntax.help) }
                return try PortsCommand(rest).run()
            default:
                let near = nearest(to: first, among: subcommands).map { "did you mean \($0)?" } ?? "see iounit --help"
                throw Failure(.usage, "there is no subcommand \"\(shown(first))\"; \(near)")
            }
        } catch {
            let failure = Failure.from(error)
            complain(failure.message)
            return failure.code
        }
    }

    private static func wantsHelp(_ words: [String]) -> Bool { words.contains("--help") || words.contains("-h") }

    private static func help(_ words: [String]) throws -> ExitCode {
        switch words.first {
        case "monitor": try print(MonitorOptions.syntax.help)
        case "latency": try print(LatencyOptions.syntax.help)
        case "ports": try print(PortsCommand.syntax.help)
        case .some(let word): throw Failure(.usage, "there is no subcommand \"\(shown(word))\"; see iounit --help")
        case nil:
            try print(
                """
                iounit - a low-latency audio I/O unit for JACK

                usage: iounit SUBCOMMAND [options]

                  monitor   render input to output live: gain, waveshaper, meters, recording
                  latency   measure how long a way takes, to a fraction of a frame
                  ports     list the ports of a JACK server

                iounit SUBCOMMAND --help explains a subcommand, iounit --version names the version.
                """)
        }
    }

    private static func version(_ words: [String]) throws -> ExitCode {
        guard words.isEmpty else { throw Failure(.usage, "--version takes nothing behind it") }
        return try print("iounit \(version)")
    }

    /// Prints a line of results on stdout.
    @discardableResult
    static func print(_ text: String) throws(Failure) -> ExitCode {
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

    /// Says something that is not a result, on stderr. If nobody listens there is nobody to tell.
    static func complain(_ message: String) {
        try? FileHandle.standardError.write(contentsOf: Data("iounit: \(shown(message))\n".utf8))
    }
}
