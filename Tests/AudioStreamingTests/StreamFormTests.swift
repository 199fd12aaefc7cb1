import TestSupport
import Testing

@testable import AudioStreaming

@Suite("The form iounit.stream/1") struct StreamFormTests {
    private let packet = StreamPacket(
        flags: [.start, .loss], sequence: .max, firstFrame: 1 << 40, frames: 480, wallNanoseconds: -5,
        payload: [1, 2, 3])

    @Test func `has each field where its description says`() {
        var lossy = packet
        lossy.lostPackets = 258
        let due: [UInt8] =
            [0x69, 0x6f, 0x75, 0x53, 1, 12, 0, 40, 255, 255, 255, 255, 0, 0, 1, 2]
            + [0, 0, 1, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 251, 0, 0, 1, 224, 0, 0, 0, 3, 1, 2, 3]
        #expect(lossy.bytes == due)
    }

    @Test func `is read as it was written, in one piece and byte by byte`() throws {
        #expect(try StreamPacket(packet.bytes) == packet)
        let others = (0..<3).map { number in
            StreamPacket(
                sequence: number, firstFrame: 0, frames: 0, wallNanoseconds: 0,
                payload: [UInt8](repeating: 7, count: Int(number) * 100))
        }
        var bytes: ArraySlice<UInt8> = []
        var read: [StreamPacket] = []
        for byte in ([packet] + others).flatMap(\.bytes) {
            bytes.append(byte)
            while let packet = try StreamPacket.take(from: &bytes) { read.append(packet) }
        }
        #expect(read == [packet] + others && bytes.isEmpty)
    }

    @Test func `may have a longer header one day, which is skipped`() throws {
        var bytes = packet.bytes
        bytes[7] = 44
        bytes.insert(contentsOf: [9, 9, 9, 9], at: 40)
        #expect(try StreamPacket(bytes) == packet)
    }

    @Test func `becomes a file in which a gap is silence, of no more than 16 MiB and 64 KiB at once`() {
        func silence(rate: Int, channels: Int, missing: UInt64) -> Int {
            let muxer = WAVMuxer(
                StreamOpening(
                    codec: .pcm16, rate: rate, channels: channels, packetFrames: 480, firstFrame: 0, wallNanoseconds: 0
                ))
            let header = muxer.bytes(of: packet, missing: 0).count - packet.payload.count
            #expect(header == 44)
            var pieces = [muxer.bytes(of: packet, missing: missing)]
            while muxer.hasMore { pieces.append(muxer.more()) }
            #expect(pieces.allSatisfy { $0.count <= (64 << 10) + packet.payload.count })
            #expect(pieces.last?.suffix(packet.payload.count) == packet.payload[...])
            return pieces.map(\.count).reduce(0, +) - packet.payload.count
        }
        #expect(silence(rate: 48_000, channels: 2, missing: 4800) == 4800 * 4)
        #expect(silence(rate: 48_000, channels: 2, missing: 1 << 40) == 480_000 * 4)
        #expect(silence(rate: 192_000, channels: 64, missing: 1 << 40) == 16 << 20)
        #expect(silence(rate: 192_000, channels: 255, missing: 1 << 40) == (16 << 20) / 510 * 510)
    }

    @Test func `of a later version is said to be that`() {
        var bytes = packet.bytes
        bytes[4] = 2
        #expect(throws: StreamError.self) { try StreamPacket(bytes) }
        #expect(#expect(throws: StreamError.self) { try StreamPacket(bytes) }?.kind == .otherVersion)
        let text = opening.text.replacing("iounit.stream/1", with: "iounit.stream/2")
        #expect(#expect(throws: StreamError.self) { try StreamOpening(text: text) }?.kind == .otherVersion)
    }

    @Test func `of a packet is refused where anything is amiss, and no byte traps`() {
        let whole = packet.bytes
        for length in 0..<whole.count {
            let error = #expect(throws: StreamError.self) { try StreamPacket(Array(whole.prefix(length))) }
            #expect(error?.kind == .badData)
        }
        #expect(throws: StreamError.self) { try StreamPacket(whole + [0]) }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            var rest = bytes[...]
            if let read = try? StreamPacket.take(from: &rest) { #expect(read.payload.count <= bytes.count) }
        }
    }

    private let opening = StreamOpening(
        codec: .flac, rate: 48000, channels: 2, bits: 24, packetFrames: 4096, firstFrame: 17, wallNanoseconds: 99)

    @Test func `of an opening is one line of JSON, which is read as it was written`() throws {
        #expect(
            opening.text
                == #"{"bits":24,"channels":2,"codec":"flac","delayFrames":0,"firstFrame":17,"form":"iounit.stream/1","#
                + #""packetFrames":4096,"rate":48000,"wallNanoseconds":99}"#)
        #expect(try StreamOpening(text: opening.text) == opening)
        #expect(try StreamOpening(text: opening.text.replacing("{\"bits\"", with: "{\"new\":[],\"bits\"")) == opening)
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"form\":\"iounit.stream/1\"}", "\u{0}", String(repeating: "[", count: 60_000),
        String(repeating: " ", count: 70_000),
    ])
    func `of an opening is refused where it is none`(text: String) {
        #expect(#expect(throws: StreamError.self) { try StreamOpening(text: text) }?.kind == .badData)
    }

    @Test(arguments: [
        ("48000", "0"), ("48000", "1e300"), ("\"channels\":2", "\"channels\":-1"), ("24", "25"), ("flac", "mp3"),
    ])
    func `of an opening is refused where a value cannot be`(field: (String, String)) {
        let text = opening.text.replacing(field.0, with: field.1)
        #expect(#expect(throws: StreamError.self) { try StreamOpening(text: text) }?.kind == .badData)
    }

    @Test(arguments: Codec.all.filter(\.hasPackets))
    func `is decoded whatever the payload is`(codec: Codec) throws {
        let sound = sine(440, frames: 10_000, channels: 2, sampleRate: 48000)
        let (opening, header, made) = try packets(of: sound, CodecSettings(codec), channels: 2)
        var decoder = try StreamDecoder(opening)
        var generator = SeededGenerator(seed: 5)
        if let header { _ = try decoder.decode(header) }
        for round in 0..<600 {
            var packet = made[round % made.count]
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !packet.payload.isEmpty {
                packet.payload[Int.random(in: packet.payload.indices, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            packet.payload.removeLast(Int.random(in: 0...min(packet.payload.count, 9), using: &generator))
            if round % 7 == 0, var header {
                header.payload.removeLast(round % header.payload.count)
                _ = try? decoder.decode(header)
            }
            if let heard = try? decoder.decode(packet) { #expect(heard.frames <= Int(packet.frames)) }
        }
        // What is whole is heard again.
        if let header { _ = try decoder.decode(header) }
        #expect(try decoder.decode(made[0]).frames == Int(made[0].frames))
    }
}
