import Jack

/// What an engine is in JACK's graph: its client, its ports and where they lead. Checked once, when the engine is made.
public struct EngineConfiguration: Sendable, Equatable {
    /// The JACK client's name; JACK may append a number where it is taken.
    public var clientName = "iounit"
    /// Refuses to start where the name is taken, rather than take another.
    public var requiresExactName = false
    /// Which server; `nil` for the default one.
    public var serverName: String?
    /// Ports `in_1 … in_N`. 0…256.
    public var inputChannels = 2
    /// Ports `out_1 … out_N`. 1…256.
    public var outputChannels = 2
    /// How long a change of a parameter or a connection takes, in milliseconds. 0…1000; 0 clicks.
    public var rampMilliseconds = 10.0
    /// Where the inputs' sound comes from.
    public var inputs = Route.physical
    /// Where the outputs' sound goes.
    public var outputs = Route.physical
    /// Looks at the routes again when ports come and go, as when a headset is plugged in that `Route.firstOf` names first, and
    /// moves the connections that they made: an event tells (`routeChanged`). Off, connections stay as they were made at the
    /// start, and come back with their ports.
    public var followsRoutes = false
    /// Ports `midi_in` and `midi_out`, and what they are connected to; `nil` for none.
    public var midi: MIDIRoute?
    /// Whether JACK's transport starts and stops what the engine does.
    public var transport = TransportUse.none

    /// Two inputs and two outputs, connected to the card of the default server.
    public init() {}

    func check() throws(UnitError) {
        try UnitConfiguration.check(inputChannels, 0...256, "a number of inputs")
        try UnitConfiguration.check(outputChannels, UnitConfiguration.channelRange, "a number of outputs")
        try UnitConfiguration.check(rampMilliseconds, 0...1000, "a ramp in milliseconds")
    }

    /// The ports that the routes lead to, by their full names, before the unit is in the graph: those that the inputs would
    /// hear, and those that would hear the outputs.
    ///
    /// - Throws: `nothingMatches`, `jack`.
    package func partners(
        on client: borrowing some JackClient & ~Copyable
    ) throws(UnitError) -> (sources: [String], targets: [String]) {
        (
            try inputs.resolve(.output, on: client, ownName: nil),
            try outputs.resolve(.input, on: client, ownName: nil)
        )
    }
}

/// What JACK's transport means to an engine.
public enum TransportUse: Sendable, Equatable {
    /// Nothing: it is not looked at.
    case none
    /// Each block that goes to a tap says where the transport is, so that a recorder can begin and end with it.
    case observed
    /// As `observed`, and the transport waits until players that follow it (`Player.follow`) can play from the frame where it
    /// starts: a slow-sync client. It waits for JACK's sync timeout at the most: 10 s in jackd2, 2 s in jackd1, counted in cycles,
    /// so that a server that freewheels waits for less.
    case synchronised
}
