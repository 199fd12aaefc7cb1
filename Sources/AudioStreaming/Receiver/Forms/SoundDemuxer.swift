/// What a stream that has the form of a file turned out to hold.
enum SoundPiece: Sendable, Equatable {
    /// All packets after it are of this stream.
    case opening(StreamOpening)
    /// Of the form that `StreamDecoder` takes, numbered from the opening on. One without a payload is in the place of what is missing.
    case packet(StreamPacket)
}

/// Finds packets in a stream of bytes that has the form of a file. Any bytes may come, cut anywhere; what is held back is less
/// than `StreamPacket.payloadLimit` and a little, and of MP3 at most 4 MiB of a tag.
///
/// Thread: one at a time, any.
protocol SoundDemuxer: AnyObject {
    /// - Throws: `protocolError`, `badData`: there is no sound in it.
    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece]

    /// No more comes; returns what was held back.
    func finish() -> [SoundPiece]

    /// Whether the header says how long the sound is, so that it is a file that was sent.
    var isFinite: Bool { get }
}

extension SoundDemuxer {
    func finish() -> [SoundPiece] { [] }
    var isFinite: Bool { false }
}

/// Numbers the packets of a stream.
struct PacketCounter: Sendable {
    private var sequence: UInt32 = 0
    /// Of the next packet.
    private(set) var frame: UInt64 = 0

    /// Numbers that step by more frames, 11 s at 48 kHz, tell of another place in the sound.
    private static let mostMissingFrames = 1 << 19
    /// In one place, so that a few bytes do not become many packets.
    private static let mostMissingPackets = 16

    mutating func packet(_ payload: [UInt8], frames: Int, _ flags: StreamPacket.Flags = []) -> StreamPacket {
        defer {
            sequence &+= 1
            frame += UInt64(frames)
        }
        return StreamPacket(
            flags: flags, sequence: sequence, firstFrame: frame, frames: UInt32(clamping: frames), wallNanoseconds: 0,
            payload: payload)
    }

    /// Packets without a payload in the place of those that were damaged or did not come. No decoder takes them: they count as damaged,
    /// are made up for, and keep the time of what follows. Where more than 16 are missing the last one is as long as the rest.
    ///
    /// - Parameters:
    ///   - frames: what is missing, by the numbers of the stream.
    ///   - each: of one packet.
    mutating func missing(_ frames: Int, each: Int) -> [SoundPiece] {
        guard (1...Self.mostMissingFrames).contains(frames) else { return [.packet(packet([], frames: 0))] }
        let count = max(1, min(frames / max(1, each), Self.mostMissingPackets))
        return (1...count).map { .packet(packet([], frames: $0 < count ? each : frames - each * (count - 1))) }
    }

    /// The same at the end of the sound, where nothing follows whose time must be right: they last no time.
    mutating func missingEnd(_ frames: Int, each: Int) -> [SoundPiece] {
        let count = max(1, min(frames / max(1, each), Self.mostMissingPackets))
        return (1...count).map { _ in .packet(packet([], frames: 0)) }
    }

    /// What a decoder needs before the next packet.
    func header(_ payload: [UInt8]) -> StreamPacket {
        StreamPacket(
            flags: .header, sequence: sequence, firstFrame: frame, frames: 0, wallNanoseconds: 0, payload: payload)
    }
}

extension StreamOpening {
    /// Of sound from a file, whose time nobody knows.
    ///
    /// - Throws: `protocolError` for numbers that no stream may have.
    init(
        _ codec: Codec, rate: Int, channels: Int, bits: Int? = nil, packetFrames: Int, delayFrames: Int = 0,
        operation: String
    ) throws(StreamError) {
        guard (1000...768_000).contains(rate), (1...255).contains(channels) else {
            throw StreamError(
                .protocolError, operation,
                "its sound has \(channels) channels at \(rate) hertz, and may have 1 to 255 at 1000 to 768000")
        }
        self.init(
            codec: codec, rate: rate, channels: channels, bits: bits, packetFrames: max(1, packetFrames),
            delayFrames: delayFrames, firstFrame: 0, wallNanoseconds: 0)
    }
}
