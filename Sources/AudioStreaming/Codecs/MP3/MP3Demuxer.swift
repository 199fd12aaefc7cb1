import AudioFiles
import CMPG123

/// MP3 (and layers I and II), decoded here: its packets are floats.
@safe final class MP3Demuxer: SoundDemuxer {
    private let operation: String
    private let decoder: OpaquePointer
    private var opening: StreamOpening?
    private var counter = PacketCounter()
    private var room = [Float](repeating: 0, count: 1152 * 2)
    /// Since the last sound, in bytes: libmpg123 may hold all of them, as it does with a tag until that is complete.
    private var soundlessBytes = 0

    /// More than the tags between the songs of a station have, cover and all.
    private static let soundlessLimit = 4 << 20

    /// - Throws: `codec`.
    init(operation: String) throws(StreamError) {
        guard let decoder = unsafe cmpg_make() else {
            throw StreamError(.codec, operation, "libmpg123 cannot be set up")
        }
        self.operation = operation
        unsafe self.decoder = decoder
    }

    deinit { unsafe cmpg_free(decoder) }

    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece] {
        // SAFETY: as many bytes as there are; the library copies them.
        let isTaken = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.isEmpty || cmpg_feed(decoder, bytes.baseAddress, bytes.count)
        }
        guard isTaken else { throw bad }
        soundlessBytes += bytes.count
        var pieces: [SoundPiece] = []
        while true {
            var (count, rate, channels) = (0, 0, CInt(0))
            // SAFETY: the buffer has room for the number of floats that is passed.
            let result = unsafe room.withUnsafeMutableBufferPointer { room in
                unsafe cmpg_read(decoder, room.baseAddress, room.count, &count, &rate, &channels)
            }
            guard result >= 0 else { throw bad }
            if rate > 0, opening?.rate != rate || opening?.channels != Int(channels) {
                let next = try StreamOpening(
                    .float, rate: rate, channels: Int(channels), packetFrames: 1152, operation: operation)
                opening = next
                counter = PacketCounter()
                pieces.append(.opening(next))
            }
            if let opening, count >= opening.channels {
                pieces.append(.packet(packet(count, opening.channels)))
                soundlessBytes = 0
            }
            guard result > 0 else { break }
        }
        guard soundlessBytes <= Self.soundlessLimit else { throw bad }
        return pieces
    }

    private var bad: StreamError {
        StreamError(.badData, operation, "its MP3 stream breaks off, and what follows is another thing")
    }

    private func packet(_ count: Int, _ channels: Int) -> StreamPacket {
        var payload: [UInt8] = []
        payload.reserveCapacity(4 * count)
        for sample in room.prefix(count) { payload.append(littleEndian: sample.bitPattern) }
        return counter.packet(payload, frames: count / channels)
    }
}
