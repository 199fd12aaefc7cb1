import AudioFiles
import AudioReports
import CommandSyntax
import Glibc
import TerminalPages

/// A subcommand that listens: to what the capture ports bring, or to a file.
struct ListenCommand<Kind: Listener> {
    private let options: ListenOptions
    private let listener: Kind

    init(_ options: ListenOptions, _ listener: Kind) {
        self.options = options
        self.listener = listener
    }

    func run() throws -> ExitCode {
        if let path = options.path { return try look(at: path) }
        let signals = try Signals()
        return try options.unit.perform(signals) { server in
            try ListenSession(options, listener, server: server)
        } loop: {
            ListenLoop($0, signals)
        }
    }

    private func look(at path: String) throws -> ExitCode {
        let reader =
            try path == "-"
            ? SoundFileReader(descriptor: STDIN_FILENO, name: "standard input", accepting: .readablePart)
            : SoundFileReader(path: path, accepting: .readablePart)
        let analyzer = try listener.analyzer(sampleRate: reader.sampleRate, channels: reader.channels)
        var listener = listener
        let most = options.seconds.map { Int($0 * Double(reader.sampleRate)) } ?? .max
        // A reading of each second has all of that second.
        var block = [Float](repeating: 0, count: reader.sampleRate * reader.channels)
        var frames = 0
        while frames < most, case let count = try reader.read(min(reader.sampleRate, most - frames), into: &block),
            count > 0
        {
            analyzer.add(count, of: block)
            frames += count
            listener.note(analyzer, atSeconds: Double(frames) / Double(reader.sampleRate))
        }
        for flaw in reader.flaws { StandardError.complain("\(shown(path)): \(flaw)") }
        let report = ListenReport(
            figures: listener.figures(file: path, seconds: Double(frames) / Double(reader.sampleRate)))
        try StandardOutput.print(options.unit.isJSON ? reportJSON(report) : report.summary)
        return reader.flaws.isEmpty ? .done : .badInput
    }
}
