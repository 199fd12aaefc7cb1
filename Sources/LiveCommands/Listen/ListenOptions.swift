import AudioReports
import CommandSyntax
import LiveRuns
import ServerRuns

/// The options of a subcommand that listens, to the ports of a server or to a file.
struct ListenOptions {
    /// `nil` for the ports of a server.
    let path: String?
    let unit: UnitOptions
    let seconds: Double?

    /// The options that mean something where a file is named.
    static let ofFiles: Set<String> = [RunOptions.seconds.option.name, "json"]
    private static let deed = UnitOptions.Deed("hear", "heard")
    private static let channels = UnitOptions.channels(place: "one sound together", initial: 1)

    /// - Parameters:
    ///   - report: what `--json` prints.
    ///   - options: those that only this subcommand has.
    static func groups(
        _ report: ReportKind, _ options: (heading: String, options: [Option])? = nil
    ) -> [(heading: String, options: [Option])] {
        [
            ServerOptions.group,
            UnitOptions.group(to: deed, channels.option),
        ]
            + (options.map { [$0] } ?? []) + SideParts.groups
            + [RunOptions.group(report, first: [RunOptions.seconds.option])]
    }

    init(_ arguments: Arguments, _ syntax: Syntax) throws(Failure) {
        try arguments.require(arguments.operands.count <= 1, "\(syntax.name) listens to one file at a time")
        path = arguments.operands.first
        unit = try UnitOptions(
            to: Self.deed, arguments, channels: try arguments.value(of: Self.channels), parts: SideParts.self)
        seconds = try arguments.value(of: RunOptions.seconds)
    }
}
