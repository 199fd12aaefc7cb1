import AudioDSP
import AudioFigures
import AudioIO
import AudioReports
import TerminalPages

/// What `iounit send` has sent: the object of `--json`, and the summary for people made from it.
struct SendReport: LiveReport {
    private enum CodingKeys: CodingKey {
        case schema, channels, gainDecibels, peakDecibels, clippedSamples, nonFiniteSamples, voice
    }

    var schema = "iounit.send/2"
    var run: RunReport
    var channels: Int
    var gainDecibels: Double
    /// Encoded beside the others.
    var stream: StreamReport
    /// Of each input; `null` for silence.
    var peakDecibels: [Nullable<Double>]
    /// Samples at or beyond full scale.
    var clippedSamples: UInt64
    /// Samples that came as NaN or infinite, and are silence.
    var nonFiniteSamples: UInt64
    /// `null` where it was off.
    var voice: Nullable<VoiceReport>

    init(_ session: SendSession) {
        channels = session.options.ear.engine.inputChannels
        let totals = (0..<channels).map { session.run.engine.meters.totals($0) }
        run = RunReport(session.run)
        gainDecibels = session.options.ear.gainDecibels
        stream = StreamReport(session.stream)
        peakDecibels = totals.map { Nullable($0.peak > 0 ? Decibels.decibels(Double($0.peak)) : nil) }
        clippedSamples = totals.reduce(0) { $0 + $1.clipped }
        nonFiniteSamples = session.run.unit.statistics.nonFiniteSamples
        voice = Nullable(session.voice?.report)
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(schema, forKey: .schema)
        try fields.encode(channels, forKey: .channels)
        try fields.encode(gainDecibels, forKey: .gainDecibels)
        try fields.encode(peakDecibels, forKey: .peakDecibels)
        try fields.encode(clippedSamples, forKey: .clippedSamples)
        try fields.encode(nonFiniteSamples, forKey: .nonFiniteSamples)
        try fields.encode(voice, forKey: .voice)
        try stream.encode(to: encoder)
    }

    var summary: String {
        let peak = peakDecibels.compactMap(\.value).max().map { "\(fixed($0, 1)) dB" } ?? "silent"
        var lines = [
            "sent \(fixed(run.seconds, 1)) s of \(channels == 1 ? "1 channel" : "\(channels) channels") \(run.place)"
        ]
        lines += stream.summary
        lines.append(
            "  peak \(peak), clipped \(clippedSamples), non-finite \(nonFiniteSamples), \(run.losses)")
        if let voice = voice.value { lines.append(voice.summary) }
        if let absence = run.absence { lines.append(absence) }
        return lines.joined(separator: "\n")
    }
}
