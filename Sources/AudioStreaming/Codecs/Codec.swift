import AudioDSP
import AudioFigures
import AudioFiles
import Synchronization

/// How the packets of a stream are encoded.
///
/// A codec is one value, in a file of its own below `Codecs`, and one entry in `builtIn`. Options, checks, the page, the
/// receiver's recognition and the help texts iterate over `all`.
public struct Codec: Sendable {
    /// As in `--codec`, in an opening and in a report: `opus`.
    public let name: String
    /// Whether a receiver gets what was sent, rounded to the codec's bits.
    public let isLossless: Bool
    /// As in a sentence: `Opus`.
    let title: String
    /// What `CodecSettings` may choose, beside the rate and the length of packets.
    var choices: Choices = []
    /// `nil` where there is no choice.
    var packetLengths: PacketLengths? = .any
    /// Where no bit rate is chosen, for a sentence.
    var usualBitRate = ""
    /// In hertz, the usual one first, to which any other is converted; `nil` for 1000 to 768000.
    var sampleRates: [Int]?
    let channels: ClosedRange<Int>
    /// The samples that a decoder hands out, and a lossless encoder takes, by the bits of the settings or the opening.
    var sampleFormat: @Sendable (_ bits: Int?) -> SampleFormat = { _ in .float32 }
    let encoder: any PacketEncoder.Type
    /// `nil` for a codec whose packets say little without the ones before: they go neither by WebSocket nor by RTP.
    let decoder: (any PacketDecoder.Type)?
    /// In a file, a pipe or by TCP; `nil` where it is not sent there. The same below.
    var file: FileForm?
    var icecast: IcecastForm?
    var ogg: OggMapping?
    var rtp: RTPForm?
    /// As an endless file of the page.
    var page: PageForm?
    /// In which a receiver knows it, beside Ogg.
    var container: StreamContainer?

    /// What an encoder lets its user choose.
    struct Choices: OptionSet {
        let rawValue: Int
        static let bitRate = Choices(rawValue: 1)
        static let forwardErrorCorrection = Choices(rawValue: 2)
        /// 16 or 24 bits.
        static let bits = Choices(rawValue: 4)
        /// Packets as short as a listener to the page wants them, at no great cost.
        static let shortPackets = Choices(rawValue: 8)
    }

    /// How long a packet may be, in milliseconds.
    struct PacketLengths: Hashable {
        /// For a sentence.
        let choices: String
        let usual: Double

        static let any = PacketLengths(choices: "up to \(CodecSettings.longestMilliseconds)", usual: 10)
    }

    /// A new codec is one line here.
    private static let builtIn: [Codec] = [.opus, .flac, .mp3, .pcm16, .pcm24, .float]
    private static let registered = Mutex<[Codec]>([])

    /// All codecs.
    public static var all: [Codec] { builtIn + registered.withLock { $0 } }

    /// Adds one until the process ends.
    ///
    /// - Parameter codec: with a name of its own.
    static func register(_ codec: Codec) { registered.withLock { $0.append(codec) } }

    /// The codec of a name; `nil` where there is none.
    public static func named(_ name: String) -> Codec? { all.first { $0.name == name } }

    /// Whether it goes in packets of the form `iounit.stream/1`.
    public var hasPackets: Bool { decoder != nil }

    /// For a help text, with what is usual in brackets: `opus 10 or 20 (20); flac up to 96 at 48 kHz (85)`.
    public static var packetLengthsInWords: String {
        var told: [PacketLengths] = []
        for case let lengths? in all.map(\.packetLengths) where !told.contains(lengths) { told.append(lengths) }
        return told.map { lengths in
            let codecs = list(all.filter { $0.packetLengths == lengths }, "and")
            return "\(codecs) \(lengths.choices) (\(shortest(lengths.usual)))"
        }.joined(separator: "; ")
    }

    /// The codecs whose bit rate may be chosen, with what is usual in brackets: `opus (libopus chooses) and mp3 (128k)`.
    public static var bitRatesInWords: String {
        all.filter { $0.choices.contains(.bitRate) }.map { "\($0.name) (\($0.usualBitRate))" }.listed("and")
    }

    /// Names for a sentence: `opus, flac or mp3`.
    public static func list(_ codecs: [Codec], _ conjunction: String = "or") -> String {
        codecs.map(\.name).listed(conjunction)
    }
}

extension Codec: Hashable, Codable, CustomStringConvertible {
    /// The name.
    public var description: String { name }

    /// By the name.
    public static func == (one: Codec, other: Codec) -> Bool { one.name == other.name }

    /// By the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Reads a name.
    ///
    /// - Throws: `DecodingError` where no codec has it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let codec = Codec.named(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no such codec")
        }
        self = codec
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension ClosedRange<Int> {
    /// For a sentence: `1 or 2`, `1 to 8`.
    var words: String {
        if count == 1 { return "\(lowerBound)" }
        return "\(lowerBound) \(count == 2 ? "or" : "to") \(upperBound)"
    }
}
