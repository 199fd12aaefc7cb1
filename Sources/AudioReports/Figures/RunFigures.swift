extension FigureTable {
    /// What `iounit monitor --json` prints. Offline there are neither the figures of a run on a server, from `seconds` on, nor
    /// `voice`, `midi`, `page`, `osc` and `sent`.
    package static let monitoring =
        [
            Figure("schema", "iounit.monitor/2").of(.text),
            Figure("offline", "how it was rendered with --offline; null on a server").orNull,
            Figure("offline.sampleRate", "of the run", .hertz),
            Figure("offline.periodFrames", "rendered at once, at most", .frames),
            Figure("offline.frames", "rendered in all, with those of the shaper's latency", .frames),
            Figure("offline.seconds", "what those last", .seconds),
            Figure("offline.elapsedSeconds", "how long it took to render them", .seconds),
            Figure("unit.channels", "inputs, and outputs"),
            Figure("unit.gainDecibels", "at the end", .decibels),
            Figure("unit.driveDecibels", "gain into the shaper, at the end", .decibels),
            Figure("unit.shape", "at the end: cubic, hard, tanh, asymmetric, fold, table or off").of(.text),
            Figure("unit.antialias", "what is done against the shaper's aliases, at the end").of(.text),
            Figure("unit.phase", "of the filters that that takes: linear or minimum").of(.text),
            Figure("unit.compensate", "whether the output's level was kept whatever the drive").of(.flag),
            Figure("unit.equaliser[]", "its bands, at the end; none where there is no equaliser"),
            Figure("unit.equaliser[].kind", "peak, lowshelf, highshelf, lowpass, highpass or notch").of(.text),
            Figure("unit.equaliser[].hertz", "centre, corner or middle of the slope", .hertz),
            Figure("unit.equaliser[].decibels", "gain of a peak or shelf", .decibels),
            Figure("unit.equaliser[].q", "how narrow it is, or its resonance").of(.number),
            Figure("unit.equaliser[].isOn", "whether it does anything").of(.flag),
            Figure("unit.bypass", "whether the signal was left alone").of(.flag),
            Figure("unit.compressor", "at the end; null where there is none").orNull,
            Figure("unit.compressor.thresholdDecibels", "level above which it gets softer", .decibels),
            Figure("unit.compressor.ratio", "decibels at the input for one at the output").of(.number),
            Figure("unit.compressor.kneeDecibels", "width of the bend at the threshold", .decibels),
            Figure("unit.compressor.attackMilliseconds", "to 63 % of a reduction", .milliseconds),
            Figure("unit.compressor.releaseMilliseconds", "in which 63 % of a reduction go", .milliseconds),
            Figure("unit.compressor.makeupDecibels", "gain behind it", .decibels),
            Figure("unit.limiter", "at the end; null where there is none").orNull,
            Figure("unit.limiter.ceilingDecibels", "greatest true peak at the output", .decibels),
            Figure("unit.limiter.releaseMilliseconds", "in which 63 % of a reduction go", .milliseconds),
            Figure("unit.latencyFrames", "what shaper and limiter add, with its fraction", .frames),
            Figure("peakDecibels[]", "of each output, the greatest sample; null for silence", .decibels).orNull,
            Figure("rmsDecibels[]", "of each output over the whole run; null for silence", .decibels).orNull,
            Figure("clippedSamples", "at or beyond full scale at the outputs"),
            Figure("nonFiniteSamples", "no numbers, and silence at the outputs"),
        ] + voice
        + [
            Figure("midi", "what MIDI controllers have done; null without --midi").orNull,
            Figure("midi.mappings", "what of a controller moves a control"),
            Figure("midi.received", "messages of channels that came"),
            Figure("midi.ignored", "system messages that came, as a clock's"),
            Figure("midi.malformed", "invalid messages that came"),
            Figure("midi.dropped", "messages that came and were lost"),
            Figure("midi.sent", "messages to controllers"),
            Figure("midi.unsent", "messages to controllers that were lost"),
            Figure("page", "what the page has done; null where there is none").orNull,
            Figure("page.address", "where it was, without a token").of(.text),
            Figure("page.listenings", "how often somebody began to listen"),
            Figure("page.mostListeners", "the most that listened at once"),
            Figure("page.sentPackets", "to all listeners together"),
            Figure("page.sentBytes", "of streams, to all listeners together"),
            Figure("page.lostPackets", "that listeners did not take"),
            Figure("page.refusals", "requests that were refused"),
            Figure("page.droppedFrames", "what found no room on its way to the encoders", .frames),
            Figure("osc", "control by OSC; null without --osc").orNull,
            Figure("osc.address", "address that the run listened on").of(.text),
            Figure("osc.messages", "messages received"),
            Figure("osc.changes", "those that changed something"),
            Figure("osc.refusals", "those that were answered with an error"),
            Figure("osc.malformed", "invalid messages"),
            Figure("osc.unsent", "replies and news that the kernel did not accept"),
            Figure("loudness", "of the outputs, by EBU R 128; null where it was not measured").orNull,
            Figure("loudness.momentaryLUFS", "of the last 0.4 s; null, here and below, for less than -70 LUFS").of(
                .number
            ).orNull,
            Figure("loudness.shortTermLUFS", "of the last 3 s").of(.number).orNull,
            Figure("loudness.integratedLUFS", "of the whole run").of(.number).orNull,
            Figure("loudness.maximumMomentaryLUFS", "of the loudest 0.4 s").of(.number).orNull,
            Figure("loudness.maximumShortTermLUFS", "of the loudest 3 s").of(.number).orNull,
            Figure("loudness.rangeLU", "the loudness range").of(.number).orNull,
            Figure("loudness.truePeakDecibels[]", "of each output over the whole run", .decibels).orNull,
            Figure("loudness.droppedFrames", "that the meter missed", .frames),
            Figure("recorded", "what --record has written; null where nothing was to be").orNull,
            Figure("recorded.path", "as it was named").of(.text),
            Figure("recorded.frames", "in all files, silence that was filled in among them", .frames),
            Figure("recorded.droppedFrames", "what found no room on its way to the file, or in it", .frames),
            Figure("recorded.gaps", "places where sound is missing"),
            Figure("recorded.filledFrames", "silence in their stead; among frames", .frames),
            Figure("recorded.filledNanoseconds", "what that lasts", .nanoseconds),
            Figure("recorded.freewheeledFrames", "rendered while the server freewheeled; among frames", .frames),
            Figure("recorded.segments[]", "the files, more than one where the rate has changed").of(.text),
            Figure("recorded.conversionReason", "why sound at another rate was converted, and not split; else null").of(
                .text
            ).orNull,
            Figure("recorded.sidecar", "the list of gaps; null where there is none").of(.text).orNull,
            Figure("sent", "what --send has sent; null where nothing was to be").orNull,
        ] + stream(in: "sent.")
        + [
            Figure("source", "what --source has played; null where nothing was to be").orNull,
            Figure("source.name", "a file, or tone, noise or silence").of(.text),
            Figure("source.sampleRate", "of the source", .hertz),
            Figure("source.channels", "of the source"),
            Figure("source.downMix", "null where it has no more channels than there are inputs").orNull,
            Figure("source.downMix.law", "how channels come down to the inputs: a law's name").of(.text),
            Figure("source.downMix.weights[][]", "for each input the factor of each channel").of(.number),
            Figure("source.frames", "that were fed, at the run's rate", .frames),
            Figure("source.startFrame", "of the recording, at which the first is heard; null without one", .frames)
                .orNull,
            Figure("source.underrunFrames", "silence, because the source was too slow", .frames),
        ] + run

    /// Of these, what there is on a server alone.
    static let monitoringLive = monitoring.filter { figure in
        let key = figure.path.prefix { $0 != "." && $0 != "[" }
        return ["voice", "midi", "page", "osc", "sent"].contains(key) || (run.contains(figure) && key != "provenance")
    }

    /// What `iounit record --json` prints.
    package static let recordings =
        [
            Figure("schema", "iounit.record/2").of(.text),
            Figure("channels", "inputs, all of which are in each file"),
            Figure("gainDecibels", "as it was asked for; 0 changes no bit", .decibels),
            Figure("files[].path", "as it was named, with its placeholders; - is the standard output").of(.text),
            Figure("files[].segments[]", "the files that it became; where each channel has its own, the first of them")
                .of(.text),
            Figure("files[].transportFrame", "of JACK's transport, the first one; null without --transport", .frames)
                .orNull,
            Figure("files[].format", "container and encoding: flac pcm24").of(.text),
            Figure("files[].sampleRate", "of the last file", .hertz),
            Figure("files[].frames", "in all of them, each once", .frames),
            Figure("files[].seconds", "what these last", .seconds),
            Figure("files[].bytes", "of all of them"),
            Figure("files[].takes", "how many times it has begun: more than once with --repeat"),
            Figure("files[].droppedFrames", "what found no room on its way to the file, or in it", .frames),
            Figure("files[].gaps", "places where sound is missing, or was not wanted"),
            Figure("files[].filledFrames", "silence in their stead; among frames", .frames),
            Figure("files[].filledNanoseconds", "what that lasts", .nanoseconds),
            Figure("files[].freewheeledFrames", "rendered while the server freewheeled; among frames", .frames),
            Figure("files[].clippedSamples", "beyond what the file's integers hold, and limited"),
            Figure("files[].conversionReason", "why sound at another rate was converted, and not split; else null").of(
                .text
            ).orNull,
            Figure("files[].splitRefusal", "why a file goes on where the next was to begin; else null").of(.text)
                .orNull,
            Figure("files[].sidecar", "the list of gaps, takes and marks; null where there is none").of(.text).orNull,
            Figure("files[].error", "why nothing more was written; null where all was").of(.text).orNull,
            Figure("sent", "what --send has sent; null where nothing was to be").orNull,
        ] + stream(in: "sent.")
        + [
            Figure("peakDecibels[]", "of each channel, the greatest sample; null for silence", .decibels).orNull,
            Figure("clippedSamples", "at or beyond full scale"),
            Figure("nonFiniteSamples", "no numbers, and silence in the files"),
        ] + voice + run

    /// What `iounit play --json` prints.
    package static let playback =
        [
            Figure("schema", "iounit.play/2").of(.text),
            Figure("outputs", "how many output ports"),
            Figure("gainDecibels", "at the end; 0 changes no bit", .decibels),
            Figure("files[].path", "as it was given, in the order of the list; - is the standard input").of(.text),
            Figure("files[].format", "in libsndfile's words").of(.text),
            Figure("files[].sampleRate", "of the file", .hertz),
            Figure("files[].channels", "of the file"),
            Figure("files[].seconds", "of the part to be played, by the header; null where it does not tell", .seconds)
                .orNull,
            Figure("files[].downMix", "null where the file has no more channels than there are outputs").orNull,
            Figure("files[].downMix.law", "how channels come down to the outputs: a law's name").of(.text),
            Figure("files[].downMix.weights[][]", "for each output the factor of each channel").of(.number),
            Figure("files[].plays", "how often it was begun and heard"),
            Figure("files[].playedFrames", "heard of it in all, at the server's rate", .frames),
            Figure("files[].playedSeconds", "how long those last", .seconds),
            Figure("files[].warnings[]", "what is broken in it, of which the readable part was played").of(.text),
            Figure("files[].error", "why it was not played to its end; null where it was, or was not wanted").of(.text)
                .orNull,
            Figure("playedFrames", "of all files, at the server's rate", .frames),
            Figure("startFrame", "the first frame of the run at which a file is heard; null where none was", .frames)
                .orNull,
            Figure("underrunFrames", "silence, because a file or the pipe was too slow", .frames),
            Figure("peakDecibels[]", "of each output, the greatest sample; null for silence", .decibels).orNull,
            Figure("clippedSamples", "at or beyond full scale at the outputs"),
            Figure("nonFiniteSamples", "no numbers in the files, and silence at the outputs"),
        ] + run

    /// What `iounit send --json` prints.
    package static let sending =
        [
            Figure("schema", "iounit.send/2").of(.text),
            Figure("channels", "inputs, all of which are sent"),
            Figure("gainDecibels", "as it was asked for; 0 changes no bit", .decibels),
        ] + stream()
        + [
            Figure("peakDecibels[]", "of each channel, the greatest sample; null for silence", .decibels).orNull,
            Figure("clippedSamples", "at or beyond full scale"),
            Figure("nonFiniteSamples", "no numbers, and silence in the stream"),
        ] + voice + run

    /// What `iounit receive --json` prints.
    package static let receiving =
        [
            Figure("schema", "iounit.receive/2").of(.text),
            Figure("origin", "where the stream comes from").of(.text),
            Figure("state", "at the end: receiving, waiting for the sender, ended of a file, or failed").of(.text),
            Figure(
                "container",
                "the form of a file in which the last stream came, as ogg; null where packets come by themselves"
            ).of(.text).orNull,
            Figure(
                "codec", "of the last stream, as in --codec of send; float where mp3 came; null where none came"
            ).of(.text).orNull,
            Figure("sampleRate", "of the stream", .hertz).orNull,
            Figure("streamChannels", "of the stream").orNull,
            Figure("channels", "outputs"),
            Figure("gainDecibels", "at the end; 0 changes no bit", .decibels),
            Figure("streams", "that began: more than one where the sender left and came back"),
            Figure("receivedPackets", "that came: played, late, duplicate or damaged ones, and those that wait"),
            Figure("playedPackets", "that were in time"),
            Figure("latePackets", "that came after their time"),
            Figure("lostPackets", "that never came"),
            Figure("duplicatePackets", "that had come before"),
            Figure("reorderedPackets", "that another one had overtaken, in time or not"),
            Figure("damagedPackets", "that could not be decoded"),
            Figure("droppedPackets", "dropped before their time, because more waited than memory is kept for"),
            Figure("droppedBySender", "of the lost ones, those that the sender says it dropped"),
            Figure("playedFrames", "decoded, at the stream's rate", .frames),
            Figure("concealedFrames", "that the codec made up for, or the next packet repeated", .frames),
            Figure("silentFrames", "of silence, where nothing helped", .frames),
            Figure("gapFrames", "of silence of which the sender had no sound", .frames),
            Figure("underrunFrames", "that this machine was too slow for, and silence", .frames),
            Figure("jumps", "of the sound: after lost time, or for a buffer that had to grow at once"),
            Figure(
                "driftPartsPerMillion", "how much faster the sender's clock is than the sound card's; null at first"
            ).of(.number).orNull,
            Figure("bufferMilliseconds", "held against late packets, at the end", .milliseconds).orNull,
            Figure(
                "delayMilliseconds", "from a packet's arrival to the sound card: buffer, period, resampler",
                .milliseconds
            ).orNull,
            Figure(
                "latencyMilliseconds", "from the sender's rendering to the sound card, by both wall clocks; or null",
                .milliseconds
            ).orNull,
            Figure("recording", "the file of --record; null for none").of(.text).orNull,
            Figure("peakDecibels[]", "of each output, the greatest sample; null for silence", .decibels).orNull,
            Figure("clippedSamples", "at or beyond full scale"),
            Figure("error", "why the sender was not reached, or left, the last time; null where it never was so").of(
                .text
            ).orNull,
        ] + run

    /// What `iounit beat --json` prints. Of a file, the fields up to `readings`, and `provenance`.
    package static let heartbeats =
        [
            Figure("schema", "iounit.beat/2").of(.text),
            Figure("file", "that was looked at; null for the ports of a server").of(.text).orNull,
            Figure("beatsPerMinute", "the median of those below; null where there is none").of(.number).orNull,
            Figure("lowestBeatsPerMinute", "likewise").of(.number).orNull,
            Figure("highestBeatsPerMinute", "likewise").of(.number).orNull,
            Figure("givenShare", "of the readings from the tenth second on, those with a number", .share).orNull,
            Figure("readings[].seconds", "from the start; a reading each second, of the 10 s before", .seconds),
            Figure("readings[].beatsPerMinute", "null where it is not sure").of(.number).orNull,
            Figure(
                "readings[].absence",
                "why there is no number: tooShort, silence, otherSounds, noPulse, noSecondSound or ambiguous; else null"
            ).of(.choice(["tooShort", "silence", "otherSounds", "noPulse", "noSecondSound", "ambiguous"])).orNull,
            Figure("readings[].confidence", "how alike the sound is to itself one beat later", .share),
            Figure("readings[].slowerBeatsPerMinute", "where it is ambiguous, a rate that fits; else null").of(.number)
                .orNull,
            Figure("readings[].slowerStrength", "how alike the sound is to itself one such beat later", .share).orNull,
            Figure("readings[].fasterBeatsPerMinute", "where it is ambiguous, the rate above 200 that fits; else null")
                .of(.number).orNull,
            Figure("readings[].fasterStrength", "how alike the sound is to itself one such beat later", .share).orNull,
            Figure("readings[].variabilityMilliseconds", "the RMSSD of these 10 s, or null", .milliseconds).of(.number)
                .orNull,
            Figure("droppedFrames", "that the meter missed", .frames),
        ] + run

    /// What `iounit tune --json` prints. Of a file, the fields up to `readings`, and `provenance`.
    package static let pitches =
        [
            Figure("schema", "iounit.tune/2").of(.text),
            Figure("file", "that was looked at; null for the ports of a server").of(.text).orNull,
            Figure("a4Hertz", "the A above middle C that notes are counted from", .hertz),
            Figure("hertz", "the median of the pitches below; null where there is none", .hertz).orNull,
            Figure("note", "of equal temperament, nearest to that: as A4, C#5; or null").of(.text).orNull,
            Figure("cents", "by how much it lies above the note, -50 to 50; or null").of(.number).orNull,
            Figure("lowestHertz", "of the pitches below, or null", .hertz).orNull,
            Figure("highestHertz", "likewise", .hertz).orNull,
            Figure("givenShare", "of the readings, those with a pitch; null where there are none", .share).orNull,
            Figure("readings[].seconds", "from the start; a reading each tenth of a second", .seconds),
            Figure("readings[].hertz", "the median of that tenth, or null where the sound does not repeat", .hertz)
                .orNull,
            Figure("readings[].note", "nearest to it, or null").of(.text).orNull,
            Figure("readings[].cents", "by how much it lies above the note, or null").of(.number).orNull,
            Figure("readings[].confidence", "how alike the sound is to itself one period later", .share),
            Figure("droppedFrames", "that the meter missed", .frames),
        ] + run

    /// The fields of each target of a stream.
    ///
    /// - Parameter place: what the fields are in.
    private static func stream(in place: String = "") -> [Figure] {
        [
            Figure("\(place)targets[].target", "as it was named").of(.text),
            Figure("\(place)targets[].codec", "as in --codec").of(.text),
            Figure("\(place)targets[].sampleRate", "of the stream", .hertz),
            Figure(
                "\(place)targets[].state", "at the end: connected, connecting (not reached, or not again) or failed"
            ).of(.choice(["connected", "connecting", "failed"])),
            Figure("\(place)targets[].sentPackets", "that left, marks of missing time among them"),
            Figure(
                "\(place)targets[].sentBytes",
                "that left: of RTP the payloads, of WebSockets the messages, else all of the stream"),
            Figure(
                "\(place)targets[].lostPackets", "that did not leave, as the target was not there or took too little"),
            Figure("\(place)targets[].lostFrames", "of sound in those, at the stream's rate", .frames),
            Figure(
                "\(place)targets[].unconfirmedPackets",
                "of those that left, by a WebSocket that broke before the receiver said that it has them"),
            Figure("\(place)targets[].reconnections", "how often it was reached again"),
            Figure(
                "\(place)targets[].error", "why it was not reached or was lost, the last time; null where it never was"
            ).of(.text).orNull,
            Figure("\(place)droppedFrames", "what found no room on its way to the encoders", .frames),
            Figure("\(place)sdp", "the file that describes the stream of RTP; null where none was asked for").of(.text)
                .orNull,
        ]
    }

    /// What `beat` and `tune` tell of the ports of a server, and not of a file.
    static let listening = heartbeats.filter { figure in
        let key = figure.path.prefix { $0 != "." }
        return key == "droppedFrames" || (run.contains(figure) && key != "seconds" && key != "provenance")
    }

    /// What all tell of a run of the engine.
    private static let run =
        [
            Figure("seconds", "how long the run took, in the graph or waiting for a server", .seconds),
            Figure("cycles", "calls of the audio thread"),
            Figure("frames", "rendered, silence too", .frames),
            Figure("xruns", "as JACK reported them"),
            Figure("overruns", "calls that ran longer than their period"),
            Figure("frameGaps", "times that the server skipped cycles"),
            Figure("lostNanoseconds", "wall time for which no frame was rendered", .nanoseconds),
            Figure("absentNanoseconds", "without a server, or suspended", .nanoseconds),
            Figure("resets", "how often the server went away and came back"),
            Figure("endedWithoutServer", "whether there was none at the end, or the sound did not go on").of(.flag),
            Figure("server.name", "of the JACK server").of(.text),
            Figure("server.backend", "of a private server; null where the server does not tell").of(.text).orNull,
            Figure("server.sampleRate", "at the end", .hertz),
            Figure("server.periodFrames", "at the end", .frames),
            Figure("server.sync", "of a private server; null where the server does not tell").of(.flag).orNull,
            Figure("server.realtime", "whether the server asks for real-time scheduling").of(.flag).orNull,
            Figure("memoryLocked", "whether the memory could be locked").of(.flag),
            Figure("events[].event", "what happened, as transition or serverLost; the last 1000").of(.text),
            Figure("events[].from", "the state before a transition; null of other events").of(.text).orNull,
            Figure("events[].to", "the state after it").of(.text).orNull,
            Figure("events[].text", "in words").of(.text),
            Figure("events[].wallTime", "when, in UTC").of(.text),
            Figure("events[].monotonicNanoseconds", "when, on the clock that never jumps", .nanoseconds),
        ] + scheduling + provenance
}
