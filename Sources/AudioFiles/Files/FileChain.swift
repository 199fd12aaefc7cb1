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
        /// The frame behind its last one.
        var end: Int { start + frames }
    }

    /// All links with the sample rate and the channels of the first. At least one.
    private(set) var links: [Link] = []
    /// Why other links are left out: another format, or libsndfile cannot open one.
    private(set) var leftOut: SoundFileFlaw?
    /// A missing end, or missing pages.
    let losses: [SoundFileFlaw]
    let isOgg: Bool
    /// Whether a read of the file failed.
    var hasFailed: Bool { file.hasFailed }

    private let file: RegularBytes
    private let descriptor: CInt

    /// A day of radio has some 500 titles. Each link is opened once at the start.
    private static let mostLinks = 4096

    /// - Parameters:
    ///   - descriptor: this object takes and closes it, unless the result is `nil`.
    ///   - facts: receives those of the first link.
    /// - Returns: `nil` if the file is neither Ogg nor MP3, or libsndfile cannot open its first link.
    init?(_ descriptor: CInt, _ facts: inout SF_INFO) {
        guard let file = RegularBytes(descriptor) else { return nil }
        let isOgg = file.bytes(4, at: 0) == Array("OggS".utf8)
        guard isOgg || MPEGHeader(file.bytes(MPEGHeader.bytes, at: file.tagBytes())[...]) != nil else { return nil }
        let (starts, losses) = isOgg ? Self.streams(file) : Self.joinedFiles(file)
        let ends = starts.dropFirst() + [file.length]
        let parts = zip(starts, ends).map { $0..<max($0, $1) }
        guard let first = FileWindow(file, parts[0]).examined({ _, facts in facts }) else { return nil }
        facts = first
        (self.file, self.descriptor, self.isOgg, self.losses) = (file, descriptor, isOgg, losses)
        link(parts, like: first)
    }

    deinit { close(descriptor) }

    /// Presents a range of bytes to libsndfile as a file.
    func window(_ bytes: Range<Int>) -> FileWindow { FileWindow(file, bytes) }

    /// The index of the link that holds a frame; the last one for a frame behind the end.
    func link(at frame: Int) -> Int { links.lastIndex { $0.start <= frame } ?? 0 }

    private func link(_ parts: [Range<Int>], like first: SF_INFO) {
        var start = 0
        for (number, part) in parts.prefix(Self.mostLinks).enumerated() {
            guard let facts = number == 0 ? first : FileWindow(file, part).examined({ _, facts in facts }) else {
                leftOut = leftOut ?? .stopped(frame: start, promised: nil, reason: soundFileError(nil))
                return
            }
            guard facts.samplerate == first.samplerate, facts.channels == first.channels else {
                let (rate, channels) = (Int(facts.samplerate), Int(facts.channels))
                leftOut = leftOut ?? .changed(frame: start, sampleRate: rate, channels: channels, bits: nil)
                continue
            }
            // libsndfile reports an unknown length as a huge number.
            let frames = (0..<1 << 48).contains(facts.frames) ? Int(facts.frames) : 0
            links.append(Link(bytes: part, start: start, frames: frames))
            start += frames
        }
        if parts.count > Self.mostLinks {
            leftOut = leftOut ?? .stopped(frame: start, promised: nil, reason: "more than \(Self.mostLinks) streams")
        }
    }

    private static func streams(_ file: RegularBytes) -> ([Int], [SoundFileFlaw]) {
        let outline = OggOutline(of: file)
        let losses: [SoundFileFlaw] =
            (outline.hasEnd ? [] : [.missingEnd]) + (outline.isDamaged ? [.lost(frames: nil)] : [])
        return ([0] + outline.starts.filter { $0 > 0 }, losses)
    }

    /// The first byte of each joined MP3 file. Each Xing header tells where the next file begins.
    private static func joinedFiles(_ file: RegularBytes) -> ([Int], [SoundFileFlaw]) {
        var (starts, byte) = ([0], file.tagBytes())
        while let promised = XingHeader(file, at: byte)?.bytes {
            let present = file.length - byte
            if promised > present { return (starts, [.missingBytes(promised: promised, present: present)]) }
            guard let next = firstFrame(file, behindTagsAt: byte + promised), starts.count <= mostLinks else { break }
            starts.append(next)
            byte = next
        }
        return (starts, [])
    }

    /// The first MPEG frame at a byte or behind the tags at that byte.
    private static func firstFrame(_ file: RegularBytes, behindTagsAt start: Int) -> Int? {
        var byte = start
        while true {
            let head = file.bytes(16, at: byte)
            // Not one frame alone: some encoders do not count the frame of the Xing header.
            if MPEGHeader.findStart(file.bytes(searchBytes, at: byte)) == 0 { return byte }
            switch String(decoding: head.prefix(3), as: UTF8.self) {
            case "TAG": byte += 128
            case "ID3": byte += file.tagBytes(at: byte)
            // The size in the header includes the footer, but not the header.
            case "APE": byte += 32 + head.littleEndian(12, 4)
            default: return nil
            }
        }
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
    /// More than three MPEG frames.
    private static let searchBytes = 8192
}

/// A range of a file's bytes, presented to libsndfile as a file.
final class FileWindow: VirtualFile {
    let bytes: Range<Int>
    private let file: RegularBytes

    init(_ file: RegularBytes, _ bytes: Range<Int>) { (self.file, self.bytes) = (file, bytes) }

    override var end: Int { bytes.count }

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(max(0, bytes.count - position)))
        return unsafe file.read(into: part, at: bytes.lowerBound + position)
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
