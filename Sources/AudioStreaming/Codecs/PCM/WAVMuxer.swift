import AudioFiles

/// WAV of 16 bits whose length is not known.
final class WAVMuxer: StreamMuxer {
    private let opening: StreamOpening
    private var hasBegun = false
    /// In bytes: no more silence is made up for a gap. Of many channels it is not 10 s.
    static let silenceLimit = 16 << 20
    /// In bytes: no more of it is made at once, for each of some hundred listeners.
    static let pieceBytes = 64 << 10
    /// In bytes: the silence that is still to come, before the last packet.
    private var owedSilence = 0
    private var payload: [UInt8] = []

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
        let head = hasBegun ? [] : header
        hasBegun = true
        let silent = Self.silentFrames(packet, missing: missing, rate: opening.rate)
        owedSilence = min(Int(silent), Self.silenceLimit / frame) * frame
        payload = packet.isGap ? [] : packet.payload
        return head + more()
    }

    var hasMore: Bool { owedSilence > 0 }

    func more() -> [UInt8] {
        let silence = min(owedSilence, Self.pieceBytes)
        owedSilence -= silence
        return [UInt8](repeating: 0, count: silence) + (hasMore ? [] : payload)
    }
}
