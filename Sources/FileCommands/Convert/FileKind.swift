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
    let encoding: SoundFileFormat.Encoding?
    private let fileExtension: String?
    /// What `--bits` says.
    private let bits: SoundFileFormat.Encoding?

    private static let codecs: [SoundFileFormat.Encoding] = [.opus]
    private static let widths = ["8", "16", "24", "32"]

    /// `--format` and `--bits`.
    ///
    /// - Parameters:
    ///   - name: what says the format where nothing else does.
    ///   - stored: what the bits are.
    ///   - usual: the bits where nothing is said.
    package static func options(name: String, stored: String, usual: String) -> [Option] {
        [
            Option("format", "KIND", formats, usual: "as \(name) extension says"),
            Option("bits", "WHAT", encodings, usual: usual, stored),
        ]
    }

    /// The words of `--format`.
    private static let formats = SoundFileFormat.Container.allCases.map(\.rawValue) + codecs.map(\.rawValue)
    /// The words of `--bits`.
    private static let encodings = widths + ["float", "double", "alaw", "ulaw", "ima-adpcm", "gsm"]

    package init(_ arguments: Arguments) throws(Failure) {
        let name = try arguments.choice("format")
        let codec = Self.codecs.first { $0.rawValue == name }
        container = codec == nil ? name.flatMap { SoundFileFormat.Container(rawValue: $0) } : .ogg
        fileExtension = name
        bits = try arguments.choice("bits").flatMap { .init(rawValue: Self.widths.contains($0) ? "pcm\($0)" : $0) }
        encoding = codec ?? bits
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
