import AudioFigures
import AudioReports
import TerminalPages

/// What a run on a server comes to: the object of `--json`, and the summary for people made from it.
struct MonitorReport: LiveReport {
    static let schema = "iounit.monitor/2"

    var run: RunReport
    var chain: ChainReport
    /// `null` where it was never on.
    var voice: Nullable<VoiceReport>
    /// `null` where nothing was to be.
    var sent: Nullable<StreamReport>
    /// What the page has done; `null` where there is none.
    var page: Nullable<PageReport>
    /// What MIDI controllers have done; `null` where there are none.
    var midi: Nullable<MIDIReport>
    /// What came by OSC; `null` where none was waited for.
    var osc: Nullable<OSCReport>

    private enum CodingKeys: CodingKey { case schema, offline, voice, sent, page, midi, osc }

    func encode(to encoder: any Encoder) throws {
        try chain.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.schema, forKey: .schema)
        try container.encode(Nullable<OfflineReport>(nil), forKey: .offline)
        try container.encode(voice, forKey: .voice)
        try container.encode(sent, forKey: .sent)
        try container.encode(page, forKey: .page)
        try container.encode(midi, forKey: .midi)
        try container.encode(osc, forKey: .osc)
    }

    var summary: String {
        let server = run.server
        var lines = [
            "\(fixed(run.seconds, 1)) s on \(shown(server.name)): \(run.cycles) cycles of \(server.periodFrames) "
                + "frames at \(server.sampleRate) Hz (\(run.conditions))"
        ]
        lines += chain.levels
        if let voice = voice.value { lines.append(voice.summary) }
        if let loudness = chain.loudness.value { lines.append("  \(loudness.summary)") }
        lines.append(
            "  xruns \(run.xruns), overruns \(run.overruns), frame gaps \(run.frameGaps), "
                + "lost \(fixed(Double(run.lostNanoseconds) / 1e6, 1)) ms, \(chain.flaws)")
        if let absence = run.absence { lines.append(absence) }
        lines += chain.files
        if let sent = sent.value { lines += sent.summary.map { "  sent to\($0.dropFirst())" } }
        if let page = page.value { lines.append("  \(page.summary)") }
        if let midi = midi.value { lines.append("  \(midi.summary)") }
        if let osc = osc.value { lines.append("  \(osc.summary)") }
        return lines.joined(separator: "\n")
    }
}
