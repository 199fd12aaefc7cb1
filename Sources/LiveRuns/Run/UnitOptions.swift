import AudioDSP
import AudioIO
import CommandSyntax
import PluginCommands
import ServerRuns

/// The options that all live subcommands share: the server, the unit in JACK's graph, and what its sound goes through.
package struct UnitOptions {
    package var server: ServerOptions
    /// What to do when the server goes away.
    package let reconnect: ReconnectPolicy
    package let isJSON: Bool
    /// What the unit is in JACK's graph. One that plays may learn later how many outputs it has.
    package var engine = EngineConfiguration()
    package let gainDecibels: Double
    /// In place of the inputs; `nil` for them, or for what plays.
    package private(set) var source: SourceOptions?
    /// In the order of the path; none where none are offered.
    package var plugins: PluginPath
    package let portWait: PortWait?
    /// What it has beside its own work: a page, OSC, MIDI.
    package private(set) var parts: PartChoices
    /// What is done to the sound that comes in; `nil` of a unit that plays.
    let deed: Deed?

    /// What a subcommand does to sound, as in `send` and `sent`.
    package typealias Deed = (verb: String, done: String)

    /// Of a unit that takes sound out of the graph and leaves it alone.
    package init(
        to deed: Deed, _ arguments: Arguments, channels: Int, parts list: any PartList.Type
    ) throws(Failure) {
        try self.init(arguments, channels: channels, list, deed: deed)
        source = try SourceOptions(arguments)
        try arguments.requireFilesApart(["source"])
        engine.inputChannels = channels
        engine.inputs = try RouteOptions.route(
            arguments, RouteOptions.input(),
            default: arguments.has(RouteOptions.none) || source != nil ? .none : .physical)
        engine.outputs = try RouteOptions.route(arguments, RouteOptions.output(), default: .none)
        try parts.prepare(&engine, on: server)
    }

    /// Of a unit that gives sound to the graph and takes none.
    ///
    /// - Parameters:
    ///   - channels: how many outputs, as far as that is known.
    ///   - list: which parts there can be.
    package init(
        playing arguments: Arguments, channels: Int, parts list: any PartList.Type
    ) throws(Failure) {
        try self.init(arguments, channels: channels, list, deed: nil)
        engine.inputChannels = 0
        engine.inputs = .none
        engine.outputs = try RouteOptions.route(
            arguments, RouteOptions.output(), default: arguments.has(RouteOptions.none) ? .none : .physical)
        try parts.prepare(&engine, on: server)
    }

    /// Of a unit that takes sound out of the graph and gives it back.
    ///
    /// - Parameter isOffline: whether there is no server after all.
    package init(
        monitoring arguments: Arguments, channels: Int, parts list: any PartList.Type, isOffline: Bool
    ) throws(Failure) {
        try self.init(arguments, channels: channels, list, deed: ("hear", "heard"), isOffline: isOffline)
        // Before --output and --no-connect are read: the outputs are the far end of voice processing with them too.
        try parts.prepare(&engine, on: server)
        source = try SourceOptions(arguments, usual: server.dummy == nil ? nil : .tone(hertz: 440))
        let connects = !arguments.has(RouteOptions.none)
        engine.inputChannels = channels
        engine.inputs = try RouteOptions.route(
            arguments, RouteOptions.input(), default: connects && source == nil ? .physical : .none)
        engine.outputs = try RouteOptions.route(arguments, RouteOptions.output(), default: connects ? .physical : .none)
    }

    private init(
        _ arguments: Arguments, channels: Int, _ list: any PartList.Type, deed: Deed?, isOffline: Bool = false
    ) throws(Failure) {
        isJSON = arguments.isJSON
        server = try ServerOptions(arguments, channels: channels, isOffline: isOffline)
        reconnect = try ReconnectOptions.policy(arguments)
        gainDecibels = try arguments.number(of: Gain.info)
        portWait = try PortWait(arguments)
        parts = try PartChoices(arguments, of: list)
        plugins = try PluginPath(arguments)
        self.deed = deed
        engine.clientName = try arguments.value(of: RunOptions.name)
        engine.serverName = server.name
        engine.outputChannels = channels
        engine.followsRoutes = arguments.has(RouteOptions.follow)
    }
}

// For the help.
extension UnitOptions {
    /// How many inputs.
    ///
    /// - Parameter place: where all of them are.
    package static func channels(place: String, initial: Int = 2) -> TypedOption<Int> {
        .number(
            "channels", short: "c", .integer, UnitConfiguration.channelRange, initial: initial,
            "inputs in_1 to in_N, all \(place)")
    }

    /// Of a unit that takes sound out of the graph.
    package static func group(to deed: Deed, _ channels: Option) -> OptionGroup {
        group(
            channels,
            [
                RouteOptions.input(usual: " (the capture ports)").option,
                RouteOptions.output("also play what is \(deed.done) to the ports whose name matches (none)").option,
            ], last: SourceOptions.options())
    }

    /// Of a unit that gives sound to the graph.
    package static func group(playing channels: Option) -> OptionGroup {
        group(
            channels,
            [
                RouteOptions.output(
                    "send the sound to the ports whose name matches (a regular expression), or to none; "
                        + "may be repeated, the first match wins"
                ).option
            ])
    }

    private static func group(_ channels: Option, _ routes: [Option], last: [Option] = []) -> OptionGroup {
        let usualGain = "\(shortest(Gain.info.initial.number ?? 0)), which changes no bit"
        return (
            "Connections",
            [channels, RunOptions.name.option] + routes + [
                Option(Gain.info, initial: usualGain),
                PortWait.option(for: routes.map(\.name)), RouteOptions.follow, RouteOptions.none,
            ] + last
        )
    }
}
