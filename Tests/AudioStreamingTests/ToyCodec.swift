import AudioFiles

@testable import AudioStreaming

extension Codec {
    /// A codec that no release has: samples of 16 bits with each bit turned, behind their number of frames.
    static let toy = Codec(
        name: "toy", isLossless: true, title: "Toy", choices: .shortPackets, sampleRates: [48000], channels: 1...2,
        sampleFormat: { _ in .int16 }, encoder: ToyEncoder.self, decoder: ToyDecoder.self,
        ogg: .toy,
        rtp: RTPForm(
            name: "X-TOY", parameters: { opening, _ in "bits=\(opening.bits ?? 0)" }, mostChannels: 2,
            rates: 48000...48000, channels: 1...2, frames: ToyDecoder.frames),
        page: PageForm(fileExtension: "toy", mediaType: "audio/ogg") { OggMuxer($0, $1, .toy) })
}

extension OggMapping {
    fileprivate static let toy = OggMapping(
        headers: { [$0, $1] }, frames: { _, packet in Int64(packet.frames) }, makeTrack: ToyTrack.init)
}

/// The samples of `PCMPacketEncoder`, turned.
private final class ToyEncoder: PacketEncoder {
    private let samples: PCMPacketEncoder
    let header: [UInt8]
    var format: StreamFormat { samples.format }
    var frames: Int { samples.frames }

    init(_ settings: CodecSettings, inputRate: Int, sampleRate: Int, channels: Int) throws(StreamError) {
        samples = try PCMPacketEncoder(settings, inputRate: inputRate, sampleRate: sampleRate, channels: channels)
        header = Array("ToyHead".utf8) + [UInt8(channels)]
    }

    func encode(_ buffer: PCMBuffer) throws(StreamError) -> [EncodedPayload] {
        try samples.encode(buffer).map(turned)
    }

    func finish() throws(StreamError) -> [EncodedPayload] { try samples.finish().map(turned) }

    private func turned(_ payload: EncodedPayload) -> EncodedPayload {
        var payload = payload
        payload.bytes = [UInt8(payload.frames >> 8), UInt8(payload.frames & 0xff)] + payload.bytes.map { ~$0 }
        return payload
    }
}

private final class ToyDecoder: PacketDecoder {
    private let samples: PCMPacketDecoder
    private let opening: StreamOpening

    init(_ opening: StreamOpening) {
        self.opening = opening
        samples = PCMPacketDecoder(opening)
    }

    func begin(_ header: [UInt8]) throws(StreamError) {
        guard header == Array("ToyHead".utf8) + [UInt8(opening.channels)] else {
            throw opening.bad("its header is none")
        }
    }

    func decode(_ payload: [UInt8]) throws(StreamError) -> PCMBuffer {
        let buffer = try samples.decode(payload.dropFirst(2).map { ~$0 })
        guard buffer.frames == Self.frames(payload) else { throw opening.bad("the packet is damaged") }
        return buffer
    }

    static func frames(_ payload: [UInt8]) -> Int? {
        payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1])
    }
}

private final class ToyTrack: OggTrack {
    let header: [UInt8]
    private var headerPackets = 1

    init?(_ head: [UInt8]) {
        guard head.starts(with: "ToyHead".utf8), head.count == 8, head[7] > 0 else { return nil }
        header = head
    }

    func opening(_ operation: String) throws(StreamError) -> StreamOpening {
        try StreamOpening(
            .toy, rate: 48000, channels: Int(header[7]), bits: 16, packetFrames: 480, operation: operation)
    }

    func goesOn(after other: any OggTrack) -> Bool { (other as? ToyTrack)?.header == header }

    func take(
        _ packets: [[UInt8]], of page: OggReader.Page, isBehindHole: Bool, _ counter: inout PacketCounter
    ) -> [SoundPiece] {
        let sound = packets.dropFirst(headerPackets)
        headerPackets = 0
        return sound.compactMap { packet in
            ToyDecoder.frames(packet).map { .packet(counter.packet(packet, frames: $0)) }
        }
    }
}
