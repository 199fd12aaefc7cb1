import AudioMeasurement
import AudioReports
import CommandSyntax
import Jack
import ServerRuns
import TerminalPages
import Threads

struct LatencyOptions: SubcommandOptions {
    static let syntax = Syntax(
        name: "latency", summary: "measure the latency of a path, to a fraction of a frame",
        groups: [
            ServerOptions.group,
            optionGroup(
                "Path",
                send.needs([heard.name], "it says where the signal comes back"),
                heard.needs([send.name], "it says where the signal goes"),
                selfLoop.excludes([send.name, heard.name], "it is a path of its own")),
            optionGroup(
                "Run",
                seconds.option,
                expectation.option, limits.option),
            OutputOptions.group(
                .latency, page: "write a page with the correlation that was heard",
                percentiles: "write the latency of each round, in HdrHistogram's format",
                rows: "write a line for each round", cases: "write the expectation and the limits as test cases"),
        ],
        notes: """
            The signal is a slow sweep at -12 dB of full scale, which repeats about every 0.7 seconds; a latency of more
            than that is taken for a shorter one. Turn loudspeakers down before it is sent to them.
            Through a card: --send playback_1 --return capture_1, with a cable from the one socket to the other. Where
            the card takes longer than its ports declare, give jackd's backend half of the extra frames as -I and half
            as -O.
            Through other clients: --send NAME:in_1 --return NAME:out_1.
            On a terminal a page shows meanwhile what is measured; q ends the run with the report so far, as Ctrl-C does.
            --csv and --hgrm have the last 8192 rounds, about an hour and a half.
            What other clients connect to the ports of iounit-latency meanwhile is disconnected, reported and not measured.
            \(ExitCode.interruption)
            Exit code 1: outside --expect or --limit, or nothing was heard that is certain not to be chance.
            """)

    private static let send = Option(
        "send", "PORT", "send the signal to this port: its name, or a regular expression that only one input matches")
    private static let heard = Option(
        "return", "PORT", "receive the signal from this port, an output; see --send")
    private static let selfLoop = Option(
        flag: "self-loop", "connect the probe to itself, which takes exactly one period: a test of the server")
    private static let expectation = TypedOption<LatencyExpectation?>(
        Option(
            "expect", "FRAMES±TOL",
            "fail unless the latency is this, as 64±1 or 64+-1 (±\(LatencyExpectation.tolerance))")
    ) { word, arguments throws(Failure) in
        guard let word else { return nil }
        if let expectation = LatencyExpectation(word) { return expectation }
        throw arguments.usage("--expect takes frames, as in 64±1, not \"\(shown(word))\"", of: "expect")
    }
    private static let limits = TypedOption<[Limit]>.limits(
        of: .latency,
        "fail where a figure is greater: \(Limit.Subject.latency.names.joined(separator: ", ")) (iounit help figures); may be "
            + "repeated")
    private static let seconds = TypedOption<Double>.number(
        "seconds", .seconds, 0.01...86400, initial: 5, "listen for this time",
        more: ", at least about 2; longer, by 10 s at most, where stalls of the server have left nothing to report")

    var server: ServerOptions
    /// The patterns of the one input that the signal goes to and of the one output that it comes back from; `nil` for
    /// the probe's own.
    var ports: (send: String, heard: String)?
    var seconds: Double
    var expectation: LatencyExpectation?
    var limits: [Limit]
    var outputs: OutputOptions

    init(_ arguments: Arguments) throws(Failure) {
        server = try ServerOptions(arguments)
        outputs = try OutputOptions(arguments)
        ports = try Self.ports(arguments)
        seconds = try arguments.value(of: Self.seconds)
        expectation = try arguments.value(of: Self.expectation)
        limits = try arguments.value(of: Self.limits)
    }

    private static func ports(_ arguments: Arguments) throws(Failure) -> (send: String, heard: String)? {
        if arguments.has(selfLoop) { return nil }
        guard let send = arguments.word(of: send), let heard = arguments.word(of: heard) else {
            throw arguments.usage("what is to be measured? Give --send PORT and --return PORT, or --self-loop")
        }
        // An empty expression matches every name, which nobody means.
        try arguments.require(
            !send.isEmpty && !heard.isEmpty, "--send and --return need the name of a port each", of: "send", "return")
        return (send, heard)
    }

    /// Sends the signal along the path, listens, and says what the latency is.
    func run() throws -> ExitCode {
        let signals = try Signals()
        // Before anything is started: a file that cannot be written would make all of it vain.
        let files = try outputs.open()
        let server = try server.start()
        defer { server?.stop() }
        let session = try LatencySession(self, on: server)
        var loop = LatencyLoop(session, signals, seconds: seconds)
        let end = loop.run()
        let report = session.report(end)
        let finish = {
            var attempts = Attempts()
            write(report, session.probe, to: files, &attempts)
            // Only now: a signal before would leave half a file. Printing waits as long as nobody reads, and a signal ends that.
            signals.release()
            attempts.make {
                try StandardOutput.print(
                    outputs.isJSON
                        ? encodeJSON(report) : LatencyTable(report, hasColor: PageFormat().hasColor).text)
            }
            try attempts.end()
        }
        Shutdown.perform(on: server, periodSeconds: report.server.periodSeconds) {
            // A failure to write is no news beside the other one.
            try? finish()
        } leave: {
            session.probe.stop()
        }
        try finish()
        return try code(report, reason: session.probe.lostServerReason)
    }

    private func code(_ report: LatencyReport, reason: String) throws -> ExitCode {
        switch report.end {
        case .serverLost: throw Failure.serverGone(reason)
        case .interrupted, .freewheeling:
            return .interrupted
        case .done:
            for complaint in report.complaints { StandardError.complain(complaint) }
            return report.complaints.isEmpty ? .done : .outsideLimits
        }
    }

    private func write(
        _ report: LatencyReport, _ probe: LatencyProbe, to files: OpenOutputs, _ attempts: inout Attempts
    ) {
        let readings = LatencyRows(probe.readings(), sampleRate: report.server.sampleRate)
        let json = try? encodeJSON(report)
        attempts.make {
            try files.finish("html", with: LatencyPage(report, correlation: probe.correlation(), json: json).text)
        }
        attempts.make { try files.finish("hgrm", with: PercentileFile(readings.histogram).text) }
        attempts.make { try files.finish("csv", with: readings.text) }
        attempts.make { try files.finish("junit", with: JUnitFile(report.head).text) }
    }
}
