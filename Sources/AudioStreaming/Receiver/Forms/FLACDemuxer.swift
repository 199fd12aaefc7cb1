/// FLAC as it is in a file: frames that do not say how long they are.
///
/// A frame ends where its check is right and the next one begins, or, where nothing more has come yet, where a decoder takes
/// it: so none waits for the one behind it.
final class FLACDemuxer: SoundDemuxer {
    private let operation: String
    private var held: [UInt8] = []
    private var stage = Stage.start
    private var info: FLACStreamInfo?
    private var trial: FLACPacketDecoder?
    private var counter = PacketCounter()

    private enum Stage {
        case start
        /// Before the header of a block of metadata.
        case block
        /// Within one.
        case skipping(Int, isLast: Bool)
        case sound
    }

    /// The frame at the beginning of `held`; `nil` where none was found yet.
    private var frame: FLACFrameHeader?
    /// Bytes of it that were looked at, and their check.
    private var (examined, check) = (0, UInt16(0))
    /// Bytes in a row that belong to no frame.
    private var strangeBytes = 0

    private static let strangeLimit = 1 << 21
    /// Frames up to this size are searched for another one byte by byte.
    private static let searchLimit = 1 << 15

    init(operation: String) { self.operation = operation }

    var isFinite: Bool { info.map { $0.totalFrames > 0 } ?? false }

    func finish() -> [SoundPiece] { [] }

    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece] {
        held += bytes
        var pieces: [SoundPiece] = []
        while try takeMetadata(&pieces) {}
        if case .sound = stage { try takeFrames(&pieces) }
        return pieces
    }

    // The metadata.

    /// Takes the next part of it; whether more may be there.
    private func takeMetadata(_ pieces: inout [SoundPiece]) throws(StreamError) -> Bool {
        switch stage {
        case .start:
            let count = 8 + FLACStreamInfo.bytes
            guard held.count >= count else { return false }
            guard held.starts(with: "fLaC".utf8), held[4] & 0x7f == 0, held.bigEndian(5, 3) == FLACStreamInfo.bytes,
                let info = FLACStreamInfo(held[8..<count])
            else {
                throw StreamError(.protocolError, operation, "its FLAC stream begins with a header that is damaged")
            }
            let (opening, header) = (try info.opening(operation), FLACStreamInfo.header(held[8..<count]))
            let trial = try FLACPacketDecoder(opening)
            try trial.begin(header)
            pieces += [.opening(opening), .packet(counter.header(header))]
            stage = held[4] & 0x80 != 0 ? .sound : .block
            held.removeFirst(count)
            (self.info, self.trial) = (info, trial)
        case .block:
            guard held.count >= 4 else { return false }
            stage = .skipping(held.bigEndian(1, 3), isLast: held[0] & 0x80 != 0)
            held.removeFirst(4)
        case .skipping(let bytes, let isLast):
            let count = min(bytes, held.count)
            held.removeFirst(count)
            guard count == bytes else {
                stage = .skipping(bytes - count, isLast: isLast)
                return false
            }
            stage = isLast ? .sound : .block
        case .sound: return false
        }
        return true
    }

    // The sound.

    private func takeFrames(_ pieces: inout [SoundPiece]) throws(StreamError) {
        var start = 0
        while try find(from: &start) {
            guard let end = end(from: start), let frame else {
                // What was none is left out, and the search goes on.
                if self.frame == nil { continue }
                break
            }
            pieces.append(.packet(counter.packet(Array(held[start..<end]), frames: frame.blockFrames)))
            start = end
            forget()
            strangeBytes = 0
        }
        held.removeFirst(start)
    }

    private func forget() { (frame, examined, check) = (nil, 0, 0) }

    /// Goes on to where a frame begins; whether there is one.
    private func find(from start: inout Int) throws(StreamError) -> Bool {
        while frame == nil {
            switch FLACFrameHeader.read(held[start...]) {
            case .header(let header): frame = header
            case .tooShort: return false
            case .none:
                start += 1
                strangeBytes += 1
                guard strangeBytes <= Self.strangeLimit else {
                    throw StreamError(
                        .badData, operation, "its FLAC stream breaks off, and what follows is another thing")
                }
            }
        }
        return true
    }

    /// Where the frame ends that begins at an index; `nil` where more must come first, or it is none.
    private func end(from start: Int) -> Int? {
        let limit = largestFrame
        while start + examined < held.count, examined <= limit {
            check = FLACCheck.sixteen(check, held[start + examined])
            examined += 1
            if check == 0, isEnd(start..<(start + examined)) { return start + examined }
        }
        // The last byte that came may have been the end.
        if check == 0, isEnd(start..<(start + examined)) { return start + examined }
        guard examined > limit else { return nil }
        // Its header was none, or it is damaged: the next one may begin behind its first byte. Within very large ones that would be
        // too much work.
        let skipped = limit > Self.searchLimit ? examined : 1
        held.removeSubrange(start..<(start + skipped))
        strangeBytes += skipped
        forget()
        return nil
    }

    /// In bytes: no encoder makes more of a frame than its samples are.
    private var largestFrame: Int {
        guard let info, let frame else { return 0 }
        let samples = info.channels * ((info.bits + 1) * frame.blockFrames / 8 + 16)
        return min(StreamPacket.payloadLimit, frame.bytes + samples + 16)
    }

    private func isEnd(_ range: Range<Int>) -> Bool {
        guard let frame, range.count > frame.bytes + 2 else { return false }
        let rest = held[range.upperBound...].prefix(2)
        guard rest.count < 2 else { return rest.starts(with: [0xff, frame.isVariable ? 0xf9 : 0xf8]) }
        guard rest.first ?? 0xff == 0xff, let heard = try? trial?.decode(Array(held[range])) else { return false }
        return heard.frames == frame.blockFrames
    }
}
