import AudioFiles

/// A packet of a stream in the form `iounit.stream/1`: encoded frames, what a decoder needs before them, or time of which
/// there is no sound.
///
/// A header of 40 bytes or more, then the payload. Numbers are unsigned and have their most significant byte first.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 4 | `iouS` |
/// | 4 | 1 | version: 1 |
/// | 5 | 1 | flags: 1 gap, 2 header, 4 start, 8 loss; the others are 0, and ignored |
/// | 6 | 2 | length of this header; bytes beyond 40 are skipped |
/// | 8 | 4 | sequence number, which follows 2³² − 1 with 0 |
/// | 12 | 4 | packets that this receiver lost right before this one, because it did not take them; at most 2³² − 1 |
/// | 16 | 8 | the first frame, at the stream's rate |
/// | 24 | 8 | wall clock of the first frame: nanoseconds since 1970 in UTC, signed |
/// | 32 | 4 | frames |
/// | 36 | 4 | length of the payload, at most 1 MiB |
///
/// *Frames* of a packet are those that a decoder hands out: the first frame of the next packet is this one's first frame plus
/// its frames. A codec with a delay (Opus) therefore has fewer frames in the packets after `start`: its decoder drops the
/// first `delayFrames` samples (see `StreamOpening`), and keeps of each later packet the first `frames`.
///
/// A *gap* has as many frames as passed without sound, and names the cause in its payload, in ASCII. A *header* has no
/// frames, the sequence number of the packet after it, and a payload that the decoder needs: of FLAC `fLaC` and the metadata
/// blocks, of Opus the identification header of RFC 7845.
public struct StreamPacket: Sendable, Equatable {
    /// What a packet is.
    public struct Flags: OptionSet, Sendable, Hashable {
        /// As in the header.
        public let rawValue: UInt8
        /// Flags as in the header.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Time without sound.
        public static let gap = Flags(rawValue: 1)
        /// What a decoder needs before the first sound.
        public static let header = Flags(rawValue: 2)
        /// The codec's state begins here: a decoder forgets what came before.
        public static let start = Flags(rawValue: 4)
        /// The receiver lost packets right before this one: `lostPackets`.
        public static let loss = Flags(rawValue: 8)
    }

    /// What it is.
    public var flags: Flags
    /// One more than that of the packet before, modulo 2³².
    public var sequence: UInt32
    /// How many packets the sender dropped right before this one, because this receiver did not take them.
    public var lostPackets: UInt32 = 0
    /// At the stream's rate.
    public var firstFrame: UInt64
    /// How long it lasts, at the stream's rate.
    public var frames: UInt32
    /// Of the first frame: nanoseconds since 1970 in UTC.
    public var wallNanoseconds: Int64
    /// Encoded sound, a decoder's header, or the cause of a gap.
    public var payload: [UInt8]

    /// Of the header that is written here.
    public static let headerBytes = 40
    /// No payload is larger, so that what a receiver must hold is bounded.
    public static let payloadLimit = 1 << 20
    private static let magic = Array("iouS".utf8)
    private static let version: UInt8 = 1

    /// A packet of these parts.
    public init(
        flags: Flags = [], sequence: UInt32, firstFrame: UInt64, frames: UInt32, wallNanoseconds: Int64,
        payload: [UInt8]
    ) {
        self.flags = flags
        self.sequence = sequence
        self.firstFrame = firstFrame
        self.frames = frames
        self.wallNanoseconds = wallNanoseconds
        self.payload = payload
    }

    /// Behind its last frame.
    public var endFrame: UInt64 { firstFrame &+ UInt64(frames) }

    /// Whether it is time without sound.
    var isGap: Bool { flags.contains(.gap) }

    /// The packet that comes before this one where a decoder needs something first; `nil` where it needs nothing.
    func header(_ payload: [UInt8]) -> StreamPacket? {
        guard !payload.isEmpty else { return nil }
        return StreamPacket(
            flags: .header, sequence: sequence, firstFrame: firstFrame, frames: 0, wallNanoseconds: wallNanoseconds,
            payload: payload)
    }

    /// In the form `iounit.stream/1`.
    public var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headerBytes + payload.count)
        bytes += [Self.version, flags.rawValue]
        bytes.append(bigEndian: UInt16(Self.headerBytes))
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: lostPackets)
        bytes.append(bigEndian: firstFrame)
        bytes.append(bigEndian: UInt64(bitPattern: wallNanoseconds))
        bytes.append(bigEndian: frames)
        bytes.append(bigEndian: UInt32(clamping: payload.count))
        return bytes + payload
    }

    /// Reads one packet that is all of `bytes`, as a WebSocket message is. Any bytes may come.
    ///
    /// - Throws: `badData`; `otherVersion` for the packet of a later version.
    public init(_ bytes: [UInt8]) throws(StreamError) {
        guard let header = try Header(bytes[...]) else { throw Self.bad("it ends within its header") }
        guard header.packetBytes == bytes.count else {
            throw Self.bad("its header tells of \(header.packetBytes) bytes, and there are \(bytes.count)")
        }
        self.init(header, bytes[...])
    }

    private init(_ header: Header, _ bytes: ArraySlice<UInt8>) {
        self = header.packet
        payload = Array(bytes.dropFirst(header.headerBytes).prefix(header.payloadBytes))
    }

    /// Takes the first packet off what came as a stream of bytes; `nil` where more must come before.
    ///
    /// - Throws: as above. Where a stream of bytes is wrong there is no way to find the next packet.
    public static func take(from bytes: inout ArraySlice<UInt8>) throws(StreamError) -> StreamPacket? {
        guard let header = try Header(bytes), header.packetBytes <= bytes.count else { return nil }
        let packet = StreamPacket(header, bytes)
        bytes.removeFirst(header.packetBytes)
        return packet
    }

    private static func bad(_ reason: String) -> StreamError { StreamError(.badData, "read a packet", reason) }

    /// What stands before the payload.
    private struct Header {
        /// Without its payload.
        var packet: StreamPacket
        var headerBytes: Int
        var payloadBytes: Int

        var packetBytes: Int { headerBytes + payloadBytes }

        /// `nil` where more must come before.
        init?(_ bytes: ArraySlice<UInt8>) throws(StreamError) {
            guard bytes.starts(with: magic.prefix(bytes.count)) else {
                throw bad("it does not begin as one of iounit.stream; is the sender another program?")
            }
            if let version = bytes.dropFirst(4).first, version != StreamPacket.version {
                throw StreamError(
                    .otherVersion, "read a packet",
                    "it is of version \(version), and this program knows version \(StreamPacket.version); use the same"
                        + " release at both ends")
            }
            guard bytes.count >= StreamPacket.headerBytes else { return nil }
            packet = StreamPacket(
                flags: Flags(rawValue: UInt8(bytes.bigEndian(5, 1))), sequence: UInt32(bytes.bigEndian(8, 4)),
                firstFrame: UInt64(bitPattern: Int64(bytes.bigEndian(16, 8))),
                frames: UInt32(bytes.bigEndian(32, 4)), wallNanoseconds: Int64(bytes.bigEndian(24, 8)), payload: [])
            packet.lostPackets = UInt32(bytes.bigEndian(12, 4))
            headerBytes = bytes.bigEndian(6, 2)
            payloadBytes = bytes.bigEndian(36, 4)
            guard headerBytes >= StreamPacket.headerBytes else {
                throw bad("its header is said to be \(headerBytes) bytes long, and has \(StreamPacket.headerBytes)")
            }
            guard payloadBytes <= payloadLimit else {
                throw bad("its payload is said to be \(payloadBytes) bytes long, and may have \(payloadLimit)")
            }
        }
    }
}
