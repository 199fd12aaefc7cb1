import AudioFigures
import AudioReports
import AudioVoice
import TerminalPages

/// What voice processing has done.
struct VoiceReport: Encodable {
    var engine: String
    var options: String
    /// At the end.
    var on: Bool
    /// Ports that the far end was taken from, or `outputs`.
    var far: [String]
    var latencyFrames: Int
    var enhancementDecibels: Nullable<Double>
    var delayMilliseconds: Nullable<Double>
    var delayChanges: Int
    var driftPartsPerMillion: Double
    var divergences: Int
    var speechProbability: Nullable<Double>
    var gainDecibels: Nullable<Double>
    var nonFiniteSamples: UInt64
    var underrunFrames: UInt64
    var missingFarFrames: UInt64

    init(_ voice: VoiceProcessor, isOn: Bool, far: [String]) {
        let figures = voice.figures
        engine = voice.engine.rawValue
        options = voice.options.words
        on = isOn
        self.far = far
        latencyFrames = voice.latencyFrames
        enhancementDecibels = Nullable(figures.enhancementDecibels)
        delayMilliseconds = Nullable(figures.delayMilliseconds)
        delayChanges = figures.delayChanges
        driftPartsPerMillion = figures.driftPPM
        divergences = figures.divergences
        speechProbability = Nullable(figures.speechProbability)
        gainDecibels = Nullable(figures.gainDecibels)
        nonFiniteSamples = figures.nonFiniteSamples
        underrunFrames = figures.underrunFrames
        missingFarFrames = figures.missingFarFrames
    }

    var summary: String {
        var parts = ["voice \(engine) (\(options))"]
        if let decibels = enhancementDecibels.value { parts.append("echo \(fixed(decibels, 1)) dB softer") }
        if let delay = delayMilliseconds.value { parts.append("far end \(fixed(delay, 1)) ms before it") }
        if divergences > 0 { parts.append("DIVERGED \(divergences) times") }
        if underrunFrames > 0 { parts.append("\(underrunFrames) frames LATE") }
        return "  \(parts.joined(separator: ", ")), latency \(latencyFrames) frames"
    }
}
