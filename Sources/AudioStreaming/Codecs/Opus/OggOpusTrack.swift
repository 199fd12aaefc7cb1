/// Opus in Ogg (RFC 7845): at 48 kHz, whatever it was made from.
final class OggOpusTrack: OggTrack {
    private let head: OpusHead
    /// Packets before the first sound: the comments.
    private var headerPackets = 1
    private var isStart = true
    /// What a decoder still drops.
    private var skippedFrames: Int
    /// Of the page before; `nil` where that was none of sound.
    private var lastPosition: Int64?

    static let rate = 48000

    init(_ head: OpusHead) {
        self.head = head
        skippedFrames = head.preSkip
    }

    var header: [UInt8] { head.bytes }

    func opening(_ operation: String) throws(StreamError) -> StreamOpening {
        try StreamOpening(
            .opus, rate: Self.rate, channels: head.channels, packetFrames: Self.rate / 50, delayFrames: head.preSkip,
            operation: operation)
    }

    func goesOn(after other: any OggTrack) -> Bool {
        guard let other = other as? OggOpusTrack else { return false }
        var same = other.head
        // Of what it was made from nothing is heard.
        same.inputRate = head.inputRate
        return same == head
    }

    func take(
        _ packets: [[UInt8]], position: Int64, isLast: Bool, _ counter: inout PacketCounter
    ) -> [SoundPiece] {
        var packets = packets[...]
        while headerPackets > 0, packets.popFirst() != nil { headerPackets -= 1 }
        let sound = packets.compactMap { packet in
            packet.count > StreamPacket.payloadLimit ? nil : OpusFrames.count(packet).map { (packet, $0) }
        }
        guard !sound.isEmpty else { return [] }
        var surplus = 0
        let sum = sound.reduce(0) { $0 + $1.1 }
        if isLast, position >= 0 {
            // What is behind the end of the sound only fills the last packet.
            let before = lastPosition ?? (position < sum ? 0 : position - Int64(sum))
            let held = position.subtractingReportingOverflow(before)
            if !held.overflow, (0...Int64(sum)).contains(held.partialValue) { surplus = sum - Int(held.partialValue) }
        }
        if position >= 0 { lastPosition = position }
        var left = sum - surplus
        var pieces: [SoundPiece] = []
        for (packet, frames) in sound {
            let skipped = min(skippedFrames, frames)
            skippedFrames -= skipped
            let heard = max(0, min(frames, left) - skipped)
            left -= min(frames, left)
            pieces.append(.packet(counter.packet(packet, frames: heard, isStart ? .start : [])))
            isStart = false
        }
        return pieces
    }
}
