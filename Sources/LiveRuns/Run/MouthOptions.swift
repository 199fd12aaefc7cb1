import AudioIO
import CommandSyntax
import ServerRuns

/// Options of which those about the unit are `MouthOptions`.
package protocol MouthsOptions: LiveOptions {
    var mouth: MouthOptions { get }
}

extension MouthsOptions {
    package var engine: EngineConfiguration { mouth.engine }
    package var portWait: PortWait? { mouth.portWait }
}

/// The options about the unit of a subcommand that gives sound to the graph and takes none.
package struct MouthOptions {
    /// What the unit is in JACK's graph; how many outputs it has may be found out later.
    package var engine = EngineConfiguration()
    package let gainDecibels: Double
    /// `nil` where no ports are waited for.
    let portWait: PortWait?
    /// What it has beside: a page, OSC, MIDI.
    package private(set) var parts: PartChoices

    /// - Parameter channels: how many outputs.
    package static func group(_ channels: Option) -> (heading: String, options: [Option]) {
        (
            "Connections",
            [
                channels, RunOptions.name.option,
                Option(
                    "output", "PATTERN",
                    "send the sound to the ports whose name matches (a regular expression), or to none; "
                        + "may be repeated, the first match wins"),
                Option(Gain.info, initial: "0, which changes no bit"),
                PortWait.option, RouteOptions.follow, RouteOptions.none,
            ]
        )
    }

    /// - Parameter list: which parts there can be.
    package init(
        _ arguments: Arguments, _ server: ServerOptions, parts list: any PartList.Type
    ) throws(Failure) {
        gainDecibels = try arguments.number(of: Gain.info)
        portWait = try PortWait(arguments)
        parts = try PartChoices(arguments, of: list)
        engine.clientName = try arguments.value(of: RunOptions.name)
        engine.serverName = server.name
        engine.inputChannels = 0
        engine.inputs = .none
        engine.outputs = try RouteOptions.route(
            arguments, "output", default: arguments.has("no-connect") ? .none : .physical)
        engine.followsRoutes = arguments.has("follow-routes")
        try parts.prepare(&engine, on: server)
    }
}
