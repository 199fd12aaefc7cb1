import CommandSyntax
import MeasuringCommands
import ServerRuns

/// What `Tools/iounit` builds for whoever only measures: the command without what is live, in a third of the time. It is
/// never installed.
@main
struct Command {
    static func main() {
        Program([.compare, .jitter, .latency, .diff, .history, .ports, .doctor], details: Release.details).main()
    }
}
