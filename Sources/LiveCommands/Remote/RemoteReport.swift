import AudioReports

/// What has changed a run from outside, in its report.
struct RemoteReport: Reported {
    var midi: MIDIReport?
    var osc: OSCReport?

    static let fields: [ReportField<Self>] = [
        .field(
            "midi", "what came and went by the MIDI ports; null without --midi and without a plug-in that has MIDI",
            \.midi),
        .field("osc", "control by OSC; null without --osc", \.osc),
    ]

    init(_ remote: RemoteControl) { (midi, osc) = (remote.midiReport, remote.osc.map(OSCReport.init)) }

    /// For people.
    var lines: [String] { [midi?.summary, osc?.summary].compactMap(\.self).map { "  \($0)" } }
}
