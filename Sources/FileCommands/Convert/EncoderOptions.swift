import AudioFiles
import CommandSyntax

/// The options about the encoders of files that are made.
package struct EncoderOptions {
    package static let options = [quality.option, compression.option]

    private static let quality = share("quality", "Q", "of Opus, Vorbis and MP3: from 0 (small) to 1 (good)")
    private static let compression = share("compression", "C", "of FLAC: from 0 (fast) to 1 (small)")

    private static func share(_ name: String, _ placeholder: String, _ help: String) -> TypedOption<Double?> {
        .number(
            name, placeholder: placeholder, .number, 0...1, usual: "the encoder's choice", help, tellsRange: false)
    }

    /// - Parameters:
    ///   - usual: in words, where nothing is said.
    ///   - purpose: what it is for.
    package static func dither(_ purpose: String, usual: String) -> TypedOption<Dither?> {
        .choice("dither", "D", Dither.inOptions, \.word, usual: usual, purpose, isListed: true)
    }

    /// The best first.
    package static func resampler(initial: ResamplingQuality) -> TypedOption<ResamplingQuality> {
        .choice(
            "resampler", "R", ResamplingQuality.allCases.reversed(), \.rawValue, initial: initial,
            "quality of the conversion to another sample rate", isListed: true)
    }

    package let settings: EncoderSettings

    package init(_ arguments: Arguments) throws(Failure) {
        settings = EncoderSettings(
            quality: try arguments.value(of: Self.quality),
            compressionLevel: try arguments.value(of: Self.compression))
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
