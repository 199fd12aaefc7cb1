import AudioFigures

extension PluginReport.LatencyChange: Reported {
    package static let fields: [ReportField<Self>] = [
        .field(
            "frame", "of its input, where the block begins since which it tells it", unit: .frames, \.frame),
        .field("latencyFrames", "what it tells from there on", unit: .frames, \.latencyFrames),
    ]
}

/// As the JSON has it.
extension PluginReport: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("uri", "of the plug-in", \.uri),
        .field("name", "its name", \.name),
        .field("setting", "as --plugin takes it, as it stood at the end", \.setting),
        .field("instances", "how often it was run side by side", \.instances),
        .field(
            "latencyFrames", "how much later the sound left it, as it tells", unit: .frames, \.latencyFrames),
        .group("latencyChanges", \.latencyChanges),
        .field(
            "nonFiniteSamples", "samples of it that were NaN, infinite or beyond 1e13, and became silence",
            \.nonFiniteSamples),
        .field(
            "lostMessages",
            "MIDI messages to it or of it that found no room, and of those that it made the ones of no channel",
            \.lostMessages),
        .field(
            "longestRunMilliseconds", "the longest wall time that its run() took in a cycle, all instances together",
            unit: .milliseconds, osc: "run/longest", \.longestRunMilliseconds),
        .field(
            "longestRunShare", "of the period of that cycle; 1 is all of it", osc: "run/share", \.longestRunShare),
        .field(
            "timesLate", "how often the unit was late and its run() had taken most, half of the period or more",
            osc: "run/late", \.timesLate),
        .field("refusals", "what it wanted that would have harmed the run, and what became of that", \.refusals),
    ]

    private var changeCount: String {
        let count = latencyChanges.count
        return timesInWords(count) + (count < LatencyChange.most ? "" : " or more")
    }

    package var summary: String {
        shown(setting) + (latencyFrames > 0 ? ", latency \(latencyFrames) frames" : "")
            + (latencyChanges.isEmpty ? "" : ", latency CHANGED \(changeCount)")
            + (nonFiniteSamples > 0 ? ", \(nonFiniteSamples) samples NOT FINITE" : "")
            + (lostMessages > 0 ? ", \(lostMessages) MIDI messages LOST" : "")
            + (timesLate > 0
                ? ", LATE \(timesInWords(timesLate)): its run took up to "
                    + "\(fixed(longestRunMilliseconds, 1)) ms, \(fixed(longestRunShare * 100, 0)) % of the period"
                : "") + refusals.map { "; \(shown($0))" }.joined()
    }
}

extension ReportField {
    /// The plug-ins that the sound went through.
    package static func plugins(_ read: @escaping @Sendable (Root) -> [PluginReport]) -> Self {
        .field("plugins", "LV2 plug-ins, in the order of the path", read)
    }
}
