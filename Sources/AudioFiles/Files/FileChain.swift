import CSndFile
import Glibc

/// An Ogg or MP3 file as the sound files that stand in it one behind the other: streams of Ogg that are chained (RFC 3533), as a
/// radio station sends them, and what `cat` has joined. libsndfile reads the first, and does not say that there are others.
///
/// Thread: one at a time, any that may block.
@safe final class FileChain {
    /// One of them.
    struct Link {
        var bytes: Range<Int>
        /// The number of its first frame, among those of all.
        var start: Int
        /// Of MP3 an estimate.
        var frames: Int
        /// The frame behind its last.
        var end: Int { start + frames }
    }

    /// Those that have the rate and the channels of the first, which is there.
    private(set) var links: [Link] = []
    /// What has others, or cannot be opened, and is left out.
    private(set) var leftOut: SoundFileFlaw?
    /// That its end is missing, or some of it.
    let losses: [SoundFileFlaw]
    let isOgg: Bool
    /// Whether its bytes could not be read.
    var hasFailed: Bool { file.hasFailed }

    private let file: RegularBytes
    private let descriptor: CInt

    /// Of more nobody has heard; each of them is opened.
    private static let mostLinks = 4096

    /// - Parameters:
    ///   - descriptor: becomes this object's, which closes it, unless the result is `nil`.
    ///   - facts: become those of the first.
    /// - Returns: `nil` where that is no Ogg or MP3 file, or its beginning cannot be read.
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

    /// A window on bytes of it, for libsndfile.
    func window(_ bytes: Range<Int>) -> FileWindow { FileWindow(file, bytes) }

    /// The number of the link in which a frame is; of one behind all of them, the last.
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
            // libsndfile says that it does not know by a number that is beyond any file.
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

    /// Where files of MPEG layer III begin, as far as their headers say how long they are.
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

    /// The frame of MPEG that begins at a byte, or behind the tags that stand there.
    private static func firstFrame(_ file: RegularBytes, behindTagsAt start: Int) -> Int? {
        var byte = start
        while true {
            let head = file.bytes(16, at: byte)
            // One frame is what is left where an encoder does not count that of the header.
            if MPEGHeader.findStart(file.bytes(searchBytes, at: byte)) == 0 { return byte }
            switch String(decoding: head.prefix(3), as: UTF8.self) {
            case "TAG": byte += 128
            case "ID3": byte += file.tagBytes(at: byte)
            // With a head of its own, and an end of as many bytes, which counts with what is between.
            case "APE": byte += 32 + head.littleEndian(12, 4)
            default: return nil
            }
        }
    }

    /// Where in a link of MP3 frames go on behind a hole, at which libsndfile has ended.
    ///
    /// - Parameter byte: how far it has read in it.
    func frames(in bytes: Range<Int>, behind byte: Int) -> Int? {
        guard !isOgg else { return nil }
        var place = bytes.lowerBound + byte
        while place < bytes.upperBound {
            let piece = file.bytes(min(Self.pieceBytes, bytes.upperBound - place), at: place)
            if let found = MPEGHeader.findStart(piece) { return place + found }
            // Three of the largest frames go into what is looked at twice.
            guard piece.count == Self.pieceBytes else { return nil }
            place += Self.pieceBytes / 2
        }
        return nil
    }

    private static let pieceBytes = 65536
    /// More than three frames of MPEG have.
    private static let searchBytes = 8192
}

/// A part of a file, which libsndfile takes for a file.
final class FileWindow: VirtualFile {
    let bytes: Range<Int>
    private let file: RegularBytes

    init(_ file: RegularBytes, _ bytes: Range<Int>) { (self.file, self.bytes) = (file, bytes) }

    override var end: Int { bytes.count }

    @unsafe override func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(max(0, bytes.count - position)))
        return unsafe file.read(into: part, at: bytes.lowerBound + position)
    }

    /// Opens it for libsndfile, which must be closed while this object is there.
    func open(_ facts: inout SF_INFO) -> OpaquePointer? {
        facts = SF_INFO()
        return unsafe openVirtual(SFM_READ, &facts)
    }

    /// What a function finds in it; `nil` where it cannot be opened.
    func examined<Result>(_ body: (OpaquePointer, SF_INFO) -> Result) -> Result? {
        var facts = SF_INFO()
        return withExtendedLifetime(self) {
            guard let file = unsafe open(&facts) else { return nil }
            defer { unsafe sf_close(file) }
            return unsafe body(file, facts)
        }
    }
}
