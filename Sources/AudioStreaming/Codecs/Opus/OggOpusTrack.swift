import AudioFiles

/// Opus in Ogg (RFC 7845): at 48 kHz, whatever it was made from.
final class OggOpusTrack: OggTrack {
    private let head: OpusHead
    private var isStart = true
    /// What a decoder still drops.
    private var skippedFrames: Int
    /// Of the page before; `nil` where that was none of sound.
    private var lastPosition: Int64?
    /// Whether a page is missing before the next one with a position, which says how much sound that had.
    private var hasHole = false

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
        _ packets: [[UInt8]], of page: OggReader.Page, isBehindHole: Bool, _ counter: inout PacketCounter
    ) -> [SoundPiece] {
        let position = page.position
        // Before the first sound stand the comments; some stations end each title with an empty packet.
        let packets = packets.drop { $0.starts(with: "OpusTags".utf8) }.filter { !$0.isEmpty }
        let sound = packets.compactMap { packet in
            packet.count > StreamPacket.payloadLimit ? nil : OpusFrames.count(packet).map { (packet, $0) }
        }
        // A listener of a station gets in anywhere: nothing is missing before the first page.
        hasHole = hasHole || isBehindHole && lastPosition != nil
        guard !packets.isEmpty || hasHole && position >= 0 else { return [] }
        var (surplus, pieces): (Int, [SoundPiece]) = (0, [])
        let sum = sound.reduce(0) { $0 + $1.1 }
        if sound.count < packets.count || hasHole {
            let missing = Int(lastPosition.map { position &- $0 &- Int64(sum) } ?? 0)
            if missing != 0 || sound.count < packets.count {
                pieces = counter.missing(missing, each: sound.first?.1 ?? Self.rate / 50)
            }
            hasHole = false
        }
        if page.isLast, position >= 0 {
            // What is behind the end of the sound only fills the last packet.
            let before = lastPosition ?? (position < sum ? 0 : position - Int64(sum))
            let held = position.subtractingReportingOverflow(before)
            if !held.overflow, (0...Int64(sum)).contains(held.partialValue) { surplus = sum - Int(held.partialValue) }
        }
        if position >= 0 { lastPosition = position }
        var left = sum - surplus
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
