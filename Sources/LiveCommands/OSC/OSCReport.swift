import AudioReports

/// What came by OSC, in the report of a run.
struct OSCReport: Encodable {
    var address: String
    var messages: UInt64
    /// Messages that changed something.
    var changes: UInt64
    /// Messages that were answered with an error.
    var refusals: UInt64
    /// Invalid messages.
    var malformed: UInt64
    /// Replies and news that the kernel did not accept, or that were more than may be sent to one address.
    var unsent: UInt64

    init(_ server: OSCServer) {
        address = server.place
        messages = server.messages
        changes = server.changes
        refusals = server.refusals
        malformed = server.malformed
        unsent = server.unsent
    }

    /// For people.
    var summary: String {
        var parts = ["OSC \(address)", counted(messages, "message"), counted(changes, "change")]
        if refusals > 0 { parts.append("\(refusals) refused") }
        if malformed > 0 { parts.append("\(malformed) malformed") }
        if unsent > 0 { parts.append("\(unsent) not sent") }
        return parts.joined(separator: ", ")
    }
}
