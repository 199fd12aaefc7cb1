/// How a sound file stores its frames: the container, and the encoding of the samples in it.
///
/// The *file format*. What a program reads and writes is the *processing format* (`StreamFormat`), which the file's
/// own rate and channels belong to.
public struct SoundFileFormat: Sendable, Hashable, CustomStringConvertible {
    /// The kind of file.
    public let container: Container
    /// How its samples are stored.
    public let encoding: Encoding

    /// What there is: each container with each encoding that it holds.
    public static let all: [SoundFileFormat] = Container.allCases.flatMap { container in
        container.encodings.map { SoundFileFormat(known: container, $0) }
    }

    /// `nil` where the container does not hold such samples.
    public init?(_ container: Container, _ encoding: Encoding) {
        guard container.encodings.contains(encoding) else { return nil }
        self.init(known: container, encoding)
    }

    init(known container: Container, _ encoding: Encoding) {
        self.container = container
        self.encoding = encoding
    }

    /// The format that a name's extension stands for, in any case: `.wav` is WAV with samples of 32-bit float.
    ///
    /// - Parameters:
    ///   - container: instead of the extension's.
    ///   - encoding: instead of the container's usual one.
    ///   - operation: what an error says cannot be done, as in "record to".
    /// - Throws: `unsupportedFormat`, naming the extensions there are, or the encodings that the container holds.
    public init(
        path: String, container: Container? = nil, encoding: Encoding? = nil, operation: String = "write"
    ) throws(SoundFileError) {
        let known = Self.fileExtension(of: path)
        let named = Self.extensions.first { $0.name == known }
        // The same default for a named pipe as for the standard output.
        let piped = known.isEmpty && SoundFileWriter.isPipe(path) ? SoundStream.usualFormat.container : nil
        guard let chosen = container ?? named?.container ?? piped else {
            let all = Self.knownExtensions.map { ".\($0)" }.joined(separator: " ")
            let problem = known.isEmpty ? "its name has no extension" : ".\(known) is not known"
            throw SoundFileError(.unsupportedFormat, operation, path, "\(problem); use one of \(all)")
        }
        let usual = named?.container == chosen ? named?.encoding : nil
        let samples = encoding ?? usual ?? chosen.usualEncoding
        guard let format = SoundFileFormat(chosen, samples) else {
            let held = chosen.encodings.map(\.rawValue).joined(separator: " ")
            throw SoundFileError(
                .unsupportedFormat, operation, path,
                "\(chosen.rawValue) does not hold \(samples.rawValue); it holds \(held)")
        }
        self = format
    }

    /// Extensions of names, without the dot.
    public static var knownExtensions: [String] { extensions.map(\.name) }

    public var description: String { "\(container.rawValue) \(encoding.rawValue)" }

    /// The sample format that loses nothing of the encoding; 32-bit float for what is lossy.
    public var sampleFormat: SampleFormat { encoding.sampleFormat }

    /// What a name's extension stands for; the encoding where it is not the container's usual one.
    private static let extensions: [(name: String, container: Container, encoding: Encoding?)] = [
        ("wav", .wav, nil), ("rf64", .rf64, nil), ("w64", .w64, nil), ("caf", .caf, nil), ("aiff", .aiff, nil),
        ("aif", .aiff, nil), ("aifc", .aiff, nil), ("au", .au, nil), ("snd", .au, nil), ("flac", .flac, nil),
        ("ogg", .ogg, nil), ("oga", .ogg, nil), ("opus", .ogg, .opus), ("mp3", .mp3, nil), ("raw", .raw, nil),
        ("pcm", .raw, nil),
    ]

    private static func fileExtension(of path: String) -> String {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 ? parts.last.map { $0.lowercased() } ?? "" : ""
    }
}

extension SoundFileFormat {
    /// The kind of file.
    public enum Container: String, Sendable, CaseIterable {
        /// Becomes RF64 by itself above 4 GiB.
        case wav
        /// RF64 from the first byte on.
        case rf64
        /// Sony Wave64, without WAV's limit of 4 GiB.
        case w64
        /// Apple's Core Audio Format, without a limit of its size.
        case caf
        /// AIFF, and AIFF-C where the encoding asks for it.
        case aiff
        /// Sun's and NeXT's.
        case au
        /// FLAC in its own container.
        case flac
        /// Ogg, with Vorbis, Opus or FLAC.
        case ogg
        /// MPEG audio, layer III.
        case mp3
        /// Samples without a header, in the order of bytes of x86.
        case raw

        /// What it holds.
        public var encodings: [Encoding] { Encoding.allCases.filter { code(of: $0) != nil } }

        /// The one that it has where nothing else is asked for.
        public var usualEncoding: Encoding {
            switch self {
            case .wav, .rf64, .w64, .caf, .aiff, .au, .raw: .float
            case .flac: .pcm24
            case .ogg: .vorbis
            case .mp3: .mp3
            }
        }
    }

    /// How samples are stored.
    public enum Encoding: String, Sendable, CaseIterable {
        /// Linear; integers are signed but for the 8 bits of WAV, `float` has 32 bits and `double` 64.
        case pcm8, pcm16, pcm24, pcm32, float, double
        /// ITU-T G.711.
        case aLaw = "alaw"
        /// ITU-T G.711.
        case muLaw = "ulaw"
        /// 4 bits a sample. A last block that is not full is filled with silence, here and below.
        case imaADPCM = "ima-adpcm"
        /// GSM 06.10, 13 kbit/s at 8 kHz.
        case gsm610 = "gsm"
        /// Lossy.
        case vorbis, opus, mp3

        /// Integers of so many bits: 8, 16, 24 or 32.
        public static func pcm(bits: Int) -> Encoding? { Encoding(rawValue: "pcm\(bits)") }

        /// Whether what is written is read again to the bit.
        public var isLossless: Bool {
            switch self {
            case .pcm8, .pcm16, .pcm24, .pcm32, .float, .double: true
            case .aLaw, .muLaw, .imaADPCM, .gsm610, .vorbis, .opus, .mp3: false
            }
        }

        /// Whether the encoder trades quality for size: `EncoderSettings.quality`.
        public var hasQuality: Bool { [.vorbis, .opus, .mp3].contains(self) }

        var sampleFormat: SampleFormat {
            switch self {
            case .pcm8: .int8
            case .pcm16, .imaADPCM, .gsm610: .int16
            case .pcm24: .int24
            case .pcm32: .int32
            case .double: .float64
            case .aLaw: .aLaw
            case .muLaw: .muLaw
            case .float, .vorbis, .opus, .mp3: .float32
            }
        }
    }
}
