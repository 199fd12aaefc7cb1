import CommandSyntax
import MeasuringCommands
import ServerRuns

/// The subcommands that measure, without the live ones. `Tools/iounit` builds it because it takes less time. It is
/// never installed.
@main
struct Measuring {
    static func main() {
        Program([.compare, .jitter(.none), .latency, .diff, .history, .ports, .doctor], details: Release.details).main()
    }
}
