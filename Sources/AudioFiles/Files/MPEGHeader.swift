/// What stands before each frame of MPEG audio, layers I to III (ISO 11172-3, 13818-3).
package struct MPEGHeader: Sendable, Equatable {
    /// What does not change within a stream: version, layer and rate.
    fileprivate let kind: UInt16
    /// With these.
    let frameBytes: Int

    static let bytes = 4

    /// Reads one; `nil` where it is none, or of free format.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.bytes else { return nil }
        let start = bytes.startIndex
        let (second, third) = (bytes[start + 1], bytes[start + 2])
        // ADTS (AAC) has the layer 0.
        guard bytes[start] == 0xff, second & 0xe0 == 0xe0, second & 0x18 != 0x08, second & 0x06 != 0 else { return nil }
        let (bitRateCode, rateCode) = (Int(third >> 4), Int(third >> 2 & 3))
        guard (1...14).contains(bitRateCode), rateCode < 3, bytes[start + 3] & 3 != 2 else { return nil }
        let layer = 4 - Int(second >> 1 & 3)
        let isFirst = second & 0x18 == 0x18
        let rate = [44100, 48000, 32000][rateCode] >> (isFirst ? 0 : second & 0x18 == 0x10 ? 1 : 2)
        let bitRate = 1000 * Self.bitRates[isFirst ? layer - 1 : layer == 1 ? 3 : 4][bitRateCode]
        let padding = Int(third >> 1 & 1)
        frameBytes =
            layer == 1
            ? (12 * bitRate / rate + padding) * 4 : (layer == 3 && !isFirst ? 72 : 144) * bitRate / rate + padding
        kind = UInt16(second & 0x1e) << 8 | UInt16(third & 0x0c)
    }

    /// In kbit/s: layers I, II and III of the first version, layer I and the others of the second.
    private static let bitRates = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Where three frames follow each other; `nil` where they do not, or have not come yet.
    package static func findStart(_ bytes: [UInt8]) -> Int? {
        bytes.indices.first { isStart($0, in: bytes) }
    }

    /// Whether three frames follow each other from a place on.
    static func isStart(_ place: Int, in bytes: [UInt8]) -> Bool {
        MPEGHeader(bytes[place...])?.leads(from: place, in: bytes) { count, _ in count == 3 } ?? false
    }

    /// Whether it and those of its kind that follow it come to where it is enough.
    ///
    /// - Parameters:
    ///   - start: its place.
    ///   - isEnough: asked with the number of headers up to there, and the place behind their last frame.
    fileprivate func leads(from start: Int, in bytes: [UInt8], isEnough: (Int, Int) -> Bool) -> Bool {
        var (count, place) = (1, start + frameBytes)
        while !isEnough(count, place) {
            guard place + Self.bytes <= bytes.count, let next = MPEGHeader(bytes[place...]), next.kind == kind else {
                return false
            }
            (count, place) = (count + 1, place + next.frameBytes)
        }
        return true
    }
}

/// Follows the frames of MPEG audio from header to header, and finds bytes between them that are of no frame: libmpg123 steps over
/// some, with the frame that they were, and does not report it.
struct MPEGFrameWalk {
    /// Whether a frame was lost so.
    private(set) var hasHole = false
    /// Where the next header is.
    private var next: Int
    /// The one before.
    private var last: MPEGHeader?
    private let end: Int
    /// Behind the last frame, as the Xing header promises; 0 where that is not known.
    private let promisedEnd: Int
    /// How many frames it promises, with itself; `nil` where that is not known.
    private let promisedFrames: Int?
    /// How many were found.
    private var frames = 0

    /// Where there are more, libmpg123 stops.
    private static let mostSkippedBytes = 1024
    /// With three frames behind them.
    private static let searchBytes = 8192

    /// - Parameters:
    ///   - byte: of the first header.
    ///   - end: of the file.
    ///   - promise: the Xing header, where the first frame is one.
    init(from byte: Int, to end: Int, _ promise: XingHeader?) {
        (next, self.end) = (byte, end)
        // Where more was promised than there is, that has been told.
        promisedEnd = promise?.bytes.flatMap { $0 <= end - byte ? byte + $0 : nil } ?? 0
        promisedFrames = promise?.frames.map { $0 + 1 }
    }

    /// Goes on as far as the file was read.
    mutating func go(to end: Int, in file: some FileBytes) {
        while !hasHole, next < end {
            if let header = MPEGHeader(file.bytes(MPEGHeader.bytes, at: next)[...]) {
                (next, last, frames) = (next + header.frameBytes, header, frames + 1)
                continue
            }
            let tag = file.mpegTagBytes(at: next)
            if tag > 0 {
                next += tag
            } else if let found = MPEGHeader.findStart(file.bytes(Self.searchBytes, at: next)),
                found <= Self.mostSkippedBytes
            {
                hasHole = !isLyrics(file)
                next += found
            } else {
                // The end, and what may stand behind it; or a larger hole.
                hasHole = !isLyrics(file) && (isLacking(file) || goesOnToEnd(file))
                next = .max
            }
        }
    }

    /// Whether Lyrics3 is next, a tag whose length stands at its end.
    private func isLyrics(_ file: some FileBytes) -> Bool { file.bytes(11, at: next) == Array("LYRICSBEGIN".utf8) }

    /// Whether a frame is missing of those that the header promises. Some count bytes that are padding, or a tag.
    private func isLacking(_ file: some FileBytes) -> Bool {
        next < promisedEnd && promisedFrames.map { frames < $0 } ?? true && !isOldAPE(file)
    }

    /// Whether a tag of APE's first version is next: it has no header, and ends the file but for ID3v1.
    private func isOldAPE(_ file: some FileBytes) -> Bool {
        [end, end - 128].contains { place in
            guard place - 32 >= next, case let footer = file.bytes(32, at: place - 32) else { return false }
            // The size includes the footer.
            return footer.starts(with: "APETAGEX".utf8) && place - footer.littleEndian(12, 4) == next
        }
    }

    /// Whether frames follow, too few to be sure of them, but just as many as there is room for up to the end or a tag.
    private func goesOnToEnd(_ file: some FileBytes) -> Bool {
        let bytes = file.bytes(min(Self.searchBytes, end - next), at: next)
        return bytes.indices.contains { start in
            guard let header = MPEGHeader(bytes[start...]), header.kind == last?.kind else { return false }
            return header.leads(from: start, in: bytes) { _, place in
                next + place == end || file.mpegTagBytes(at: next + place) > 0
            }
        }
    }
}

extension FileBytes {
    /// How many bytes the tag has that stands between or behind MPEG frames: ID3 or APE; 0 where there is none.
    func mpegTagBytes(at place: Int) -> Int {
        let head = bytes(16, at: place)
        switch String(decoding: head.prefix(3), as: UTF8.self) {
        case "TAG": return 128
        case "ID3": return tagBytes(at: place)
        // The size in the header includes the footer, but not the header.
        case "APE": return 32 + head.littleEndian(12, 4)
        default: return 0
        }
    }
}

/// The Xing header of an MP3 file: a frame of its own before the sound, which tells how long the file is.
struct XingHeader {
    /// The length of the file from this frame on; `nil` if the header does not tell, here and below.
    let bytes: Int?
    /// How many frames follow this one.
    let frames: Int?
    /// How many frames of sound libmpg123 leaves out at the beginning: its own delay and the encoder's (LAME's header, 12 bits).
    let delayFrames: Int

    private static let decoderDelay = 529
    /// The offsets of its name: behind the side information, whose length depends on version and channels.
    private static let places = [13, 21, 36]

    /// Reads the header of an MP3 file whose first frame begins at `byte`. Returns `nil` if it has none.
    init?(_ file: some FileBytes, at byte: Int) {
        let frame = file.bytes(184, at: byte)
        guard frame.count >= 52, frame[0] == 0xff, frame[1] & 0xe6 == 0xe2,
            let place = Self.places.first(where: {
                ["Xing", "Info"].contains(String(decoding: frame[$0..<$0 + 4], as: UTF8.self))
            })
        else { return nil }
        let flags = frame.bigEndian(place + 4, 4)
        // The number of frames, where there is one, comes before that of bytes, then a table of 100 bytes, and the quality.
        let encoder = place + 8 + (flags & 1) * 4 + (flags & 2) * 2 + (flags & 4) * 25 + (flags & 8) / 2
        let frameBytes = min(frame.count, MPEGHeader(frame[...])?.frameBytes ?? 0)
        let hasDelay = frameBytes >= encoder + 24 && frame[encoder] != 0
        let count = flags & 1 == 0 ? 0 : frame.bigEndian(place + 8, 4)
        frames = count > 0 ? count : nil
        delayFrames =
            count > 0 ? Self.decoderDelay + (hasDelay ? frame.bigEndian(encoder + 21, 2) >> 4 : 0) : 0
        let promised = flags & 2 == 0 ? 0 : frame.bigEndian(place + (flags & 1 == 0 ? 8 : 12), 4)
        bytes = promised > 0 ? promised : nil
    }
}
