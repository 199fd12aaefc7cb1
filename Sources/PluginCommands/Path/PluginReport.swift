import AudioPlugins
import AudioReports

/// A plug-in of a run, as the JSON has it.
package struct PluginReport: Reported {
    var uri: String
    var name: String
    var setting: String
    var instances: Int
    var latencyFrames: Int
    package var nonFiniteSamples: UInt64

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
    ]

    /// - Parameter word: as the option has it.
    init(_ plugin: Plugin, _ word: String) {
        uri = plugin.info.uri
        name = plugin.info.name
        setting = word
        instances = plugin.instanceCount
        latencyFrames = plugin.latencyFrames
        nonFiniteSamples = plugin.nonFiniteSamples
    }

    package var summary: String {
        shown(setting) + (latencyFrames > 0 ? ", latency \(latencyFrames) frames" : "")
            + (nonFiniteSamples > 0 ? ", \(nonFiniteSamples) samples NOT FINITE" : "")
    }
}

extension ReportField {
    /// The plug-ins of a run.
    package static func plugins(_ read: @escaping @Sendable (Root) -> [PluginReport]) -> Self {
        .field("plugins", "LV2 plug-ins, in the order of the path", read)
    }
}
