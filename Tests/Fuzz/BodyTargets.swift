import AudioReports

@testable import AudioStreaming

extension Target {
    /// What a web server or a program at a port of TCP sends: the first byte tells how it is cut, then comes the stream, which is
    /// decoded.
    static let bodies = Target(name: "bodies") { bytes in
        guard let first = bytes.first else { return }
        let size = 1 + 7 * Int(first & 0x7f)
        let body = SoundBody(operation: "receive it")
        var filter = first & 0x80 != 0 ? IcyFilter(interval: 100) : nil
        var hearing = Hearing()
        do {
            for start in stride(from: 1, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(bytes.count, start + size)])
                try hearing.take(body.take(filter?.sound(of: piece) ?? piece))
            }
            hearing.take(try body.finish())
        } catch {
            requireHarmless(shown("\(error)"), "an error")
        }
        // A packet of Opus of two bytes may be of 120 ms; one of FLAC of some more of 65536 frames.
        require(hearing.frames <= 65536 * (1 + bytes.count), "\(hearing.frames) frames")
    }
}

/// Decodes what was found.
private struct Hearing {
    private(set) var frames = 0
    private var pace = BodyPace()
    private var now: UInt64 = 1_000_000_000
    /// Of the stream at present.
    private var (sequence, next): (UInt32, UInt64) = (0, 0)
    private var decoder: Decoder?

    private final class Decoder {
        var decoder: StreamDecoder
        init(_ opening: StreamOpening) throws(StreamError) { decoder = try StreamDecoder(opening) }
    }

    mutating func take(_ pieces: [SoundPiece]) {
        for piece in pieces {
            switch piece {
            case .opening(let opening):
                require((try? StreamOpening(text: opening.text)) == opening, "an opening that may not be: \(opening)")
                decoder = try? Decoder(opening)
                (sequence, next) = (0, 0)
            case .packet(let packet):
                require(packet.payload.count <= StreamPacket.payloadLimit, "\(packet.payload.count) bytes")
                require(
                    packet.firstFrame == next && packet.sequence == sequence,
                    "frame \(packet.firstFrame), and not \(next)")
                next = packet.endFrame
                if !packet.flags.contains(.header) { sequence &+= 1 }
                if let heard = try? decoder?.decoder.decode(packet) {
                    require(heard.frames <= Int(packet.frames), "\(heard.frames) frames of \(packet.frames)")
                    frames += heard.frames
                }
            }
        }
        pace.add(pieces, at: now)
        now += 10_000_000
        for piece in pace.take(at: now) {
            let time = piece.nanoseconds
            require(time <= now + 600_000_000, "a time of \(time) at \(now)")
        }
    }
}
