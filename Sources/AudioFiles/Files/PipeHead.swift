import CSndFile
import Glibc
import Threads

/// What a pipe or a socket begins with, looked at without taking it.
///
/// Where it cannot seek, libsndfile 1.2.0 reads outside of its memory in MP3, takes ever more of it for a chunk of WAV
/// that is larger than what comes, loses eight bytes of RF64, and all of CAF: so it gets only what is known to
/// come through, with a header that is whole.
enum PipeHead {
    /// What a pipe holds before anybody reads from it: a header that is longer is refused.
    private static let mostBytes = 65536
    /// A writer that is slower than this to begin is given up.
    static let patienceNanoseconds: UInt64 = 10_000_000_000

    /// Who reads it.
    enum Content {
        case libsndfile
        /// Likewise, and the header is looked at in part only.
        case ogg
        /// FLAC, in Ogg or not.
        case flac
    }

    /// The sound in a container that comes through a pipe; `nil` where that is none, or not known to. Waits for the first bytes.
    static func content(_ descriptor: CInt) -> Content? {
        guard let ends = PipeEnds() else { return nil }
        defer { ends.close() }
        let deadline = MonotonicClock.nanoseconds() + patienceNanoseconds
        while MonotonicClock.nanoseconds() < deadline {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wait, 1, 1000) >= 0 || errno == EINTR else { return nil }
            guard wait.revents != 0 else { continue }
            let bytes = peek(descriptor, through: ends)
            switch comesThrough(bytes) {
            case true?: return isFLAC(bytes) ? .flac : bytes.starts(with: "OggS".utf8) ? .ogg : .libsndfile
            case false?: return nil
            case nil: break
            }
            // What the writer leaves behind is all there is.
            if wait.revents & Int16(POLLHUP | POLLERR) != 0 || bytes.isEmpty || bytes.count == mostBytes {
                return nil
            }
            // `poll` returns at once while the first bytes wait.
            MonotonicClock.sleep(milliseconds: 1)
        }
        return nil
    }

    /// Whether nothing waits in it.
    static func isEmpty(_ descriptor: CInt) -> Bool {
        var count: CInt = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
    }

    private static func isFLAC(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: "fLaC".utf8) || OggFLACBytes.isFLAC(bytes[firstBody(bytes)...])
    }

    /// Where the body of a first page of Ogg begins, as far as that is there.
    private static func firstBody(_ bytes: [UInt8]) -> Int {
        min(bytes.count, bytes.count > 26 ? 27 + Int(bytes[26]) : bytes.count)
    }

    private static func peek(_ descriptor: CInt, through ends: PipeEnds) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            let copied = tee(descriptor, ends.writing, room.count, 0)
            // SAFETY: both write at most as many bytes as there is room for.
            if copied > 0 { return unsafe read(ends.reading, room.baseAddress, copied) }
            return unsafe recv(descriptor, room.baseAddress, room.count, CInt(MSG_PEEK))
        }
        return Array(bytes.prefix(max(0, count)))
    }

    /// `nil` where more bytes decide it.
    static func comesThrough(_ bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 4 else { return nil }
        switch String(decoding: bytes.prefix(4), as: UTF8.self) {
        case "fLaC": return true
        case ".snd": return isWholeAU(bytes)
        // The first of its packet says what it is.
        case "OggS": return bytes.count - firstBody(bytes) >= 13 || bytes.count >= 300 ? true : nil
        case "RIFF": return isWhole(bytes, samples: "data", size: { $0.littleEndian(0, 4) })
        case "FORM": return isWhole(bytes, samples: "SSND", size: { $0.bigEndian(0, 4) })
        default: return false
        }
    }

    /// The header says where the samples begin, behind six numbers of 32 bits and a text.
    private static func isWholeAU(_ bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 24 else { return nil }
        let start = bytes.bigEndian(4, 4)
        guard start <= mostBytes else { return false }
        return bytes.count >= start ? true : nil
    }

    /// Whether the chunks before the samples have the sizes that they name, and none of them says that MP3 is within.
    private static func isWhole(_ bytes: [UInt8], samples: String, size: (ArraySlice<UInt8>) -> Int) -> Bool? {
        var place = 12
        while bytes.count >= place + 8 {
            if bytes[place...].starts(with: samples.utf8) { return true }
            let length = size(bytes[(place + 4)..<(place + 8)])
            let next = place + 8 + length + length % 2
            guard next + 8 <= mostBytes else { return false }
            guard bytes.count >= next else { return nil }
            if bytes[place...].starts(with: "fmt ".utf8), length >= 2 {
                let tag = bytes.littleEndian(place + 8, 2)
                if tag == 0x50 || tag == 0x55 { return false }
            }
            place = next
        }
        return nil
    }
}
