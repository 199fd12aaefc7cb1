import AudioIO
import AudioReports
import CommandSyntax
import ServerRuns

/// What `iounit jitter` and `iounit compare` have in common.
struct MeasurementOptions {
    /// Of a log that is reported in place of a server's run.
    let path: String?
    var server: ServerOptions
    var channels: Int
    /// How long to measure, without the warm-up.
    var seconds: Double
    /// See `warmupSeconds(before:)`.
    private let wantedWarmupSeconds: Double
    private let isWarmupGiven: Bool
    var limits: [Limit]
    var outputs: OutputOptions

    static let seconds = TypedOption<Double>.number(
        "seconds", .seconds, 0.1...1e6, initial: 10, "how long to measure, as 10s or 2min")
    static let channels = TypedOption<Int>.number(
        "channels", short: "c", .integer, UnitConfiguration.channelRange, initial: 2, "channels of each unit")
    static let warmup = TypedOption<Double>.number(
        "warmup", .seconds, 0...1e4, initial: 1, "time to run before the measurement, at most as long as it")
    static let limits = TypedOption<[Limit]>.limits(
        of: .mode,
        "the largest permitted value of a figure, as p99=200us, max=2ms, lost=0, xruns=3; may be repeated; if one is "
            + "exceeded the exit code is 1 (iounit help figures)")

    static func output(_ report: ReportKind) -> OptionGroup {
        OutputOptions.group(
            report, page: "write a page with plots",
            percentiles:
                "write the deviations' percentiles for the HdrHistogram plotter; of several modes, a file each, "
                + "with the mode's name before the extension",
            rows: "write every callback", cases: "write a JUnit report with a case for each limit")
    }

    static let from = Option("from", "FILE", "report what an earlier run wrote with --csv; - for the standard input")
        .excludes(
            [
                "server", "dummy", "rate", "period", "sync", "channels", "seconds", "warmup", "csv",
                "cycles", "baseline", "blame", "calibrate", "plugin",
                "sequential", "preset", "queue", "queue-buffers", "queue-format", "queue-realtime",
            ], "the file has been measured already")

    /// What a live view is for, and how a run is ended.
    static let interruption = """
        On a terminal a page shows meanwhile what is measured; q ends the run with the report so far, as Ctrl-C does.
        \(ExitCode.interruption)
        """

    init(_ arguments: Arguments) throws(Failure) {
        path = try arguments.file(Self.from)
        channels = try arguments.value(of: Self.channels)
        server = try ServerOptions(arguments, channels: channels)
        seconds = try arguments.value(of: Self.seconds)
        wantedWarmupSeconds = try arguments.value(of: Self.warmup)
        isWarmupGiven = arguments.has(Self.warmup)
        limits = try arguments.value(of: Self.limits)
        outputs = try OutputOptions(arguments, beside: [Self.from.name])
        // How long so many cycles last is known only when the server is.
        if !arguments.has(JitterOptions.cycles) { _ = try warmupSeconds(before: seconds) }
    }

    /// How long to run before anything is measured: the caches are cold then, and the graph is still being put together.
    ///
    /// - Parameter seconds: how long will be measured.
    /// - Throws: `usage` where a longer warm-up was asked for.
    func warmupSeconds(before seconds: Double) throws(Failure) -> Double {
        guard !isWarmupGiven || wantedWarmupSeconds <= seconds else {
            throw Failure(
                .usage,
                "a run of \(rounded(seconds)) s is shorter than its warm-up of \(rounded(wantedWarmupSeconds)) s; "
                    + "measure for longer or give a shorter --warmup", of: "warmup")
        }
        return min(wantedWarmupSeconds, seconds)
    }
}
