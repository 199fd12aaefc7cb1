import AudioStreaming
import Foundation
import TestSupport
import Testing

/// Packets as decoders see them that are not ours. `Tools/setup --tests` installs them.
@Suite("A foreign decoder of packets") struct ForeignDecoderTests {
    @Test(arguments: [1, 2, 8])
    func `finds FLAC in header and payloads, to the bit`(channels: Int) throws {
        let folder = try TemporaryFolder()
        let sound = steppedNoise(frames: 50_001, channels: channels, bits: 24)
        let (_, header, made) = try packets(of: sound, CodecSettings(.flac), channels: channels)
        let bytes = try #require(header).payload + made.flatMap(\.payload)
        try Data(bytes).write(to: URL(fileURLWithPath: folder("a.flac")))
        // It warns that a stream has no checksum of the whole.
        #expect(try Program.output(of: "/usr/bin/flac", ["-s", "-t", folder("a.flac")]) != nil)
        let raw = try Program.output(
            of: "/usr/bin/ffmpeg", ["-v", "error", "-i", folder("a.flac"), "-f", "s32le", "-c:a", "pcm_s32le", "-"])
        let heard = try #require(raw, "ffmpeg fails, or is not installed").withUnsafeBytes {
            Array($0.bindMemory(to: Int32.self)).map { Float(Double($0) / 2_147_483_648) }
        }
        #expect(heard == sound)
    }
}
