import CommandSyntax

/// What `iounit info` was asked to do.
struct InfoOptions {
    static let syntax = Syntax(
        name: "info", summary: "what is in a sound file, and what is broken in it; needs no server",
        groups: [
            (
                "Measure",
                [
                    Option(flag: "peaks", "read all of it: peaks, clipped samples, samples not finite, DC offset"),
                    Option(
                        flag: "loudness", "read all of it: loudness and its range (EBU R 128), and the true peak"),
                ]
            ),
            (
                "Output",
                [
                    .json(InfoReport.kind),
                    .help,
                ]
            ),
        ],
        notes: """
            FILE may be -, the standard input: WAV, AIFF, AU, FLAC and Ogg can be read from a pipe. Of a recording, the gaps are
            shown too, as FILE.json lists them. Samples count as clipped in runs of 3 and more at full scale.
            What is broken in a file is a WARNING, and the exit code is 0: info describes. convert ends with 65 then.
            Fields of the JSON: iounit help figures.
            """,
        operands: "FILE...")

    var paths: [String]
    var measuresPeaks: Bool
    var measuresLoudness: Bool
    var isJSON: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        paths = arguments.operands
        measuresPeaks = arguments.has("peaks")
        measuresLoudness = arguments.has("loudness")
        isJSON = arguments.has("json")
        try arguments.require(!paths.isEmpty, "info needs a file to look at: iounit info FILE...")
        try arguments.require(paths.count { $0 == "-" } <= 1, "the standard input can be read once only")
    }
}
