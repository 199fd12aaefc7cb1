extension FigureTable {
    /// What `iounit plugin check --json` prints.
    package static let plugins =
        [
            Figure("schema", "iounit.plugin/1").of(.text),
            Figure("sampleRate", "of the check", .hertz).of(.integer),
            Figure("blockFrames", "of its usual blocks", .frames).of(.integer),
            Figure("isFit", "whether the exit code is 0").of(.flag),
            Figure("seconds", "what the check took", .seconds),
            Figure("counts.plugins", "how many were checked"),
            Figure("counts.safe", "of these, real-time safe"),
            Figure("counts.safeAfterFirstBlock", "of these, safe but for first blocks"),
            Figure("counts.notSafe", "of these, not real-time safe"),
            Figure("counts.notJudged", "of these, those that could not be judged"),
            Figure("counts.claims", "those that claim to be fit for an audio thread (lv2:hardRTCapable)"),
            Figure("counts.brokenClaims", "of these, those that were seen to break it"),
        ] + plugin + pluginFindings + provenance

    private static let plugin = [
        Figure("plugins[].uri", "of the plug-in").of(.text),
        Figure("plugins[].name", "in its description").of(.text),
        Figure("plugins[].bundle", "the folder with its description").of(.text),
        Figure("plugins[].binary", "the library with its code; empty where the description names none").of(.text),
        Figure("plugins[].category", "its class, as Equaliser Plugin; empty where it is not known").of(.text),
        Figure("plugins[].claimsHardRealTime", "whether it claims to be fit for an audio thread").of(.flag),
        Figure("plugins[].verdict", "what the check comes to").of(
            .choice(["safe", "safeAfterFirstBlock", "notSafe", "notJudged"])),
        Figure("plugins[].reason", "why it did not come to its end; empty where it did").of(.text),
        Figure("plugins[].skippedPhases[]", "those that there was no time for").of(.text),
        Figure("plugins[].stackBytes", "the deepest that its stack was in use, in bytes"),
        Figure("plugins[].latency", "null where it declares none").orNull,
        Figure("plugins[].latency.declaredFrames", "what it declares", .frames),
        Figure("plugins[].latency.measuredFrames", "by correlation; null where its output resembles no input", .frames)
            .orNull,
        Figure("plugins[].rawCallsAreSeen", "whether system calls are seen that no function of the C library makes").of(
            .flag),
        Figure("plugins[].seconds", "what its check took", .seconds),
        Figure("plugins[].memoryBytes", "the most memory that its process had at once, in bytes"),
    ]

    private static let pluginFindings = [
        Figure("plugins[].findings[].finding", "its kind, as --allow takes it").of(.text),
        Figure("plugins[].findings[].isFailure", "false for a warning").of(.flag),
        Figure("plugins[].findings[].subject", "the function that was called, or the port that was touched").of(.text),
        Figure("plugins[].findings[].phase", "what the plug-in was going through").of(.text),
        Figure("plugins[].findings[].count", "how often"),
        Figure("plugins[].findings[].blocks", "in how many blocks"),
        Figure(
            "plugins[].findings[].amount",
            "the most at once: bytes of memory or stack, periods that a block took, samples, page faults"
        ).of(.number),
        Figure("plugins[].findings[].text", "more about it; may be empty").of(.text),
        Figure("plugins[].findings[].frames[].library", "who called, the innermost first: a path").of(.text),
        Figure("plugins[].findings[].frames[].libraryOffset", "of the instruction in the library, in bytes"),
        Figure("plugins[].findings[].frames[].function", "null where the library does not export it").of(.text).orNull,
        Figure("plugins[].findings[].frames[].functionOffset", "of the instruction in the function, in bytes").orNull,
        Figure("plugins[].findings[].frames[].source", "file and line, where there are debug symbols").of(.text).orNull,
    ]
}
