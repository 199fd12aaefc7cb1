import AudioPlugins
import AudioReports

extension PluginReport {
    /// - Parameters:
    ///   - word: as the option has it.
    ///   - timesLate: how often it was named.
    ///   - changes: of its latency.
    init(_ plugin: Plugin, _ word: String, timesLate: Int, _ changes: [LatencyChange]) {
        let run = plugin.longestRun
        self.init(
            uri: plugin.info.uri, name: plugin.info.name, setting: word, instances: plugin.instanceCount,
            latencyFrames: plugin.latencyFrames, latencyChanges: changes, nonFiniteSamples: plugin.nonFiniteSamples,
            lostMessages: plugin.lostMessages, longestRunMilliseconds: Double(run.nanoseconds) / 1e6,
            longestRunShare: run.share, timesLate: timesLate)
    }
}
