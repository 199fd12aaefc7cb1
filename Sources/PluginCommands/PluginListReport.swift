import AudioPlugins
import AudioReports

/// What `iounit plugin list --json` prints.
struct PluginListReport: ReportDocument {
    static let name = "plugins"
    static let version = 1
    static let note = "Of iounit plugin list."
    static let fields: [ReportField<Self>] = [.group("plugins", \.plugins)]

    var plugins: [PluginInfo]
}

/// A plug-in, as JSON has it in a list and alone.
extension PluginInfo: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("uri", "of the plug-in", \.uri),
        .field(
            "shortName", "its bundle and the last part of the URI; null where another one would have the same",
            \.shortName),
        .field("name", "in its description", \.name),
        .field("category", "its class, as Equaliser Plugin; empty where it is not known", \.category),
        .field("author", "as its description has it; may be empty", \.author),
        .field("bundle", "the folder with its description", \.bundle),
        .field("library", "path of its binary; empty where the description names none", \.library),
        .field("inputs", "channels of sound that it takes, without side chains", \.inputs),
        .field("outputs", "channels of sound that it makes", \.outputs),
        .field("parameters", "how many it has", \.controls.count),
        .field("meters", "how many it has", \.meters.count),
        .field("midiInput", "whether it takes MIDI", \.hasMIDIInput),
        .field("midiOutput", "whether it makes MIDI", \.hasMIDIOutput),
        .field("reportsLatency", "whether it has a port that tells its latency", \.reportsLatency),
        .field("claimsRealTime", "whether it says that it may run on an audio thread", \.claimsRealTime),
        .field("requiredFeatures", "what a host must offer, as URIs", \.requiredFeatures),
    ]
}
