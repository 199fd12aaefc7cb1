import AudioPlugins
import AudioReports

/// A plug-in of a run, as the JSON has it.
package struct PluginReport: Reported {
    var uri: String
    var name: String
    var setting: String
    var instances: Int
    var latencyFrames: Int
    var longestRun: PluginRunTime
    var timesLate: Int
    package var nonFiniteSamples: UInt64
    var lostMessages: UInt64

    package static let fields: [ReportField<Self>] = [
        .field("uri", "of the plug-in", \.uri),
        .field("name", "its name", \.name),
        .field("setting", "as --plugin takes it, as it stood at the end", \.setting),
        .field("instances", "how often it was run side by side", \.instances),
        .field(
            "latencyFrames", "how much later the sound left it, as it tells", unit: .frames, \.latencyFrames),
        .field(
            "nonFiniteSamples", "samples of it that were NaN, infinite or beyond 1e13, and became silence",
            \.nonFiniteSamples),
        .field(
            "lostMessages",
            "MIDI messages to it or of it that found no room, and of those that it made the ones of no channel",
            \.lostMessages),
        .field(
            "longestRunMilliseconds", "the longest time that its run() took in a cycle, all instances together",
            unit: .milliseconds
        ) { Double($0.longestRun.nanoseconds) / 1e6 },
        .field("longestRunShare", "of the period of that cycle; 1 is all of it", \.longestRun.share),
        .field(
            "timesLate", "how often the unit was late and its run() had taken most, half of the period or more",
            \.timesLate),
    ]

    /// - Parameters:
    ///   - word: as the option has it.
    ///   - timesLate: how often it was named.
    init(_ plugin: Plugin, _ word: String, timesLate: Int) {
        uri = plugin.info.uri
        name = plugin.info.name
        setting = word
        instances = plugin.instanceCount
        latencyFrames = plugin.latencyFrames
        nonFiniteSamples = plugin.nonFiniteSamples
        lostMessages = plugin.lostMessages
        longestRun = plugin.longestRun
        self.timesLate = timesLate
    }

    package var summary: String {
        shown(setting) + (latencyFrames > 0 ? ", latency \(latencyFrames) frames" : "")
            + (nonFiniteSamples > 0 ? ", \(nonFiniteSamples) samples NOT FINITE" : "")
            + (lostMessages > 0 ? ", \(lostMessages) MIDI messages LOST" : "")
            + (timesLate > 0
                ? ", LATE \(timesLate == 1 ? "once" : "\(timesLate) times"): its run took up to "
                    + "\(fixed(Double(longestRun.nanoseconds) / 1e6, 1)) ms, \(fixed(longestRun.share * 100, 0)) % of the period"
                : "")
    }
}

extension ReportField {
    /// The plug-ins of a run.
    package static func plugins(_ read: @escaping @Sendable (Root) -> [PluginReport]) -> Self {
        .field("plugins", "LV2 plug-ins, in the order of the path", read)
    }
}
