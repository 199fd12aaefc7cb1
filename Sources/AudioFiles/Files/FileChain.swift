import CSndFile
import Glibc

/// The links of an Ogg or MP3 file: the chained streams of Ogg (RFC 3533), as radio stations send them, or MP3 files that were
/// joined by `cat`. libsndfile reads the first link only, and gives no error for the others.
///
/// Thread: one at a time, any that may block.
@safe final class FileChain {
    /// A part of the file that is a sound file by itself.
    struct Link {
        var bytes: Range<Int>
        /// Its first frame, counted from the beginning of the first link.
        var start: Int
        /// Its length. An estimate in MP3.
        var frames: Int
        /// Of Opus whose channels are in no order of loudspeakers.
        var isUnordered: Bool
        /// The frame behind its last one.
        var end: Int { start + frames }
    }

    /// All links with the sample rate and the channels of the first. At least one.
    let links: [Link]
    /// A link with another sample rate or other channels, which is left out.
    let leftOut: SoundFileFlaw?
    /// A missing end, missing pages, or links that cannot be opened.
    let losses: [SoundFileFlaw]
    /// Whether the lengths of all links are known, those of MP3 by their headers.
    let isExact: Bool
    let isOgg: Bool
    /// Whether a read of the file failed.
    var hasFailed: Bool { file.hasFailed }

    private let file: RegularBytes
    private let descriptor: CInt

    /// A day of radio has some 500 titles. Each link is opened once at the start.
    private static let mostLinks = 4096

    /// What a search for links finds.
    private struct Search {
        var facts: SF_INFO?
        var links: [Link] = []
        var leftOut: SoundFileFlaw?
        var isExact = true
        var hasUnreadable = false
    }

    /// - Parameters:
    ///   - descriptor: this object takes and closes it, unless the result is `nil`.
    ///   - facts: receives those of the first link.
    /// - Returns: `nil` if the file is neither Ogg nor MP3, or libsndfile cannot open it.
    init?(_ descriptor: CInt, _ facts: inout SF_INFO) {
        guard let file = RegularBytes(descriptor) else { return nil }
        let isOgg = file.bytes(4, at: 0) == Array("OggS".utf8)
        guard isOgg || MPEGHeader(file.bytes(MPEGHeader.bytes, at: file.tagBytes())[...]) != nil else { return nil }
        let outline = isOgg ? OggOutline(of: file) : nil
        let (parts, losses) = outline.map(Self.streams) ?? Self.joinedFiles(file)
        let unordered = outline?.unorderedLinks ?? []
        var search = Self.search(parts, file, unordered)
        if search.facts == nil { search = Self.search([0..<file.length], file, unordered) }
        guard let first = search.facts else { return nil }
        facts = first
        (self.file, self.descriptor, self.isOgg) = (file, descriptor, isOgg)
        (links, leftOut, isExact) = (search.links, search.leftOut, search.isExact)
        let isLost = search.hasUnreadable && !losses.contains(.lost(frames: nil))
        self.losses = losses + (isLost ? [.lost(frames: nil)] : [])
    }

    deinit { close(descriptor) }

    /// Presents a range of bytes to libsndfile as a file.
    func window(_ bytes: Range<Int>) -> FileWindow {
        guard !isOgg else { return FileWindow(file, bytes) }
        let first = bytes.lowerBound + file.tagBytes(at: bytes.lowerBound)
        let header = XingHeader(file, at: first)
        return FileWindow(
            file, bytes, hidesEnd: header == nil, delayFrames: header?.delayFrames ?? 0,
            walk: MPEGFrameWalk(from: first, to: bytes.upperBound, header))
    }

    /// The index of the link that holds a frame; the last one for a frame behind the end.
    func link(at frame: Int) -> Int { frame == 0 ? 0 : links.lastIndex { $0.start <= frame } ?? 0 }

    /// - Parameter unordered: the indices of parts whose channels are in no order of loudspeakers.
    private static func search(_ parts: [Range<Int>], _ file: RegularBytes, _ unordered: Set<Int>) -> Search {
        var search = Search()
        var start = 0
        for (index, part) in parts.prefix(mostLinks).enumerated() {
            guard let facts = unsafe FileWindow(file, part).examined({ _, facts in facts }) else {
                search.hasUnreadable = true
                continue
            }
            let first = search.facts ?? facts
            search.facts = first
            guard facts.samplerate == first.samplerate, facts.channels == first.channels else {
                let (rate, channels) = (Int(facts.samplerate), Int(facts.channels))
                search.leftOut =
                    search.leftOut ?? .changed(frame: start, sampleRate: rate, channels: channels, bits: nil)
                continue
            }
            // libsndfile reports an unknown length as a huge number.
            let isKnown = (0..<1 << 48).contains(facts.frames)
            let frames = isKnown ? Int(facts.frames) : 0
            search.isExact = search.isExact && isKnown
            search.links.append(
                Link(bytes: part, start: start, frames: frames, isUnordered: unordered.contains(index)))
            start += frames
        }
        if parts.count > mostLinks {
            search.leftOut =
                search.leftOut ?? .stopped(frame: start, promised: nil, reason: "more than \(mostLinks) streams")
        }
        return search
    }

    private static func streams(_ outline: OggOutline) -> ([Range<Int>], [SoundFileFlaw]) {
        let losses: [SoundFileFlaw] =
            (outline.hasEnd ? [] : [.missingEnd]) + (outline.isDamaged ? [.lost(frames: nil)] : [])
        return (outline.links, losses)
    }

    /// The bytes of each joined MP3 file. Each Xing header tells where the next file begins.
    private static func joinedFiles(_ file: RegularBytes) -> ([Range<Int>], [SoundFileFlaw]) {
        var (parts, start, byte): ([Range<Int>], Int, Int) = ([], 0, file.tagBytes())
        var losses: [SoundFileFlaw] = []
        while let promised = XingHeader(file, at: byte)?.bytes {
            let present = file.length - byte
            if promised > present { losses = [.missingBytes(promised: promised, present: present)] }
            guard promised <= present, parts.count <= mostLinks,
                let next = firstFrame(file, behindTagsAt: byte + promised),
                // A short rest without a header is no file: some encoders count too few bytes.
                file.length - next > leastBytes || XingHeader(file, at: next) != nil
            else { break }
            parts.append(start..<next)
            (start, byte) = (next, next)
        }
        return (parts + [start..<file.length], losses)
    }

    /// The first MPEG frame at a byte or behind the tags at that byte.
    private static func firstFrame(_ file: RegularBytes, behindTagsAt start: Int) -> Int? {
        var byte = start
        while !hasFrames(file, at: byte) {
            let tag = file.mpegTagBytes(at: byte)
            guard tag > 0 else { return nil }
            byte += tag
        }
        return byte
    }

    /// Where there is a tag, four bytes tell: a file may have thousands of them.
    private static func hasFrames(_ file: RegularBytes, at byte: Int) -> Bool {
        MPEGHeader(file.bytes(MPEGHeader.bytes, at: byte)[...]) != nil
            && MPEGHeader.isStart(0, in: file.bytes(searchBytes, at: byte))
    }

    /// The first MPEG frame behind a hole at which libsndfile has stopped.
    ///
    /// - Parameters:
    ///   - bytes: of the link.
    ///   - byte: where libsndfile has stopped reading, from the beginning of `bytes`.
    func frames(in bytes: Range<Int>, behind byte: Int) -> Int? {
        guard !isOgg else { return nil }
        var place = bytes.lowerBound + byte
        while place < bytes.upperBound {
            let piece = file.bytes(min(Self.pieceBytes, bytes.upperBound - place), at: place)
            if let found = MPEGHeader.findStart(piece) { return place + found }
            // The pieces overlap by more than three of the largest frames.
            guard piece.count == Self.pieceBytes else { return nil }
            place += Self.pieceBytes / 2
        }
        return nil
    }

    private static let pieceBytes = 65536
    private static let leastBytes = 16384
    /// More than three MPEG frames.
    private static let searchBytes = 8192
}

/// A range of a file's bytes, presented to libsndfile as a file.
final class FileWindow: VirtualFile {
    let bytes: Range<Int>
    /// As of `XingHeader`.
    let delayFrames: Int
    /// Whether libsndfile has read over bytes of MP3 that are of no frame, and lost what they were.
    var hasHole: Bool { walk?.hasHole ?? false }

    private let file: RegularBytes
    private let hidesEnd: Bool
    private var walk: MPEGFrameWalk?

    /// - Parameter hidesEnd: presents the file as longer than it is. libsndfile estimates the length of MP3 without a Xing header, and
    ///   does not read beyond its estimate.
    init(
        _ file: RegularBytes, _ bytes: Range<Int>, hidesEnd: Bool = false, delayFrames: Int = 0,
        walk: MPEGFrameWalk? = nil
    ) {
        (self.file, self.bytes, self.delayFrames, self.walk) = (file, bytes, delayFrames, walk)
        // A file that is larger is one hole, and so many times its length is no number.
        self.hidesEnd = hidesEnd && bytes.count < 1 << 50
    }

    // Frames of 8 kbit/s behind one of 320 are 40 times as many as estimated.
    override var end: Int { hidesEnd ? 64 * bytes.count + Self.tagBytes : bytes.count }
    /// The size of an ID3v1 tag.
    private static let tagBytes = 128

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        // libmpg123 looks for a tag at the end. It needs bytes there to know the length.
        if hidesEnd, position >= end - Self.tagBytes {
            let count = min(room.count, max(0, end - position))
            unsafe room.prefix(count).initializeMemory(as: UInt8.self, repeating: 0)
            return count
        }
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(max(0, bytes.count - position)))
        let count = unsafe file.read(into: part, at: bytes.lowerBound + position)
        // The look for a tag at the end says nothing of what lies before.
        if position < bytes.count - Self.tagBytes { walk?.go(to: bytes.lowerBound + position + count, in: file) }
        return count
    }

    /// Opens it with libsndfile. The caller closes it before this object goes.
    func open(_ facts: inout SF_INFO) -> OpaquePointer? {
        facts = SF_INFO()
        return unsafe openVirtual(SFM_READ, &facts)
    }

    /// Opens it, calls `body`, and closes it. Returns `nil` if libsndfile cannot open it.
    func examined<Result>(_ body: (OpaquePointer, SF_INFO) -> Result) -> Result? {
        var facts = SF_INFO()
        return withExtendedLifetime(self) {
            guard let file = unsafe open(&facts) else { return nil }
            defer { unsafe sf_close(file) }
            return unsafe body(file, facts)
        }
    }
}
