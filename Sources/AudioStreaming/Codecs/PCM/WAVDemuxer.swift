import AudioFiles

/// WAV, with a header that says how long it is, or that nobody knows; RF64 likewise.
final class WAVDemuxer: SoundDemuxer {
    private let operation: String
    private var held: ArraySlice<UInt8> = []
    private var stage = Stage.start
    private var layout: WAVLayout?
    /// Of RF64.
    private var longSize: Int?
    /// Bytes of sound that are still to come; `nil` where nobody knows.
    private var leftBytes: Int?
    private(set) var isFinite = false
    private var counter = PacketCounter()

    private enum Stage {
        case start
        case chunk
        case skipping(Int)
        case sound
        /// What follows the sound.
        case over
    }

    /// A header with longer parts is none.
    private static let partLimit = 1 << 16

    init(operation: String) { self.operation = operation }

    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece] {
        guard leftBytes != 0 else { return [] }
        held += bytes
        var pieces: [SoundPiece] = []
        while try takeChunk(&pieces) {}
        if case .sound = stage { takeSound(&pieces, isLast: false) }
        return pieces
    }

    func finish() -> [SoundPiece] {
        var pieces: [SoundPiece] = []
        if case .sound = stage { takeSound(&pieces, isLast: true) }
        // The header told of more.
        guard let layout, let leftBytes, leftBytes > 0 else { return pieces }
        return pieces + counter.missingEnd(leftBytes / layout.bytesPerFrame, each: layout.packetFrames)
    }

    private func bad(_ reason: String) -> StreamError { StreamError(.protocolError, operation, reason) }

    /// Takes what is next before the sound; whether more may be there.
    private func takeChunk(_ pieces: inout [SoundPiece]) throws(StreamError) -> Bool {
        switch stage {
        case .start:
            guard held.count >= 12 else { return false }
            guard held.dropFirst(8).starts(with: "WAVE".utf8) else {
                throw bad("its RIFF stream holds something else than WAV")
            }
            held.removeFirst(12)
            stage = .chunk
        case .chunk:
            guard held.count >= 8 else { return false }
            let (name, size) = (Array(held.prefix(4)), held.littleEndian(4, 4))
            if name == Array("data".utf8) {
                try beginSound(size, &pieces)
                return false
            }
            let isRead = name == Array("fmt ".utf8) || name == Array("ds64".utf8)
            guard isRead else {
                held.removeFirst(8)
                stage = .skipping(size + size % 2)
                return true
            }
            guard size <= Self.partLimit else { throw bad("its WAV header is damaged") }
            guard held.count >= 8 + size + size % 2 else { return false }
            let body = held.dropFirst(8).prefix(size)
            if name == Array("ds64".utf8) {
                longSize = body.count >= 16 ? body.littleEndian(8, 8) : nil
            } else {
                layout = try WAVLayout(body, operation)
            }
            held.removeFirst(8 + size + size % 2)
        case .skipping(let bytes):
            let count = min(bytes, held.count)
            held.removeFirst(count)
            stage = count == bytes ? .chunk : .skipping(bytes - count)
            return count == bytes
        case .sound, .over: return false
        }
        return true
    }

    private func beginSound(_ size: Int, _ pieces: inout [SoundPiece]) throws(StreamError) {
        guard let layout else { throw bad("its WAV stream has sound before it says of which kind") }
        held.removeFirst(8)
        let known = size == 0xffff_ffff ? longSize ?? size : size
        isFinite = known > 0 && known < 1 << 60 && (longSize == known || !BrokenPromise.isPlaceholder(known))
        leftBytes = isFinite ? known / layout.bytesPerFrame * layout.bytesPerFrame : nil
        pieces.append(.opening(try layout.opening(operation)))
        stage = .sound
    }

    private func takeSound(_ pieces: inout [SoundPiece], isLast: Bool) {
        guard let layout else { return }
        let size = layout.packetFrames * layout.bytesPerFrame
        var start = 0
        let end = min(held.count, leftBytes ?? held.count)
        let isEnd = isLast || end == leftBytes
        while end - start >= size || isEnd && end - start >= layout.bytesPerFrame {
            let bytes = min(size, (end - start) / layout.bytesPerFrame * layout.bytesPerFrame)
            let payload = layout.payload(held.dropFirst(start).prefix(bytes))
            pieces.append(.packet(counter.packet(payload, frames: bytes / layout.bytesPerFrame)))
            start += bytes
        }
        held.removeFirst(start)
        leftBytes = leftBytes.map { $0 - start }
        guard leftBytes == 0 else { return }
        stage = .over
        held = []
    }
}

/// How samples lie in WAV.
struct WAVLayout: Sendable, Equatable {
    let rate: Int
    let channels: Int
    private let samples: SampleFormat

    var bytesPerFrame: Int { channels * samples.bytesPerSample }
    /// 10 ms, or as much of it as a packet holds.
    var packetFrames: Int { max(1, min(rate / 100, StreamPacket.payloadLimit / bytesPerFrame)) }

    /// Reads the chunk that describes them.
    ///
    /// - Throws: `protocolError`.
    init(_ chunk: ArraySlice<UInt8>, _ operation: String) throws(StreamError) {
        let damage = StreamError(.protocolError, operation, "its WAV header is damaged")
        guard chunk.count >= 16 else { throw damage }
        var tag = chunk.littleEndian(0, 2)
        // Of the extensible form: the beginning of a longer name.
        if tag == 0xfffe, chunk.count >= 40 { tag = chunk.littleEndian(24, 2) }
        channels = chunk.littleEndian(2, 2)
        rate = chunk.littleEndian(4, 4)
        switch (tag, chunk.littleEndian(14, 2)) {
        case (1, 8): samples = .uint8
        case (1, 16): samples = .int16
        case (1, 24): samples = .int24
        case (1, 32): samples = .int32
        case (3, 32): samples = .float32
        case (3, 64): samples = .float64
        default:
            throw StreamError(
                .protocolError, operation,
                "its WAV stream has samples of kind \(tag) with \(chunk.littleEndian(14, 2)) bits, and integers and floats "
                    + "are understood")
        }
        guard chunk.littleEndian(12, 2) == bytesPerFrame, channels > 0 else { throw damage }
    }

    func opening(_ operation: String) throws(StreamError) -> StreamOpening {
        let (codec, bits): (Codec, Int?) =
            switch samples {
            case .uint8, .int16: (.pcm16, 16)
            case .int24: (.pcm24, 24)
            default: (.float, nil)
            }
        return try StreamOpening(
            codec, rate: rate, channels: channels, bits: bits, packetFrames: packetFrames, operation: operation)
    }

    /// Whole frames as a packet has them: what no packet has, as what holds it best.
    func payload(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        func floats(_ value: (Int) -> Float) -> [UInt8] {
            var payload: [UInt8] = []
            payload.reserveCapacity(bytes.count / samples.bytesPerSample * 4)
            for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: samples.bytesPerSample) {
                payload.append(littleEndian: value(place).bitPattern)
            }
            return payload
        }
        switch samples {
        case .uint8: return bytes.flatMap { [0, $0 ^ 0x80] }
        case .int32:
            return floats { Float(Int32(truncatingIfNeeded: bytes[$0...].littleEndian(0, 4))) / 2_147_483_648 }
        case .float64:
            return floats { Float(Double(bitPattern: UInt64(truncatingIfNeeded: bytes[$0...].littleEndian(0, 8)))) }
        default: return Array(bytes)
        }
    }
}
