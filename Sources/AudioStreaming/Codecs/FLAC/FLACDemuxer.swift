import AudioFiles

/// FLAC as it is in a file: frames that do not say how long they are.
///
/// A frame ends where its check is right and the next one begins, or, where nothing more has come yet, where a decoder takes
/// it: so none waits for the one behind it. Which ones are missing their numbers say, and at the end the length of a file.
final class FLACDemuxer: SoundDemuxer {
    private let operation: String
    private var held: ArraySlice<UInt8> = []
    private var stage = Stage.start
    private var info: FLACStreamInfo?
    private var trial: FLACPacketDecoder?
    private var counter = PacketCounter()
    private var order = FLACOrder(isFromStart: false)
    /// Whether no more comes.
    private var isOver = false

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

    /// For what looked like a frame.
    private(set) var credit = RescanCredit()

    private static let strangeLimit = 1 << 21

    init(operation: String) { self.operation = operation }

    var isFinite: Bool { info.map { $0.totalFrames > 0 } ?? false }

    func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [SoundPiece] {
        held += bytes
        credit.add(bytes.count)
        var pieces: [SoundPiece] = []
        while try takeMetadata(&pieces) {}
        if case .sound = stage { takeFrames(&pieces) }
        guard strangeBytes <= Self.strangeLimit else {
            throw StreamError(.badData, operation, "its FLAC stream breaks off, and what follows is another thing")
        }
        return pieces
    }

    func finish() -> [SoundPiece] {
        guard case .sound = stage, let info else { return [] }
        // The frame whose end was not found is looked at from its start: now any bytes may follow it, as a tag.
        (isOver, examined, check) = (true, 0, 0)
        var pieces: [SoundPiece] = []
        takeFrames(&pieces)
        guard isFinite, let end = order.end, end < info.totalFrames else { return pieces }
        return pieces + counter.missingEnd(info.totalFrames - end, each: info.largestBlock)
    }

    // The metadata.

    /// Takes the next part of it; whether more may be there.
    private func takeMetadata(_ pieces: inout [SoundPiece]) throws(StreamError) -> Bool {
        switch stage {
        case .start:
            let count = 8 + FLACStreamInfo.bytes
            guard held.count >= count else { return false }
            let block = held.prefix(count).dropFirst(8)
            guard held.starts(with: "fLaC".utf8), byte(4) & 0x7f == 0, held.bigEndian(5, 3) == FLACStreamInfo.bytes,
                let info = FLACStreamInfo(block)
            else {
                throw StreamError(.protocolError, operation, "its FLAC stream begins with a header that is damaged")
            }
            let (opening, header) = (try info.opening(operation), FLACStreamInfo.header(block))
            let trial = try FLACPacketDecoder(opening)
            try trial.begin(header)
            pieces += [.opening(opening), .packet(counter.header(header))]
            stage = byte(4) & 0x80 != 0 ? .sound : .block
            held.removeFirst(count)
            (self.info, self.trial, order) = (info, trial, FLACOrder(isFromStart: info.totalFrames > 0))
        case .block:
            guard held.count >= 4 else { return false }
            stage = .skipping(held.bigEndian(1, 3), isLast: byte(0) & 0x80 != 0)
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

    private func byte(_ offset: Int) -> UInt8 { held[held.startIndex + offset] }

    // The sound.

    /// What is found at the beginning of `held`.
    private enum Search {
        /// A frame of so many bytes.
        case frame(Int)
        /// No frame begins within so many bytes.
        case none(Int)
        /// More must come.
        case open
    }

    private func takeFrames(_ pieces: inout [SoundPiece]) {
        while find(), let frame {
            switch search() {
            case .frame(let bytes):
                pieces += order.missing(before: frame, &counter)
                pieces.append(.packet(counter.packet(Array(held.prefix(bytes)), frames: frame.blockFrames)))
                held.removeFirst(bytes)
                strangeBytes = 0
            case .none(let bytes):
                held.removeFirst(bytes)
                strangeBytes += bytes
            case .open: return
            }
            (self.frame, examined, check) = (nil, 0, 0)
        }
    }

    /// Goes on to where a frame may begin; whether there is such a place.
    private func find() -> Bool {
        while frame == nil {
            switch FLACFrameHeader.read(held) {
            case .header(let header): frame = header
            case .tooShort: return false
            case .none:
                held.removeFirst()
                strangeBytes += 1
            }
        }
        return true
    }

    /// Looks for the end of the frame that may begin here.
    private func search() -> Search {
        // The last byte that came before may have been the end, as what has come since shows.
        if check == 0, isEnd(examined) { return .frame(examined) }
        let limit = largestFrame
        while examined < held.count, examined <= limit {
            check = FLACCheck.sixteen(check, byte(examined))
            examined += 1
            if check == 0, isEnd(examined) { return .frame(examined) }
        }
        guard examined > limit || isOver else { return .open }
        // Its header was none, or it is damaged: the next one may begin behind its first byte.
        return .none(credit.spend(examined) ? 1 : examined)
    }

    /// In bytes: no encoder makes more of a frame than its samples are.
    private var largestFrame: Int {
        guard let info, let frame else { return 0 }
        let samples = info.channels * ((info.bits + 1) * frame.blockFrames / 8 + 16)
        return min(StreamPacket.payloadLimit, frame.bytes + samples + 16)
    }

    /// Whether the frame ends behind so many bytes, whose check is right.
    private func isEnd(_ count: Int) -> Bool {
        guard let frame, count > frame.bytes + 2 else { return false }
        let rest = held.dropFirst(count).prefix(2)
        guard rest.count < 2 || isOver else { return rest.starts(with: [0xff, frame.isVariable ? 0xf9 : 0xf8]) }
        guard rest.first ?? 0xff == 0xff || isOver, credit.spend(count),
            let heard = try? trial?.decode(Array(held.prefix(count)))
        else { return false }
        return heard.frames == frame.blockFrames
    }
}
