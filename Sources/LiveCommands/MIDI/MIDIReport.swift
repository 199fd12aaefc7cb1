import AudioRealtime

/// What MIDI controllers have done, in the JSON of a run.
struct MIDIReport: Encodable {
    /// How many sources move a control.
    var mappings: Int
    var received: UInt64
    var ignored: UInt64
    var malformed: UInt64
    var dropped: UInt64
    var sent: UInt64
    var unsent: UInt64

    init(_ midi: MIDIControl) {
        let statistics = midi.statistics
        mappings = midi.mappings.count
        (received, ignored, malformed) = (statistics.received, statistics.ignored, statistics.malformed)
        (dropped, sent, unsent) = (statistics.dropped, statistics.sent, statistics.unsent)
    }

    /// For people, with what was lost.
    var summary: String {
        [
            "MIDI \(mappings == 1 ? "1 mapping" : "\(mappings) mappings")", "\(received) in", "\(sent) out",
            malformed > 0 ? "\(malformed) malformed" : nil, dropped > 0 ? "\(dropped) DROPPED" : nil,
            unsent > 0 ? "\(unsent) not sent" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
