import AudioFigures
import AudioPlugins
import AudioReports

/// A plug-in, as JSON has it in a list and alone.
struct PluginRow: Reported {
    var uri: String
    var shortName: Nullable<String>
    var name: String
    var category: String
    var author: String
    var bundle: String
    var library: String
    var inputs: Int
    var outputs: Int
    var parameters: Int
    var meters: Int
    var midiInput: Bool
    var midiOutput: Bool
    var reportsLatency: Bool
    var claimsRealTime: Bool
    var requiredFeatures: [String]

    static let fields: [ReportField<Self>] = [
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
        .field("parameters", "how many it has", \.parameters),
        .field("meters", "how many it has", \.meters),
        .field("midiInput", "whether it takes MIDI", \.midiInput),
        .field("midiOutput", "whether it makes MIDI", \.midiOutput),
        .field("reportsLatency", "whether it has a port that tells its latency", \.reportsLatency),
        .field("claimsRealTime", "whether it says that it may run on an audio thread", \.claimsRealTime),
        .field("requiredFeatures", "what a host must offer, as URIs", \.requiredFeatures),
    ]

    init(_ plugin: PluginInfo) {
        uri = plugin.uri
        shortName = Nullable(plugin.shortName)
        name = plugin.name
        category = plugin.category
        author = plugin.author
        bundle = plugin.bundle
        library = plugin.library
        inputs = plugin.inputs
        outputs = plugin.outputs
        parameters = plugin.controls.count
        meters = plugin.meters.count
        midiInput = plugin.hasMIDIInput
        midiOutput = plugin.hasMIDIOutput
        reportsLatency = plugin.reportsLatency
        claimsRealTime = plugin.claimsRealTime
        requiredFeatures = plugin.requiredFeatures
    }
}

/// What `iounit plugin list --json` prints.
struct PluginListReport: ReportDocument {
    static let name = "plugins"
    static let version = 1
    static let note = "Of iounit plugin list."
    static let fields: [ReportField<Self>] = [.group("plugins", \.plugins)]

    var plugins: [PluginRow]
}
