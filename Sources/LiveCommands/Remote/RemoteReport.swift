import AudioReports

/// What has changed a run from outside, in its report.
struct RemoteReport: Reported {
    var midi: MIDIReport?
    var osc: OSCReport?

    static let fields: [ReportField<Self>] = [
        .field("midi", "what MIDI controllers have done; null without --midi", \.midi),
        .field("osc", "control by OSC; null without --osc", \.osc),
    ]

    init(_ remote: RemoteControl) { (midi, osc) = (remote.midi.map(MIDIReport.init), remote.osc.map(OSCReport.init)) }

    /// For people.
    var lines: [String] { [midi?.summary, osc?.summary].compactMap(\.self).map { "  \($0)" } }
}
