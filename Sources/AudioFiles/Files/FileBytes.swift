import Glibc

/// The bytes of a sound file, from any place on.
///
/// Thread: one at a time, any that may block.
package protocol FileBytes: AnyObject {
    /// The place of the first byte that can still be read. It grows when the bytes come through a pipe, because old ones are let go.
    var start: Int { get }
    /// How many there are; `Int.max` as long as nobody knows.
    var length: Int { get }
    /// Whether a read failed.
    var hasFailed: Bool { get }
    /// Reads bytes from a place on, and returns how many: 0 at the end, or where they cannot be read any more.
    @unsafe func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int
}

extension FileBytes {
    /// As many bytes as asked for; fewer at the end.
    func bytes(_ count: Int, at place: Int) -> [UInt8] {
        var (bytes, filled) = ([UInt8](repeating: 0, count: count), 0)
        unsafe bytes.withUnsafeMutableBytes { room in
            while filled < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled...])
                let read = unsafe self.read(into: rest, at: place + filled)
                if read == 0 { break }
                filled += read
            }
        }
        return Array(bytes.prefix(filled))
    }

    /// How many bytes the ID3v2 tag has that may stand before MP3 and FLAC; 0 where there is none.
    func tagBytes(at place: Int = 0) -> Int { id3Bytes(bytes(10, at: place)) ?? 0 }
}

/// How many bytes the ID3v2 tag has that these begin with; `nil` where they begin with none, or fewer than ten are there.
package func id3Bytes(_ head: some Collection<UInt8>) -> Int? {
    guard head.starts(with: "ID3".utf8), head.count >= 10 else { return nil }
    // The size has 7 bits in each byte. A footer is as long as the header.
    let size = head.dropFirst(6).prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7f) }
    return size + (head.bigEndian(5, 1) & 0x10 != 0 ? 20 : 10)
}

/// Those of a regular file, from the offset of its descriptor on, which stays the caller's.
final class RegularBytes: FileBytes {
    let start = 0
    let length: Int
    private(set) var hasFailed = false
    private let descriptor: CInt
    /// Where the sound file begins in the descriptor's.
    private let base: Int

    init?(_ descriptor: CInt) {
        let offset = Int(lseek(descriptor, 0, SEEK_CUR))
        guard offset >= 0, let size = fileSize(descriptor) else { return nil }
        self.descriptor = descriptor
        base = offset
        length = max(0, size - offset)
    }

    @unsafe func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        // What has been written behind the end since then is not of it.
        let count = min(room.count, max(0, length - place))
        // SAFETY: there is room for so many bytes.
        let read = unsafe pread(descriptor, room.baseAddress, count, off_t(base + place))
        // A file that has become shorter reads 0 bytes before its end.
        if read < 0 || read == 0 && count > 0 { hasFailed = true }
        return max(0, read)
    }
}

/// How large an open file is by now; `nil` where the kernel does not tell.
package func fileSize(_ descriptor: CInt) -> Int? {
    var facts = stat()
    return unsafe fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : nil
}

/// Those that come through a pipe or a socket, of which the last few MiB are kept.
final class PipedBytes: FileBytes {
    private(set) var start = 0
    private(set) var length = Int.max
    private(set) var hasFailed = false
    private let descriptor: CInt
    private var kept: [UInt8] = []
    private let leastBytes: Int

    private static let pieceBytes = 65536

    /// - Parameters:
    ///   - descriptor: one in which a read waits; stays the caller's.
    ///   - leastBytes: so many are kept, and up to twice as many: more than the largest frame of FLAC, to whose beginning a
    ///     reader goes back.
    init(_ descriptor: CInt, leastBytes: Int = 4 << 20) {
        self.descriptor = descriptor
        self.leastBytes = leastBytes
    }

    @unsafe func read(into room: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        while place >= start + kept.count, length == .max { take() }
        guard place >= start, place < start + kept.count else { return 0 }
        let part = kept[(place - start)...].prefix(room.count)
        unsafe room.copyBytes(from: part)
        return part.count
    }

    /// What there is, or, where there is nothing yet, the first that comes.
    private func take() {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        // SAFETY: there is room for so many bytes.
        let count = unsafe Glibc.read(descriptor, &piece, piece.count)
        if count > 0 {
            if kept.count > 2 * leastBytes {
                start += kept.count - leastBytes
                kept.removeFirst(kept.count - leastBytes)
            }
            kept += piece.prefix(count)
        } else if count == 0 || errno != EINTR {
            length = start + kept.count
            hasFailed = count < 0
        }
    }
}
