import AudioFiles
import AudioReports
import CommandSyntax
import FileCommands
import LiveRuns
import ServerRuns
import TerminalPages

/// The options of a subcommand that listens, to the ports of a server or to a file.
struct ListenOptions {
    /// `nil` for the ports of a server.
    let path: String?
    let unit: UnitOptions
    let seconds: Double?

    /// The options that mean something where a file is named.
    static let ofFiles: Set<String> = [RunOptions.seconds.option.name, "json"]
    private static let deed: UnitOptions.Deed = ("hear", "heard")
    private static let channels = UnitOptions.channels(place: "one sound together", initial: 1)

    /// - Parameters:
    ///   - report: what `--json` prints.
    ///   - options: those that only this subcommand has.
    static func groups(_ report: ReportKind, _ options: OptionGroup? = nil) -> [OptionGroup] {
        [ServerOptions.group, UnitOptions.group(to: deed, channels.option)]
            + (options.map { [$0] } ?? []) + SideParts.groups
            + [RunOptions.group(.json(report), first: [RunOptions.seconds.option])]
    }

    init(_ arguments: Arguments, _ syntax: Syntax) throws(Failure) {
        try arguments.require(arguments.operands.count <= 1, "\(syntax.name) listens to one file at a time")
        path = arguments.operands.first
        unit = try UnitOptions(
            to: Self.deed, arguments, channels: try arguments.value(of: Self.channels), parts: SideParts.self)
        seconds = try arguments.value(of: RunOptions.seconds)
    }

    /// Listens to what the capture ports bring, or to a file.
    func run(_ listener: some Listener) throws -> ExitCode {
        if let path { return try look(at: path, listener) }
        let signals = try Signals()
        return try unit.perform(
            signals, session: { try ListenSession(self, listener, server: $0) },
            loop: { ListenLoop(session: $0, watch: RunWatch($0, signals, Terminal(), seconds: seconds)) })
    }

    private static let partSamples = 1 << 18

    private func look<Kind: Listener>(at path: String, _ listener: Kind) throws -> ExitCode {
        let reader = try SoundFileReader(operand: path)
        let analyzer: Kind.Log.Analyzer
        do {
            analyzer = try Kind.Log.Analyzer(sampleRate: reader.sampleRate, channels: reader.channels)
        } catch {
            throw Failure(.badInput, "cannot look at \(shown(path)): \(error); convert it before")
        }
        var log = Kind.Log()
        let most = seconds.map { Int($0 * Double(reader.sampleRate)) } ?? .max
        // A second of what a header promises may be a gigabyte.
        let part = max(1, Self.partSamples / reader.channels)
        var block = [Float](repeating: 0, count: part * reader.channels)
        var frames = 0
        while frames < most {
            // A reading of each second has all of that second.
            let rest = min(reader.sampleRate - frames % reader.sampleRate, most - frames)
            let count = try reader.read(min(part, rest), into: &block)
            if count == 0 { break }
            analyzer.add(count, of: block)
            frames += count
            if count == rest { log.note(analyzer, atSeconds: Double(frames) / Double(reader.sampleRate)) }
        }
        if frames < most, frames % reader.sampleRate > 0 {
            log.note(analyzer, atSeconds: Double(frames) / Double(reader.sampleRate))
        }
        for flaw in reader.flaws { StandardError.complain("\(shown(path)): \(flaw)") }
        let report = ListenReport(
            figures: listener.figures(log, file: path, seconds: Double(frames) / Double(reader.sampleRate)))
        try StandardOutput.print(unit.isJSON ? reportJSON(report) : PageFormat().broken(report.summary))
        return reader.flaws.isEmpty ? .done : .badInput
    }
}
