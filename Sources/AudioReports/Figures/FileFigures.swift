extension FigureTable {
    /// What `iounit info --json` prints. What the header does not have, or was not asked for, is null.
    package static let information =
        [
            Figure("schema", "iounit.info/1").of(.text),
            Figure("files[].path", "as it was given; - is the standard input").of(.text),
            Figure("files[].error", "why it cannot be read; then all that follows is empty or null").of(.text).orNull,
            Figure("files[].warnings[]", "what is broken in it, and what could not be measured").of(.text),
            Figure("files[].format", "in libsndfile's words").of(.text).orNull,
            Figure("files[].container", "wav, rf64, w64, caf, aiff, au, flac, ogg, mp3, raw; null for any other").of(
                .text
            ).orNull,
            Figure(
                "files[].encoding", "how samples are stored: pcm16, float, vorbis and so on; null with the container"
            ).of(.text).orNull,
            Figure("files[].sampleRate", "of the file", .hertz).orNull,
            Figure("files[].channels", "of the file").orNull,
            Figure("files[].frames", "what the header promises; null where it does not know", .frames).orNull,
            Figure("files[].estimatedFrames", "by the size, where the header does not know", .frames).orNull,
            Figure("files[].readFrames", "what there was; null where not all of it was read", .frames).orNull,
            Figure("files[].seconds", "its length: by the frames that were read, else by those promised", .seconds)
                .orNull,
            Figure("files[].bytes", "its size; null for a pipe").orNull,
            Figure("files[].bitsPerSecond", "of the file with its header, on average", .perSecond).orNull,
            Figure("files[].metadata", "texts by the name of their field: title, artist, date, comment and so on").of(
                .texts),
        ] + broadcast + places + recording + levels + provenance

    private static let broadcast = [
        Figure("files[].broadcast", "of a Broadcast Wave file (EBU Tech 3285); else null").orNull,
        Figure("files[].broadcast.description", "a text").of(.text),
        Figure("files[].broadcast.originator", "who made it").of(.text),
        Figure("files[].broadcast.originatorReference", "the name that they gave it").of(.text),
        Figure("files[].broadcast.originationDate", "yyyy-mm-dd").of(.text),
        Figure("files[].broadcast.originationTime", "hh:mm:ss").of(.text),
        Figure("files[].broadcast.timeReferenceFrames", "the first frame, counted from midnight", .frames),
        Figure("files[].broadcast.timeReference", "the same as a time of day, hh:mm:ss.sss").of(.text),
    ]

    private static let places = [
        Figure("files[].markers[].frame", "where it is", .frames),
        Figure("files[].markers[].seconds", "the same", .seconds),
        Figure("files[].markers[].label", "a text").of(.text),
        Figure("files[].loops[].startFrame", "the first of the loop", .frames),
        Figure("files[].loops[].endFrame", "the first behind it", .frames),
        Figure("files[].loops[].direction", "forward, backward or alternating").of(
            .choice(["forward", "backward", "alternating"])),
        Figure("files[].loops[].repetitions", "0 for without end"),
    ]

    private static let recording = [
        Figure("files[].recording", "by the list of gaps beside the file; null where there is none").orNull,
        Figure("files[].recording.path", "of the list").of(.text),
        Figure("files[].recording.files", "of the whole recording, which these figures are of"),
        Figure("files[].recording.gapFill", "silence or cut: what became of the gaps").of(.text),
        Figure("files[].recording.startWallTime", "the first frame's, in UTC").of(.text),
        Figure("files[].recording.gaps", "without pauses"),
        Figure("files[].recording.lostSeconds", "the length of these gaps", .seconds),
        Figure("files[].recording.pauses", "gaps that were asked for"),
        Figure("files[].recording.pausedSeconds", "the length of these", .seconds),
        Figure("files[].recording.omittedGaps", "gaps and pauses beyond the list, which no other figure counts"),
    ]

    private static let levels = [
        Figure("files[].peaks", "null without --peaks").orNull,
        Figure(
            "files[].peaks.channels[].peakDecibels", "of full scale, the greatest sample; null for silence", .decibels
        ).orNull,
        Figure(
            "files[].peaks.channels[].truePeakDecibels",
            "the same between the samples; null for silence, and where it cannot be measured", .decibels
        ).orNull,
        Figure(
            "files[].peaks.channels[].clippedSamples", "at full scale, in runs of 3 and more samples of one sign"),
        Figure("files[].peaks.channels[].clippedRuns", "how many such runs there are"),
        Figure("files[].peaks.channels[].offset", "the mean of all samples; 1 is full scale").of(.number),
        Figure("files[].peaks.nonFiniteSamples", "of all channels; counted as silence everywhere else"),
        Figure("files[].loudness", "by EBU R 128; null without --loudness, and where it cannot be measured").orNull,
        Figure("files[].loudness.integratedLUFS", "of all of it; null, here and below, beneath -70 LUFS or too short")
            .of(.number).orNull,
        Figure("files[].loudness.maximumMomentaryLUFS", "the loudest 0.4 s").of(.number).orNull,
        Figure("files[].loudness.maximumShortTermLUFS", "the loudest 3 s").of(.number).orNull,
        Figure("files[].loudness.rangeLU", "the loudness range").of(.number).orNull,
        Figure("files[].loudness.truePeakDecibels[]", "of each channel, in dBTP; null for silence", .decibels).orNull,
    ]

    /// What `iounit convert --json` prints.
    package static let conversion =
        [
            Figure("schema", "iounit.convert/1").of(.text),
            Figure("seconds", "how long all of it took", .seconds),
            Figure("isComplete", "whether all files were made, to their end").of(.flag),
            Figure("files[].input", "as it was given; - is the standard input").of(.text),
            Figure("files[].output", "the path of what was made").of(.text),
            Figure("files[].isComplete", "whether all of the input is in it").of(.flag),
            Figure(
                "files[].error",
                "why it was not made, or not to its end; where it was not made the figures below are null"
            ).of(.text).orNull,
            Figure(
                "files[].warnings[]",
                "what is broken in the input, what of its description the output cannot hold, and a true peak beyond EBU R 128's"
            ).of(.text),
            Figure("files[].inputFormat", "in libsndfile's words").of(.text).orNull,
            Figure("files[].inputRate", "of the input", .hertz).orNull,
            Figure("files[].inputChannels", "of the input").orNull,
            Figure("files[].inputFrames", "how many were converted", .frames).orNull,
            Figure("files[].outputFormat", "container and encoding: flac pcm24").of(.text).orNull,
            Figure("files[].outputRate", "of the output", .hertz).orNull,
            Figure("files[].outputChannels", "of the output").orNull,
            Figure("files[].outputFrames", "how many it has", .frames).orNull,
            Figure("files[].gainDecibels", "what was applied, by --gain or for --normalise", .decibels).orNull,
            Figure(
                "files[].measuredLUFS",
                "the loudness before --normalise lufs=…; null where none was asked for, or the sound has none"
            ).of(.number).orNull,
            Figure("files[].truePeakDecibels", "of the output, before it is limited; null likewise", .decibels).orNull,
            Figure("files[].clippedSamples", "beyond full scale, and limited").orNull,
            Figure("files[].nonFiniteSamples", "no numbers, and silence in the output").orNull,
        ] + provenance
}
