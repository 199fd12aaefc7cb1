import AudioReports
import CommandSyntax

/// What `iounit beat` was asked to do.
struct BeatOptions {
    static let syntax = Syntax(
        name: "beat", summary: "count heart-beats: of a microphone on the chest, or of a recording",
        groups: ListenOptions.groups(ListenReport<BeatFigures>.kind),
        notes: """
            Without a FILE it listens to the capture ports; with one it needs no server. FILE may be -, the standard input.
            It looks at the last 10 s, twice a second: a pair of sounds that repeats 40 to 200 times a minute, loudest at 25 to
            120 Hz. Where it is not sure, it gives no number and says why: noise, speech, music, strokes without a second sound;
            or a rate above 200, whose half fits as well: both are told. A FILE has 500 Hz or more.
            Variability is the RMSSD of 10 s. It is no medical device.
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "[FILE]", optionsOfFiles: ["seconds", "json"])

    let listen: ListenOptions

    init(_ words: [String]) throws(Failure) {
        listen = try ListenOptions(Arguments(words, Self.syntax), Self.syntax)
    }
}
