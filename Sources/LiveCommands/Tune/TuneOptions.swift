import AudioMetering
import CommandSyntax

/// What `iounit tune` was asked to do.
struct TuneOptions {
    static let syntax = Syntax(
        name: "tune", summary: "pitch of one voice or instrument in cents: of the capture ports, or of a recording",
        groups: ListenOptions.groups(
            ListenReport<TuneFigures>.kind,
            ("Pitch", [a4.option])),
        notes: """
            Without a FILE it listens to the capture ports; with one it needs no server. FILE may be -, the standard input.
            It looks at the last 100 ms, fifty times a second, by the McLeod pitch method: 30 to 4000 Hz, and at most a fifth of the
            sample rate. Where the sound does not repeat, as noise, it gives no pitch. It is made for one voice at a time: several
            have the pitch of what all of them repeat at, or none.
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "[FILE]", optionsOfFiles: ListenOptions.ofFiles.union([a4.option.name]))

    private static let a4 = TypedOption<Double>.number(
        "a4", .pitch, 380...500, initial: 440, "the A above middle C in hertz")

    let listen: ListenOptions
    /// The A above middle C, in hertz.
    let reference: Double

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        reference = try arguments.value(of: Self.a4)
        listen = try ListenOptions(arguments, Self.syntax)
    }
}
