import AudioFiles

/// The first block of metadata in FLAC (RFC 9639, section 8.2).
struct FLACStreamInfo: Sendable, Equatable {
    var largestBlock: Int
    var rate: Int
    var channels: Int
    var bits: Int
    /// 0 where nobody knows.
    var totalFrames: Int

    static let bytes = 34

    /// - Parameter block: without the four bytes before it.
    init?(_ block: ArraySlice<UInt8>) {
        guard block.count >= Self.bytes else { return nil }
        largestBlock = block.bigEndian(2, 2)
        let packed = block.bigEndian(10, 8)
        rate = packed >> 44 & 0xf_ffff
        channels = (packed >> 41 & 7) + 1
        bits = (packed >> 36 & 31) + 1
        totalFrames = packed & 0xf_ffff_ffff
        guard rate > 0, bits >= 4, largestBlock >= 16 else { return nil }
    }

    func opening(_ operation: String) throws(StreamError) -> StreamOpening {
        try StreamOpening(
            .flac, rate: rate, channels: channels, bits: bits <= 16 ? 16 : 24, packetFrames: largestBlock,
            operation: operation)
    }

    /// What a decoder needs: the mark, and the block as the last one.
    static func header(_ block: ArraySlice<UInt8>) -> [UInt8] {
        Array("fLaC".utf8) + [0x80, 0, 0, UInt8(bytes)] + block.prefix(bytes)
    }
}

/// What stands before the sound in a frame of FLAC (RFC 9639, section 9.1).
struct FLACFrameHeader: Sendable, Equatable {
    var isVariable: Bool
    /// Of its first sample where the blocks are of any length, else of the frame.
    var number: Int
    var blockFrames: Int
    /// Behind the frame's number.
    var numberEnd: Int
    /// Whether it tells the rate in hertz, and not by a code alone.
    var tellsRate: Bool
    /// With its check.
    var bytes: Int

    /// What bytes that may be one turned out to be.
    enum Reading: Sendable, Equatable {
        case header(FLACFrameHeader)
        case tooShort
        case none
    }

    static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard bytes.count >= 2 else { return bytes.first ?? 0xff == 0xff ? .tooShort : .none }
        let start = bytes.startIndex
        guard bytes[start] == 0xff, bytes[start + 1] & 0xfe == 0xf8 else { return .none }
        guard bytes.count >= 5 else { return .tooShort }
        let (blockCode, rateCode) = (Int(bytes[start + 2] >> 4), Int(bytes[start + 2] & 15))
        let (channelCode, bitsCode) = (bytes[start + 3] >> 4, bytes[start + 3] >> 1 & 7)
        guard blockCode != 0, rateCode != 15, channelCode <= 10, bitsCode != 3, bytes[start + 3] & 1 == 0 else {
            return .none
        }
        // A number in as many bytes as the ones at its beginning say.
        let ones = (~bytes[start + 4]).leadingZeroBitCount
        guard ones != 1, ones <= 7 else { return .none }
        let numberEnd = 4 + max(1, ones)
        guard bytes.count >= numberEnd else { return .tooShort }
        let number = bytes[(start + 5)..<(start + numberEnd)].reduce(Int(bytes[start + 4] & 0x7f >> ones)) {
            $0 << 6 | Int($1 & 0x3f)
        }
        var place = numberEnd
        let blockBytes = blockCode == 6 ? 1 : blockCode == 7 ? 2 : 0
        let rateBytes = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
        guard bytes.count >= place + blockBytes + rateBytes + 1 else { return .tooShort }
        let blockFrames: Int
        switch blockCode {
        case 1: blockFrames = 192
        case 2...5: blockFrames = 144 << blockCode
        case 6, 7: blockFrames = bytes.bigEndian(place, blockBytes) + 1
        default: blockFrames = 1 << blockCode
        }
        place += blockBytes + rateBytes
        guard FLACCheck.eight(bytes.prefix(place)) == bytes[start + place] else { return .none }
        return .header(
            FLACFrameHeader(
                isVariable: bytes[start + 1] & 1 != 0, number: number, blockFrames: blockFrames, numberEnd: numberEnd,
                tellsRate: rateBytes > 0, bytes: place + 1))
    }
}

/// Finds out by their numbers which frames of FLAC are missing: those that were damaged, and those that were left out on the way.
struct FLACOrder: Sendable {
    private let isFromStart: Bool
    private var isWhole = true
    private var last: FLACFrameHeader?
    /// Of the longest frame, in samples: the last may be shorter.
    private var block = 0

    /// Frames of FLAC that may be missing at the start of a whole sound.
    private static let mostBeforeFirst = 16

    /// - Parameter isFromStart: whether the first frame is that of the sound. A listener of a station gets in anywhere, and a file may
    ///   have been cut out of a longer one.
    init(isFromStart: Bool) { self.isFromStart = isFromStart }

    /// What is in the place of the frames that ought to have come before this one. Numbers that go back are those of a new beginning.
    mutating func missing(before next: FLACFrameHeader, _ counter: inout PacketCounter) -> [SoundPiece] {
        defer { (last, block) = (next, max(block, next.blockFrames)) }
        let each = (last ?? next).blockFrames
        let isNearStart = isFromStart && next.number / (next.isVariable ? each : 1) <= Self.mostBeforeFirst
        if last == nil, !isNearStart { isWhole = false }
        let due = last.map { $0.number + ($0.isVariable ? $0.blockFrames : 1) } ?? (isNearStart ? 0 : next.number)
        guard (last ?? next).isVariable == next.isVariable, next.number > due else { return [] }
        return counter.missing((next.number - due) * (next.isVariable ? 1 : each), each: each)
    }

    /// Where the last frame ends in the sound; `nil` where the numbers are those of another sound.
    var end: Int? {
        guard isWhole else { return nil }
        return last.map { $0.number * ($0.isVariable ? 1 : block) + $0.blockFrames } ?? 0
    }
}

/// The checks of FLAC's frames.
enum FLACCheck {
    private static let sixteens: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { check, _ in check & 1 << 15 != 0 ? check << 1 ^ 0x8005 : check << 1 }
    }

    private static let eights: [UInt8] = (0..<256).map { byte in
        (0..<8).reduce(UInt8(byte)) { check, _ in check & 1 << 7 != 0 ? check << 1 ^ 0x07 : check << 1 }
    }

    /// Goes on with the check of a whole frame, which is 0 behind its end.
    static func sixteen(_ check: UInt16, _ byte: UInt8) -> UInt16 {
        check << 8 ^ sixteens[Int(UInt8(check >> 8) ^ byte)]
    }

    /// Of a frame's header.
    static func eight(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        bytes.reduce(0) { eights[Int($0 ^ $1)] }
    }
}
