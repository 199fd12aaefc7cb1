import CommandSyntax
import Jack

/// Which server a subcommand runs on.
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
        "let the server of --dummy, or of --server NAME, run as fast as it can until the run ends; nobody hears it")

    package static let group: (heading: String, options: [Option]) = (
        "Server",
        [
            Option("server", short: "s", "NAME", "name of a running JACK server (the default server)"),
            Option(flag: "dummy", "start a private server on the dummy backend, and stop it at the end"),
            Option("rate", "HERTZ", "sample rate of the private server, as 44100 or 44.1k (48000)"),
            Option(
                "period", short: "p", "FRAMES", "period of the private server, 16 to 8192, or its time, as 5ms (64)"),
            Option(flag: "sync", "let the private server run in sync mode"),
        ]
    )

    /// - Parameters:
    ///   - channels: how many ports the private server's pretended card must have at least.
    ///   - isOffline: whether there is no server, and rate and period are the run's own.
    package init(_ arguments: Arguments, channels: Int = 2, isOffline: Bool = false) throws(Failure) {
        name = arguments.value("server")
        freewheels = arguments.has("freewheel")
        // A forgotten option must not take the sound card away from other clients of the default server.
        try arguments.require(
            !freewheels || name != nil || arguments.has("dummy"),
            "--freewheel takes the sound card away from all clients of a server: name it with --server, or use --dummy")
        guard !isOffline else { return }
        guard arguments.has("dummy") else {
            for name in ["rate", "period", "sync"] where arguments.has(name) {
                throw arguments.usage(
                    "--\(name) is for a private server: use it with --dummy"
                        + (name == "rate" ? Self.otherRates(arguments) : ""))
            }
            return
        }
        try arguments.require(
            name == nil, "--server names a server that runs and --dummy starts one: use one of them")
        var configuration = ServerConfiguration()
        configuration.sampleRate = try arguments.hertz("rate", ServerConfiguration.sampleRates) ?? 48000
        configuration.periodFrames =
            try arguments.frames("period", ServerConfiguration.periods, sampleRate: configuration.sampleRate) ?? 64
        configuration.isSync = arguments.has("sync")
        configuration.captureChannels = max(2, channels)
        configuration.playbackChannels = max(2, channels)
        dummy = configuration
    }

    /// The other rates that a subcommand has: who writes `--rate` may mean one of them.
    private static func otherRates(_ arguments: Arguments) -> String {
        let rates = [("file-rate", "the files"), ("stream-rate", "the stream")].filter { arguments.knows($0.0) }
        return rates.isEmpty
            ? "" : "; the sample rate of " + rates.map { "\($0.1) is --\($0.0)" }.joined(separator: ", of ")
    }

    /// Starts the private server, if one is asked for.
    package func start() throws(JackError) -> Server? {
        guard let dummy else { return nil }
        return try Server(dummy)
    }
}
