import AudioReports
import AudioVoice

package struct VoiceReport: PartReport {
    var engine: String
    var options: String
    var on: Bool
    var far: [String]
    var latencyFrames: Int
    var figures: VoiceFigures

    package static let field = (name: "voice", meaning: "voice processing; null where it was never on")
    package static let fields: [ReportField<Self>] = [
        .field("engine", "webrtc or speex", \.engine),
        .field("options", "what it did, in the words of --voice-options", \.options),
        .field("on", "whether it was on at the end", \.on),
        .field("far", "the ports that the far end was taken from, or outputs; empty for none", \.far),
        .field("latencyFrames", "what it adds, which the ports declare", unit: .frames, \.latencyFrames),
        .field(
            "enhancementDecibels", "how much softer the output is while the far end is heard; null before that",
            unit: .decibels, \.figures.enhancementDecibels),
        .field(
            "delayMilliseconds", "from the far end to its echo, at the end; null before it was found",
            unit: .milliseconds, \.figures.delayMilliseconds),
        .field("delayChanges", "how often it was found to be quite another", \.figures.delayChanges),
        .field(
            "driftPartsPerMillion", "how much faster the clock of the capture is than that of the playback",
            \.figures.driftPPM),
        .field("divergences", "how often the canceller made the sound louder, and was reset", \.figures.divergences),
        .field(
            "speechProbability", "at the end, 0 to 1; null where the library does not say", \.figures.speechProbability),
        .field(
            "gainDecibels", "of the gain control at the end; null without one, and of webrtc", unit: .decibels,
            \.figures.gainDecibels),
        .field("nonFiniteSamples", "no numbers, and silence in it", \.figures.nonFiniteSamples),
        .field("underrunFrames", "silence, because the worker was late", unit: .frames, \.figures.underrunFrames),
        .field(
            "missingFarFrames", "of the inputs, for which no far end came in time", unit: .frames,
            \.figures.missingFarFrames),
    ]

    package var lines: [String] {
        var parts = ["voice \(engine) (\(options))"]
        if let decibels = figures.enhancementDecibels {
            parts.append("echo \(fixed(abs(decibels), 1)) dB \(decibels < 0 ? "louder" : "softer")")
        }
        if let delay = figures.delayMilliseconds { parts.append("far end \(fixed(delay, 1)) ms before it") }
        if figures.divergences > 0 { parts.append("DIVERGED \(timesInWords(figures.divergences))") }
        if figures.underrunFrames > 0 { parts.append("\(figures.underrunFrames) frames LATE") }
        return ["  \(parts.joined(separator: ", ")), latency \(latencyFrames) frames"]
    }
}
