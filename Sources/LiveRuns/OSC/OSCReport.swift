import AudioReports

package struct OSCReport: PartReport {
    package static let field = (name: "osc", meaning: "control by OSC; null without --osc")

    var address: String
    var messages: UInt64
    var changes: UInt64
    var refusals: UInt64
    var malformed: UInt64
    var unsent: UInt64

    package static let fields: [ReportField<Self>] = [
        .field("address", "address that the run listened on", \.address),
        .field("messages", "messages received", \.messages),
        .field("changes", "those that changed something", \.changes),
        .field("refusals", "those that were answered with an error", \.refusals),
        .field("malformed", "invalid messages", \.malformed),
        .field(
            "unsent", "replies and news that the kernel did not accept, or beyond what one address may get", \.unsent),
    ]

    package var lines: [String] {
        var parts = ["OSC \(address)", counted(messages, "message"), counted(changes, "change")]
        if refusals > 0 { parts.append("\(refusals) refused") }
        if malformed > 0 { parts.append("\(malformed) malformed") }
        if unsent > 0 { parts.append("\(unsent) not sent") }
        return ["  " + parts.joined(separator: ", ")]
    }
}
