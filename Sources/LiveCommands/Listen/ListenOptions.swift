import AudioIO
import AudioReports
import CommandSyntax
import Jack
import LiveRuns
import ServerRuns

/// The options of a subcommand that listens, to the ports of a server or to a file.
struct ListenOptions: EarsOptions {
    /// `nil` for the ports of a server.
    let path: String?
    var server: ServerOptions
    /// What the unit is in JACK's graph.
    var ear: EarOptions
    var seconds: Double?
    var reconnect: ReconnectPolicy
    var isJSON: Bool

    private static let channels = EarOptions.channels(place: "one sound together", initial: 1)

    /// - Parameters:
    ///   - report: what `--json` prints.
    ///   - options: those that only this subcommand has.
    static func groups(
        _ report: ReportKind, _ options: (heading: String, options: [Option])? = nil
    ) -> [(heading: String, options: [Option])] {
        [
            ServerOptions.group,
            EarOptions.group(to: "hear", done: "heard", channels),
        ]
            + (options.map { [$0] } ?? []) + SideParts.groups
            + [RunOptions.group(report, first: [RunOptions.seconds.option])]
    }

    init(_ arguments: Arguments, _ syntax: Syntax) throws(Failure) {
        isJSON = arguments.has("json")
        try arguments.require(arguments.operands.count <= 1, "\(syntax.name) listens to one file at a time")
        path = arguments.operands.first
        let channels = try arguments.value(of: Self.channels)
        server = try ServerOptions(arguments, channels: channels)
        reconnect = try ReconnectOptions.policy(arguments, server)
        seconds = try arguments.value(of: RunOptions.seconds)
        ear = try EarOptions(arguments, server, channels: channels, parts: SideParts.self)
    }
}
