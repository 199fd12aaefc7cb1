import AudioIO
import CommandSyntax
import ServerRuns
import TerminalPages

/// Options of which those about the unit are `EarOptions`.
package protocol EarsOptions: LiveOptions {
    var ear: EarOptions { get }
}

extension EarsOptions {
    package var engine: EngineConfiguration { ear.engine }
    package var portWait: PortWait? { ear.portWait }
}

/// The options about the unit of a subcommand that takes sound out of the graph and leaves it alone.
package struct EarOptions {
    /// What the unit is in JACK's graph.
    package var engine = EngineConfiguration()
    var gainDecibels: Double
    /// `nil` for the inputs.
    let source: SourceOptions?
    /// `nil` where no ports are waited for.
    let portWait: PortWait?
    /// What it has beside: a page, OSC, MIDI.
    private(set) var parts: PartChoices

    /// - Parameters:
    ///   - verb, done: what is done to the sound, as in `send` and `sent`.
    ///   - channels: see `channels(place:initial:)`.
    package static func group(
        to verb: String, done: String, _ channels: TypedOption<Int>
    ) -> (heading: String, options: [Option]) {
        (
            "Connections",
            [
                channels.option,
                RunOptions.name.option,
                Option(
                    "input", "PATTERN",
                    "take the sound from the ports whose name matches (a regular expression), or from none; "
                        + "may be repeated, the first match wins (the capture ports)"),
                Option("output", "PATTERN", "also play what is \(done) to the ports whose name matches (none)"),
                Option(Gain.info, initial: "0, which changes no bit"),
                PortWait.option, RouteOptions.follow, RouteOptions.none,
            ] + SourceOptions.options()
        )
    }

    /// How many inputs.
    ///
    /// - Parameter place: where all of them are.
    package static func channels(place: String, initial: Int = 2) -> TypedOption<Int> {
        .number(
            "channels", short: "c", .integer, UnitConfiguration.channelRange, initial: initial,
            "inputs in_1 to in_N, all \(place)")
    }

    /// - Parameter list: which parts there can be.
    package init(
        _ arguments: Arguments, _ server: ServerOptions, channels: Int, parts list: any PartList.Type
    ) throws(Failure) {
        gainDecibels = try arguments.number(of: Gain.info)
        source = try SourceOptions(arguments)
        try arguments.requireFilesApart(["source", "record"])
        portWait = try PortWait(arguments)
        parts = try PartChoices(arguments, of: list)
        engine.clientName = try arguments.value(of: RunOptions.name)
        engine.serverName = server.name
        engine.inputChannels = channels
        engine.outputChannels = channels
        engine.inputs = try RouteOptions.route(
            arguments, "input", default: arguments.has("no-connect") || source != nil ? .none : .physical)
        engine.outputs = try RouteOptions.route(arguments, "output", default: .none)
        engine.followsRoutes = arguments.has("follow-routes")
        try parts.prepare(&engine, on: server)
    }
}
