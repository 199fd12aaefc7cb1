import AudioFiles

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
        var silent = Self.silentFrames(packet, missing: missing, rate: opening.rate)
        while silent > 0 {
            let frames = min(silent, UInt64(opening.packetFrames))
            bytes += silence(Int(frames))
            silent -= frames
        }
        guard !packet.isGap else { return bytes }
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
        guard case .header(let header) = FLACFrameHeader.read(frame[...]), frame.count >= header.bytes + 2 else {
            return frame
        }
        if !header.tellsRate { rateCode = frame[2] & 15 }
        return whole(
            [0xff, 0xf9, frame[2], frame[3]] + number + frame[header.numberEnd..<(header.bytes - 1)],
            frame[header.bytes..<(frame.count - 2)], frames)
    }

    /// A frame in which every channel is constantly 0.
    private func silence(_ frames: Int) -> [UInt8] {
        let depth: UInt8 = opening.bits == 16 ? 4 : 6
        let start = [0xff, 0xf9, 0x70 | rateCode, UInt8(opening.channels - 1) << 4 | depth << 1]
        var header = start + number
        header.append(bigEndian: UInt16(truncatingIfNeeded: frames - 1))
        // For each channel: constant, no wasted bits, and the sample.
        let channel = [UInt8](repeating: 0, count: 1 + (opening.bits ?? 24) / 8)
        let body = (0..<opening.channels).flatMap { _ in channel }
        return whole(header, body[...], frames)
    }

    private func whole(_ header: [UInt8], _ body: ArraySlice<UInt8>, _ frames: Int) -> [UInt8] {
        position += UInt64(frames)
        var frame = header
        frame.append(FLACCheck.eight(frame[...]))
        frame += body
        frame.append(bigEndian: frame.reduce(0, FLACCheck.sixteen))
        return frame
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
