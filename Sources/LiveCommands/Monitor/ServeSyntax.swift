import AudioStreaming
import CommandSyntax
import LiveRuns
import ServerRuns

extension MonitorOptions {
    /// Of `iounit serve`: what `monitor` has, with a page in any case.
    static let serveSyntax = Syntax(
        name: "serve", summary: "show the unit on a page in the browser, and let it be heard there",
        groups: [ServerOptions.group, PageOptions.serveGroup] + unitGroups
            + VoiceParts.groups.filter { $0.heading != PageOptions.group.heading } + [runGroup],
        notes: """
            It is iounit monitor with a page, at http://127.0.0.1:\(PageAddress.usualPort)/. There also are:
              \(PageServer.streamPaths.joined(separator: ", "))  endless files for any player
              /stream?codec=opus   a WebSocket of packets (iounit.stream/1)
              /status.json         the figures of --json as of now
              /metrics             OpenMetrics for Prometheus
              /healthz             200, or 503 and why, for a watchdog
            Fields of the JSON: iounit help figures.
            Exit codes: 68 for a name that stands for no address, 73 for a port that is taken, 77 for one that this user may
            not have.
            \(ExitCode.interruption)
            Keys on a terminal as in iounit monitor.
            """)
}
