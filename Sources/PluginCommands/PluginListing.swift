import AudioPlugins
import AudioReports
import CommandSyntax
import TerminalPages

/// `iounit plugin list`.
struct PluginListing {
    let pattern: String
    let isJSON: Bool
    /// A line for each, and nothing else.
    let namesAlone: Bool

    func run() throws -> ExitCode {
        let list = try PluginList.installed()
        for refusal in list.refusals { StandardError.complain(shown(refusal)) }
        if namesAlone {
            // Of the plug-ins themselves nothing is read, which would take a second.
            let names = list.names.filter {
                pattern.isEmpty || $0.lowercased().contains(pattern.lowercased())
            }
            return names.isEmpty ? .done : try StandardOutput.print(names.map(shown).joined(separator: "\n"))
        }
        let plugins = list.plugins(matching: pattern)
        return try StandardOutput.print(
            isJSON ? reportJSON(PluginListReport(plugins: plugins)) : table(plugins))
    }

    private func table(_ plugins: [PluginInfo]) -> String {
        guard !plugins.isEmpty else {
            return pattern.isEmpty
                ? "No LV2 plug-in is installed; install some, as with apt-get install fomp, or set LV2_PATH."
                : "No plug-in has \"\(shown(pattern))\" in its names; iounit plugin list shows all."
        }
        let rows = plugins.map { plugin in
            [
                shown(plugin.shortName ?? plugin.uri), shown(plugin.name), shown(plugin.category),
                "\(plugin.inputs) in, \(plugin.outputs) out" + (plugin.hasMIDIInput ? ", MIDI" : ""),
                counted(plugin.controls.count, "parameter"),
            ]
        }
        let widths = (0..<4).map { column in rows.map { min($0[column].count, 48) }.max() ?? 0 }
        return rows.map { row in
            trimmed(row.enumerated().map { $0 < 4 ? padded($1, widths[$0]) : $1 }.joined(separator: "  "))
        }.joined(separator: "\n")
    }
}

/// What `iounit plugin list --json` prints.
struct PluginListReport: ReportDocument {
    static let kind = document("plugins", 1, note: "Of iounit plugin list.")
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
