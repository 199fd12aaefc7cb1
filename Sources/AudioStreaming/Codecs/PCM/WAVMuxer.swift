import AudioFiles

/// WAV of 16 bits whose length is not known.
final class WAVMuxer: StreamMuxer {
    private let opening: StreamOpening
    private var hasBegun = false
    /// In bytes: no more silence is made up at once for each listener. Of many channels it is not 10 s.
    static let silenceLimit = 16 << 20

    init(_ opening: StreamOpening) { self.opening = opening }

    private var frame: Int { 2 * opening.channels }

    private var header: [UInt8] {
        // The greatest length that a player takes for "to the end of what comes".
        let unknown = [UInt8](repeating: 0xff, count: 4)
        var header = Array("RIFF".utf8) + unknown + Array("WAVEfmt ".utf8)
        header.append(littleEndian: UInt32(16))
        for value in [1, UInt16(opening.channels)] { header.append(littleEndian: value) }
        for value in [opening.rate, opening.rate * frame] { header.append(littleEndian: UInt32(clamping: value)) }
        for value in [UInt16(frame), 16] { header.append(littleEndian: value) }
        return header + Array("data".utf8) + unknown
    }

    func bytes(of packet: StreamPacket, missing: UInt64) -> [UInt8] {
        var bytes = hasBegun ? [] : header
        hasBegun = true
        let silent = Self.silentFrames(packet, missing: missing, rate: opening.rate)
        bytes += [UInt8](repeating: 0, count: min(Int(silent), Self.silenceLimit / frame) * frame)
        return packet.isGap ? bytes : bytes + packet.payload
    }
}
