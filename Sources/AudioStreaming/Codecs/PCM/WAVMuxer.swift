/// WAV of 16 bits whose length is not known.
final class WAVMuxer: StreamMuxer {
    private let opening: StreamOpening
    private var hasBegun = false

    init(_ opening: StreamOpening) { self.opening = opening }

    private var header: [UInt8] {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xff) } }
        let frame = 2 * opening.channels
        // The greatest length that a player takes for "to the end of what comes".
        let unknown = [UInt8](repeating: 0xff, count: 4)
        var header = Array("RIFF".utf8) + unknown + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
        header += number(opening.channels, 2) + number(opening.rate, 4) + number(opening.rate * frame, 4)
        return header + number(frame, 2) + number(16, 2) + Array("data".utf8) + unknown
    }

    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8] {
        var bytes = hasBegun ? [] : header
        hasBegun = true
        let gap = packet.flags.contains(.gap)
        let silent = missing + (gap ? UInt64(packet.frames) : 0)
        let limit = Self.longestSilence * UInt64(opening.rate)
        bytes += [UInt8](repeating: 0, count: Int(min(silent, limit)) * 2 * opening.channels)
        return gap ? bytes : bytes + packet.payload
    }
}
