/// FLAC: its header, then the frames with numbers of their own, for a listener's stream begins at 0.
final class FLACMuxer: StreamMuxer {
    private let header: [UInt8]
    private let opening: StreamOpening
    private var hasBegun = false
    /// Samples of each channel so far.
    private var position: UInt64 = 0
    /// How the encoder's frames say their rate: ffmpeg takes frames that say it in another way for none.
    private var rateCode: UInt8 = 0

    init(_ opening: StreamOpening, _ header: [UInt8]) {
        self.opening = opening
        self.header = header
    }

    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8] {
        var bytes = hasBegun ? [] : streamHeader
        hasBegun = true
        let isGap = packet.flags.contains(.gap)
        var silent = missing + (isGap ? UInt64(packet.frames) : 0)
        silent = min(silent, Self.longestSilence * UInt64(opening.rate))
        while silent > 0 {
            let frames = min(silent, UInt64(opening.packetFrames))
            bytes += silence(Int(frames))
            silent -= frames
        }
        guard !isGap else { return bytes }
        return bytes + numbered(packet.payload, frames: Int(packet.frames))
    }

    /// As the encoder wrote it, but for blocks of any length and no checksum of the sound, which has no end.
    private var streamHeader: [UInt8] {
        var header = header
        guard header.count >= 42 else { return header }
        header.replaceSubrange(8..<10, with: [0, 16])
        header.replaceSubrange(12..<18, with: [UInt8](repeating: 0, count: 6))
        header.replaceSubrange(26..<42, with: [UInt8](repeating: 0, count: 16))
        return header
    }

    /// A frame of the encoder's with the number of its first sample in place of its own number.
    private func numbered(_ frame: [UInt8], frames: Int) -> [UInt8] {
        guard frame.count > 8, frame[0] == 0xff, frame[1] & 0xfe == 0xf8 else { return frame }
        let numberBytes = max(1, (~frame[4]).leadingZeroBitCount)
        let sizeBytes = [6: 1, 7: 2][frame[2] >> 4] ?? 0
        let rateBytes = [12: 1, 13: 2, 14: 2][frame[2] & 15] ?? 0
        let extra = 4 + numberBytes
        let end = extra + sizeBytes + rateBytes
        guard frame.count > end + 3 else { return frame }
        if rateBytes == 0 { rateCode = frame[2] & 15 }
        return whole(
            [0xff, 0xf9, frame[2], frame[3]] + number + frame[extra..<end], frame[(end + 1)..<(frame.count - 2)], frames
        )
    }

    /// A frame in which every channel is constantly 0.
    private func silence(_ frames: Int) -> [UInt8] {
        let depth: UInt8 = opening.bits == 16 ? 4 : 6
        let start = [0xff, 0xf9, 0x70 | rateCode, UInt8(opening.channels - 1) << 4 | depth << 1]
        let size = [UInt8((frames - 1) >> 8 & 0xff), UInt8((frames - 1) & 0xff)]
        // For each channel: constant, no wasted bits, and the sample.
        let channel = [UInt8](repeating: 0, count: 1 + (opening.bits ?? 24) / 8)
        let body = (0..<opening.channels).flatMap { _ in channel }
        return whole(start + number + size, body[...], frames)
    }

    private func whole(_ header: [UInt8], _ body: ArraySlice<UInt8>, _ frames: Int) -> [UInt8] {
        position += UInt64(frames)
        var frame = header
        frame.append(Checksum.flacHeader(frame))
        frame += body
        let sum = Checksum.flacFrame(frame)
        return frame + [UInt8(sum >> 8), UInt8(sum & 0xff)]
    }

    /// The number of the next sample, in the extended form of UTF-8 (RFC 9639, 9.1.5).
    private var number: [UInt8] {
        let value = position & 0xf_ffff_ffff
        guard value > 0x7f else { return [UInt8(value)] }
        var count = 2
        while count < 7, value >> UInt64(5 * count + 1) > 0 { count += 1 }
        let lead = UInt8(truncatingIfNeeded: 0xff00 >> count)
        var bytes = [lead | UInt8(truncatingIfNeeded: value >> UInt64(6 * (count - 1)))]
        for shift in stride(from: 6 * (count - 2), through: 0, by: -6) {
            bytes.append(0x80 | UInt8(value >> UInt64(shift) & 0x3f))
        }
        return bytes
    }
}

/// Checksums of containers: cyclic, most significant bit first, from 0.
enum Checksum {
    private static let oggTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04c1_1db7 : 0) }
    }
    private static let frameTable: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { sum, _ in sum << 1 ^ (sum >> 15 == 1 ? 0x8005 : 0) }
    }
    private static let headerTable: [UInt8] = (0..<256).map { index in
        (0..<8).reduce(UInt8(index)) { sum, _ in sum << 1 ^ (sum >> 7 == 1 ? 0x07 : 0) }
    }

    /// Of a page of Ogg, with 0 in place of the sum (RFC 3533).
    static func ogg(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0) { $0 << 8 ^ oggTable[Int(UInt8($0 >> 24) ^ $1)] }
    }

    /// Of a frame of FLAC, up to the sum (RFC 9639, 9.3).
    static func flacFrame(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { $0 << 8 ^ frameTable[Int(UInt8($0 >> 8) ^ $1)] }
    }

    /// Of the header of a frame of FLAC, up to the sum (RFC 9639, 9.1.8).
    static func flacHeader(_ bytes: [UInt8]) -> UInt8 { bytes.reduce(0) { headerTable[Int($0 ^ $1)] } }
}
