import AudioFiles
import CommandSyntax

/// The options `--quality`, `--compression` and `--dither` of files that are made.
package struct EncoderOptions {
    package static let options = [
        Option("quality", "Q", "of Opus, Vorbis and MP3: 0, small, to 1, good (the encoder's choice)"),
        Option("compression", "C", "of FLAC: 0, fast, to 1, small (the encoder's choice)"),
    ]

    package let settings: EncoderSettings
    /// `nil` where nothing is said.
    package let dither: Dither?

    package init(_ arguments: Arguments) throws(Failure) {
        settings = EncoderSettings(
            quality: try arguments.number("quality", 0...1),
            compressionLevel: try arguments.number("compression", 0...1))
        dither = try arguments.choice("dither").flatMap { Dither(word: $0) }
    }

    /// What each of them is for.
    private static let purposes: [(name: String, words: String, isFor: @Sendable (SoundFileFormat) -> Bool)] = [
        ("quality", "files of Opus, Vorbis or MP3", { $0.encoding.hasQuality }),
        ("compression", "FLAC files", { $0.container == .flac }),
        ("dither", "files of integers, as of --bits 16", { $0.sampleFormat.integerBits != nil }),
    ]

    /// Those, and `--bits`, that none of these files has a use for.
    ///
    /// - Parameter formats: all that the files may have. Where there is none, nothing is known.
    package static func idle(_ kind: FileKind, _ formats: [SoundFileFormat]) -> Set<String> {
        guard !formats.isEmpty else { return [] }
        let names = purposes.filter { !formats.contains(where: $0.isFor) }.map(\.name)
        return Set(names + (kind.holdsBits(formats) ? [] : ["bits"]))
    }

    /// Complains of an option that none of these files has a use for.
    package static func check(_ arguments: Arguments, _ kind: FileKind, _ formats: [SoundFileFormat]) throws(Failure) {
        let idle = idle(kind, formats)
        try arguments.require(
            !idle.contains("bits"),
            "--bits \(arguments.value("bits") ?? "") is what none of the files can hold: leave it out", of: "bits")
        for (name, words, _) in purposes where arguments.has(name) && idle.contains(name) {
            throw arguments.usage("--\(name) is for \(words), of which none is written: leave it out", of: name)
        }
    }
}
