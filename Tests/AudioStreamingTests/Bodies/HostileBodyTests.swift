import AudioFiles
import TestSupport
import Testing

@testable import AudioStreaming

/// Bytes that look like a beginning everywhere: what is looked at again is counted, so that no clock is asked.
@Suite("Hostile bytes in the form of a file") struct HostileBodyTests {
    private let operation = "receive it"

    /// What may be looked at again of so many bytes.
    private func limit(_ bytes: Int) -> Int { RescanCredit.most + RescanCredit.bytesForEach * bytes }

    /// Streaminfo of 48 kHz, 2 channels and 16 bits.
    private var flacStart: [UInt8] {
        let packed = UInt64(48000) << 44 | 1 << 41 | 15 << 36
        var block: [UInt8] = [16, 0, 16, 0, 0, 0, 0, 0, 0, 0]
        block.append(bigEndian: packed)
        return FLACStreamInfo.header((block + [UInt8](repeating: 0, count: 16))[...])
    }

    /// The shortest header of a frame: of 4096 frames at the rate of the stream.
    private var frameHeader: [UInt8] {
        let header: [UInt8] = [0xff, 0xf8, 0xc0, 0x18, 0]
        return header + [FLACCheck.eight(header[...])]
    }

    @Test(arguments: [1, 997, 1 << 16]) func `of FLAC are looked at a bounded number of times`(piece: Int) throws {
        let count = 20_000
        let bytes = Array([[UInt8]](repeating: frameHeader, count: count / 6).joined())
        let demuxer = FLACDemuxer(operation: operation)
        #expect(try demuxer.take(flacStart[...]).count == 2)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            #expect(try demuxer.take(bytes[start..<min(bytes.count, start + piece)]).isEmpty)
        }
        #expect((1...limit(bytes.count)).contains(demuxer.credit.spentBytes))
    }

    @Test func `of FLAC whose check is always right are decoded a bounded number of times`() throws {
        let demuxer = FLACDemuxer(operation: operation)
        _ = try demuxer.take(flacStart[...])
        let check = frameHeader.reduce(UInt16(0)) { FLACCheck.sixteen($0, $1) }
        var bytes = frameHeader + [UInt8(check >> 8), UInt8(check & 0xff)]
        bytes += [UInt8](repeating: 0, count: 2000)
        for byte in bytes { #expect(try demuxer.take([byte]).isEmpty) }
        #expect(demuxer.credit.spentBytes <= limit(bytes.count))
    }

    @Test(arguments: [997, 1 << 16]) func `of Ogg are looked at a bounded number of times`(piece: Int) throws {
        // Of a page with 40 parts.
        let start = Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [40] + [UInt8](repeating: 255, count: 5)
        let bytes = Array([[UInt8]](repeating: start, count: 30_000 / 32).joined())
        let demuxer = OggDemuxer(operation: operation)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            #expect(try demuxer.take(bytes[start..<min(bytes.count, start + piece)]).isEmpty)
        }
        #expect(demuxer.reader.strangeBytes > 0)
        #expect((1...limit(bytes.count)).contains(demuxer.reader.credit.spentBytes))
    }

    @Test func `of many streams of Ogg that are not understood name each kind once`() throws {
        var pages = OggStream()
        let first = pages.pages(of: Array("Speex".utf8), position: 0, .first)
        let demuxer = OggDemuxer(operation: operation)
        for _ in 0..<100 { #expect(try demuxer.take(first[...]).isEmpty) }
        let next = pages.pages(of: [1], position: 0)
        let error = #expect(throws: StreamError.self) { try demuxer.take(next[...]) }
        #expect(error?.reason.hasPrefix("its Ogg stream holds Speex, and ") == true, "\(error as Any)")
    }

    @Test func `before the frames of a stream do not hide them`() throws {
        var settings = CodecSettings(.flac)
        settings.bits = 16
        let sound = steppedNoise(frames: 6 * 4096, channels: 2, bits: 16)
        let (_, header, made) = try packets(of: sound, settings, channels: 2)
        let demuxer = FLACDemuxer(operation: operation)
        var pieces = try demuxer.take(try #require(header).payload[...])
        pieces += try demuxer.take(Array([[UInt8]](repeating: frameHeader, count: 5).joined())[...])
        for packet in made { pieces += try demuxer.take(packet.payload[...]) }
        #expect(try Heard(pieces).samples == sound)
    }
}
