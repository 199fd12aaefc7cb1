import AudioFiles
import FoundationEssentials

/// The JSON text that opens a stream of the form `iounit.stream/1`: what the packets after it are.
///
/// Over a WebSocket it is the first message, in one text frame. A field that is not known is ignored.
public struct StreamOpening: Sendable, Equatable, Codable {
    /// The name of the form.
    public static let formName = "iounit.stream/1"

    /// `iounit.stream/1`.
    public var form = Self.formName
    /// How the packets are encoded.
    public var codec: Codec
    /// Of the stream, in hertz: 1000…768000.
    public var rate: Int
    /// 1…255.
    public var channels: Int
    /// Of FLAC and integers: 16 or 24.
    public var bits: Int?
    /// How many frames a packet has, but for the first and the last ones.
    public var packetFrames: Int
    /// How many frames a decoder drops after a packet with the flag `start`: the delay of Opus.
    public var delayFrames: Int
    /// The first frame of the first packet, at the stream's rate.
    public var firstFrame: UInt64
    /// Of the first frame: nanoseconds since 1970 in UTC.
    public var wallNanoseconds: Int64

    /// No text is longer.
    public static let limit = 1 << 16

    /// An opening of these parts.
    public init(
        codec: Codec, rate: Int, channels: Int, bits: Int? = nil, packetFrames: Int, delayFrames: Int = 0,
        firstFrame: UInt64, wallNanoseconds: Int64
    ) {
        self.codec = codec
        self.rate = rate
        self.channels = channels
        self.bits = bits
        self.packetFrames = packetFrames
        self.delayFrames = delayFrames
        self.firstFrame = firstFrame
        self.wallNanoseconds = wallNanoseconds
    }

    /// As JSON on one line, with the fields in the order of their names.
    public var text: String { jsonText }

    /// Reads one. Any text may come.
    ///
    /// - Throws: `badData`; `otherVersion` for the opening of a later version.
    public init(text: String) throws(StreamError) {
        let operation = "read the opening of a stream"
        func bad(_ reason: String) -> StreamError { StreamError(.badData, operation, reason) }
        guard text.utf8.count <= Self.limit else { throw bad("it is longer than 64 KiB") }
        struct Form: Decodable { var form: String }
        let data = Data(text.utf8)
        guard let form = (try? JSONDecoder().decode(Form.self, from: data))?.form, form.hasPrefix("iounit.stream/")
        else { throw bad("it is not the JSON of iounit.stream; is the sender another program?") }
        guard form == Self.formName else {
            throw StreamError(
                .otherVersion, operation,
                "it is of a form that this program does not know, and knows \(Self.formName); use the same release at"
                    + " both ends")
        }
        guard let opening = try? JSONDecoder().decode(Self.self, from: data) else {
            throw bad("a field is missing, or is not what it should be")
        }
        guard opening.codec.hasPackets, (1000...768_000).contains(opening.rate), (1...255).contains(opening.channels),
            opening.bits.map({ $0 == 16 || $0 == 24 }) ?? true, (1...1 << 20).contains(opening.packetFrames),
            (0...1 << 16).contains(opening.delayFrames)
        else { throw bad("a number is out of range, or the codec has no packets") }
        self = opening
    }

    /// What a decoder of the stream hands out.
    public var format: StreamFormat {
        StreamFormat(sampleRate: rate, channels: channels, sampleFormat: codec.sampleFormat(bits))
    }
}

extension Encodable {
    /// As JSON on one line, with the fields in the order of their names.
    var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, flags and whole numbers always have a form in JSON.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
