import AudioPlugins
import AudioReports

/// A plug-in of a run, as the JSON has it.
struct PluginReport: Reported {
    var uri: String
    var name: String
    var setting: String
    var instances: Int
    var latencyFrames: Int
    var nonFiniteSamples: UInt64

    static let fields: [ReportField<Self>] = [
        .field("uri", "of the plug-in", \.uri),
        .field("name", "its name", \.name),
        .field("setting", "as --plugin takes it, as it stood at the end", \.setting),
        .field("instances", "how often it was run side by side", \.instances),
        .field(
            "latencyFrames", "how much later the sound left it, as it tells", unit: .frames, \.latencyFrames),
        .field(
            "nonFiniteSamples", "samples of it that were NaN, infinite or beyond 1e13, and became silence",
            \.nonFiniteSamples),
    ]

    init(_ plugin: Plugin, _ word: String) {
        uri = plugin.info.uri
        name = plugin.info.name
        setting = word
        instances = plugin.instanceCount
        latencyFrames = plugin.latencyFrames
        nonFiniteSamples = plugin.nonFiniteSamples
    }

    var summary: String {
        shown(setting) + (latencyFrames > 0 ? ", latency \(latencyFrames) frames" : "")
            + (nonFiniteSamples > 0 ? ", \(nonFiniteSamples) samples NOT FINITE" : "")
    }
}
