extension FigureTable {
    /// What voice processing says, in the JSON of `monitor`, `record` and `send`.
    static let voice = [
        Figure("voice", "voice processing; null where it was never on").orNull,
        Figure("voice.engine", "webrtc or speex").of(.text),
        Figure("voice.options", "what it did, in the words of --voice-options").of(.text),
        Figure("voice.on", "whether it was on at the end").of(.flag),
        Figure("voice.far[]", "the ports that the far end was taken from, or outputs; empty for none").of(.text),
        Figure("voice.latencyFrames", "what it adds, which the ports declare", .frames),
        Figure(
            "voice.enhancementDecibels", "how much softer the output is while the far end is heard; null before that",
            .decibels
        ).orNull,
        Figure(
            "voice.delayMilliseconds", "from the far end to its echo, at the end; null before it was found",
            .milliseconds
        ).orNull,
        Figure("voice.delayChanges", "how often it was found to be quite another"),
        Figure("voice.driftPartsPerMillion", "how much faster the clock of who captures is than that of who plays").of(
            .number),
        Figure("voice.divergences", "how often the canceller made the sound louder, and was reset"),
        Figure("voice.speechProbability", "at the end, 0 to 1; null where the library does not say").of(.number).orNull,
        Figure("voice.gainDecibels", "of the gain control at the end; null without one, and of webrtc", .decibels)
            .orNull,
        Figure("voice.nonFiniteSamples", "no numbers, and silence in it"),
        Figure("voice.underrunFrames", "silence, because the worker was late", .frames),
        Figure("voice.missingFarFrames", "of the inputs, for which no far end came in time", .frames),
    ]
}
