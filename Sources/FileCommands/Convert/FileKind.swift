import AudioFiles
import AudioReports
import CommandSyntax
import Threads

extension Dither {
    /// In the order of the help.
    static let inOptions: [Dither] = [.triangular, .noiseShaped, .none]

    /// Of `--dither`.
    package var word: String {
        switch self {
        case .triangular: "triangular"
        case .noiseShaped: "shaped"
        case .none: "none"
        }
    }
}

/// The kind of file that `--format` and `--bits` ask for.
package struct FileKind {
    let container: SoundFileFormat.Container?
    /// What `--format` says of it.
    private let codec: SoundFileFormat.Encoding?
    private let fileExtension: String?
    /// What `--bits` says.
    private var bits: SoundFileFormat.Encoding?

    var encoding: SoundFileFormat.Encoding? { codec ?? bits }

    private static let codecs: [SoundFileFormat.Encoding] = [.opus]
    private static let widths = ["8", "16", "24", "32"]

    /// `--format` and `--bits`.
    ///
    /// - Parameters:
    ///   - name: what says the format where nothing else does.
    ///   - stored: what the bits are.
    ///   - usual: the bits where nothing is said.
    package static func options(name: String, stored: String, usual: String) -> [Option] {
        [format("as \(name) extension says").option, storage(stored, usual: usual).option]
    }

    private static func format(_ usual: String = "") -> TypedOption<String?> {
        .choice("format", "KIND", formats, \.self, usual: usual, isListed: true)
    }

    fileprivate static func storage(_ stored: String = "", usual: String = "") -> TypedOption<String?> {
        .choice("bits", "WHAT", encodings, \.self, usual: usual, stored, isListed: true)
    }

    /// The words of `--format`.
    private static let formats = SoundFileFormat.Container.allCases.map(\.rawValue) + codecs.map(\.rawValue)
    /// The words of `--bits`.
    private static let encodings = widths + ["float", "double", "alaw", "ulaw", "ima-adpcm", "gsm"]

    package init(_ arguments: Arguments) throws(Failure) {
        let name = try arguments.value(of: Self.format())
        let codec = Self.codecs.first { $0.rawValue == name }
        self.codec = codec
        container = codec == nil ? name.flatMap { SoundFileFormat.Container(rawValue: $0) } : .ogg
        fileExtension = name
        bits = try arguments.value(of: Self.storage()).flatMap {
            .init(rawValue: Self.widths.contains($0) ? "pcm\($0)" : $0)
        }
    }

    /// The same without `--bits`.
    package var withoutBits: FileKind {
        var kind = self
        kind.bits = nil
        return kind
    }

    /// The options to blame where a file cannot be of that kind: none where its name says no kind.
    package func blamed(for path: String) -> [String] {
        (try? withoutBits.possibleFormats(of: path)) == nil ? [] : ["bits", "format"]
    }

    /// Whether one of these files stores samples as `--bits` says. Where there is no file, nothing is known.
    func holdsBits(_ formats: [SoundFileFormat]) -> Bool {
        bits.map { bits in formats.isEmpty || formats.contains { $0.encoding == bits } } ?? true
    }

    /// The path of an output of that kind in a folder.
    func place(_ input: String, in folder: String) throws(Failure) -> String {
        let name = input == "-" ? "standard-input" : FilePath(input).name
        let base = FilePath(name).withoutExtension
        let suffix = fileExtension ?? FilePath(name).fileExtension
        guard !suffix.isEmpty else {
            throw Failure(
                .usage, "\(shown(name)) has no extension that says what to make of it; add --format", of: "format")
        }
        return FilePath(folder).appending("\(base).\(suffix)")
    }

    /// What a file may become whose samples are stored as the input's where nothing else is asked for.
    ///
    /// - Throws: `unsupportedFormat`.
    func possibleFormats(of path: String) throws(SoundFileError) -> [SoundFileFormat] {
        let container = path == "-" ? container ?? .wav : container
        let usual = try SoundFileFormat(path: path, container: container, encoding: encoding)
        guard encoding == nil, usual.encoding.isLossless else { return [usual] }
        return usual.container.encodings.filter(\.isLossless).compactMap { SoundFileFormat(usual.container, $0) }
    }

    /// The format of one of the files that are made at once.
    ///
    /// - Parameter isOnly: whether there is no other. Else one that has no choice, or not this one, gets its usual encoding.
    /// - Throws: `unsupportedFormat`.
    package func format(of path: String, isOnly: Bool) throws(SoundFileError) -> SoundFileFormat {
        let container = path == "-" ? container ?? .wav : container
        let usual = try SoundFileFormat(
            path: path, container: container, encoding: container == .ogg ? encoding : nil)
        guard let encoding, usual.encoding.isLossless || isOnly else { return usual }
        if let wanted = SoundFileFormat(usual.container, encoding) { return wanted }
        guard isOnly else { return usual }
        return try SoundFileFormat(path: path, container: container, encoding: encoding)
    }
}

/// The options about the encoders of files that are made.
package enum EncoderOptions {
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
    package static func dither(_ purpose: String = "", usual: String = "") -> TypedOption<Dither?> {
        .choice("dither", "D", Dither.inOptions, \.word, usual: usual, purpose, isListed: true)
    }

    /// The best first.
    package static func resampler(initial: ResamplingQuality) -> TypedOption<ResamplingQuality> {
        .choice(
            "resampler", "R", ResamplingQuality.allCases.reversed(), \.rawValue, initial: initial,
            "quality of the conversion to another sample rate", isListed: true)
    }

    package static func settings(_ arguments: Arguments) throws(Failure) -> EncoderSettings {
        EncoderSettings(
            quality: try arguments.value(of: quality), compressionLevel: try arguments.value(of: compression))
    }

    /// What each of them is for.
    private static let purposes: [(option: Option, words: String, isFor: @Sendable (SoundFileFormat) -> Bool)] = [
        (quality.option, "files of Opus, Vorbis or MP3", { $0.encoding.hasQuality }),
        (compression.option, "FLAC files", { $0.container == .flac }),
        (dither().option, "files of integers, as of --bits 16", { $0.sampleFormat.integerBits != nil }),
    ]

    /// Those, and `--bits`, that none of these files has a use for.
    ///
    /// - Parameter formats: all that the files may have. Where there is none, nothing is known.
    package static func idle(_ kind: FileKind, _ formats: [SoundFileFormat]) -> Set<String> {
        guard !formats.isEmpty else { return [] }
        let names = purposes.filter { !formats.contains(where: $0.isFor) }.map(\.option.name)
        return Set(names + (kind.holdsBits(formats) ? [] : ["bits"]))
    }

    /// Complains of an option that none of these files has a use for.
    package static func check(_ arguments: Arguments, _ kind: FileKind, _ formats: [SoundFileFormat]) throws(Failure) {
        let idle = idle(kind, formats)
        let bits = try arguments.value(of: FileKind.storage())
        try arguments.require(
            !idle.contains("bits"), "--bits \(bits ?? "") is what none of the files can hold: leave it out", of: "bits")
        for (option, words, _) in purposes where arguments.has(option) && idle.contains(option.name) {
            throw arguments.usage(
                "--\(option.name) is for \(words), of which none is written: leave it out", of: option.name)
        }
    }
}
