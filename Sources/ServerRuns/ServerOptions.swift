import CommandSyntax
import Jack

package struct ServerOptions {
    /// A server that runs; `nil` for the default one.
    package var name: String?
    /// The private server to start; `nil` for one that runs.
    package var dummy: ServerConfiguration?
    /// Whether the server runs as fast as it can while the run lasts.
    package let freewheels: Bool

    /// Of a subcommand whose run can go on without a clock.
    package static let freewheel = Option(
        flag: "freewheel",
        "let the server of --dummy, or of --server NAME, run as fast as it can until the run ends; nobody hears it"
    )
    // A forgotten option must not take the sound card away from other clients of the default server.
    .needs(["dummy", "server"], "it takes the sound card away from all clients of a server")
    .kept(.run)

    private static let server = Option(
        "server", short: "s", "NAME", "name of a running JACK server (the default server)"
    )
    .replaces(["rate", "period", "sync"])
    private static let dummy = Option(
        flag: "dummy", "start a private server on the dummy backend, and stop it at the end"
    )
    .excludes(["server"], "one names a server that runs, the other starts one")
    .excludes(["reconnect"], "a private server ends with iounit, and nobody starts it again")
    .replaces(["reconnect-limit"])
    /// A run without a server has it too.
    package static let rate = TypedOption<Int>.number(
        "rate", .hertz, ServerConfiguration.sampleRates, initial: usual.sampleRate,
        "sample rate of the private server, as 44100 or 44.1k"
    ).with {
        ofPrivate($0).usableOffline().mistaken(for: [
            ("file-rate", "the sample rate of the files"), ("stream-rate", "the sample rate of the stream"),
        ])
    }
    /// Likewise, and with bounds and a default of its own.
    package static let period = FrameOption(
        "period", short: "p", ServerConfiguration.periods, initial: usual.periodFrames, "period of the private server"
    ) { ofPrivate($0).usableOffline() }
    private static let usual = ServerConfiguration()
    private static let sync = ofPrivate(Option(flag: "sync", "let the private server run in sync mode"))

    private static func ofPrivate(_ option: Option) -> Option {
        option.needs(["dummy", "offline"]).replaces(["server", "reconnect", "reconnect-limit"])
    }

    package static let group = optionGroup("Server", server, dummy, rate.option, period.option, sync)
    /// Of a subcommand whose run can go on without a clock.
    package static let freewheelingGroup = (heading: group.heading, options: group.options + [freewheel])

    /// - Parameters:
    ///   - channels: how many ports the private server's pretended card must have at least.
    ///   - isOffline: whether there is no server, and rate and period are the run's own.
    package init(_ arguments: Arguments, channels: Int = 2, isOffline: Bool = false) throws(Failure) {
        name = arguments.word(of: Self.server)
        try arguments.require(
            name.map { (1...Client.longestServerName).contains($0.utf8.count) } ?? true,
            "--server takes a name of 1 to \(Client.longestServerName) bytes; choose another", of: "server")
        freewheels = arguments.has(Self.freewheel)
        guard !isOffline, arguments.has(Self.dummy) else { return }
        var configuration = ServerConfiguration()
        configuration.sampleRate = try arguments.value(of: Self.rate)
        configuration.periodFrames = try arguments.value(of: Self.period, sampleRate: configuration.sampleRate)
        configuration.isSync = arguments.has(Self.sync)
        configuration.captureChannels = max(2, channels)
        configuration.playbackChannels = max(2, channels)
        dummy = configuration
    }

    /// Starts the private server, if one is asked for.
    package func start() throws(JackError) -> Server? {
        guard let dummy else { return nil }
        return try Server(dummy)
    }
}
