import AudioRealtime
import AudioReports

package struct MIDIReport: PartReport {
    package static let field = (
        name: "midi",
        meaning: "what came and went by the MIDI ports; null without --midi and without a plug-in that has MIDI"
    )

    var mappings: Int
    /// The controls of those that this run has no control for.
    var idle: [String] = []
    var statistics: MIDIStatistics

    package static let fields: [ReportField<Self>] = [
        .field("mappings", "how many controller messages are assigned to a control", \.mappings),
        .field("idleMappings", "of those, how many are to a control that this run does not have", \.idle.count),
        .field("received", "messages of channels that came and were not lost", \.statistics.received),
        .field("ignored", "system messages that came, as a clock's", \.statistics.ignored),
        .field("malformed", "invalid messages that came", \.statistics.malformed),
        .field(
            "dropped",
            "messages of channels that came and were lost, because nobody took them in time or a period had too many",
            \.statistics.dropped),
        .field("sent", "messages that went out", \.statistics.sent),
        .field("unsent", "messages on their way out that were lost", \.statistics.unsent),
    ]

    package var lines: [String] { ["  \(summary)"] }

    /// For people, with what was lost.
    var summary: String {
        [
            "MIDI \(counted(mappings, "mapping"))",
            idle.first.map { "\(idle.count) of no control of this run (\(shown($0))\(idle.count > 1 ? ", …" : ""))" },
            "\(statistics.received) in",
            "\(statistics.sent) out",
            statistics.malformed > 0 ? "\(statistics.malformed) malformed" : nil,
            statistics.dropped > 0 ? "\(statistics.dropped) DROPPED" : nil,
            statistics.unsent > 0 ? "\(statistics.unsent) not sent" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
