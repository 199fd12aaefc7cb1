import CSndFile
import Glibc
import Threads

/// What a pipe or a socket begins with, looked at without taking it.
///
/// libsndfile 1.2.0 reads outside of its memory where MP3 comes through a pipe, loses eight bytes of RF64, and all of CAF
/// and FLAC: so it gets only what is known to come through whole.
enum PipeHead {
    private static let mostBytes = 4096
    /// A writer that is slower than this to begin is given up.
    private static let patienceNanoseconds: UInt64 = 10_000_000_000

    /// Whether sound in a container that comes through a pipe begins there. Waits for the first bytes.
    static func isReadable(_ descriptor: CInt) -> Bool {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return false }
        defer { for end in ends { close(end) } }
        let deadline = MonotonicClock.nanoseconds() + patienceNanoseconds
        while MonotonicClock.nanoseconds() < deadline {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wait, 1, 1000) >= 0 || errno == EINTR else { return false }
            guard wait.revents != 0 else { continue }
            let bytes = peek(descriptor, through: ends)
            if let verdict = comesThrough(bytes) { return verdict }
            // What the writer leaves behind is all there is.
            if wait.revents & Int16(POLLHUP | POLLERR) != 0 || bytes.isEmpty || bytes.count == mostBytes {
                return false
            }
            // `poll` returns at once while the first bytes wait.
            MonotonicClock.sleep(milliseconds: 1)
        }
        return false
    }

    private static func peek(_ descriptor: CInt, through ends: [CInt]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            let copied = tee(descriptor, ends[1], room.count, 0)
            // SAFETY: both write at most as many bytes as there is room for.
            if copied > 0 { return unsafe read(ends[0], room.baseAddress, copied) }
            return unsafe recv(descriptor, room.baseAddress, room.count, CInt(MSG_PEEK))
        }
        return Array(bytes.prefix(max(0, count)))
    }

    /// `nil` where more bytes decide it.
    static func comesThrough(_ bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 4 else { return nil }
        switch String(decoding: bytes.prefix(4), as: UTF8.self) {
        case "FORM", ".snd", "OggS", "riff": return true
        case "RIFF": return holdsNoMPEG(bytes)
        default: return false
        }
    }

    /// MP3 may be within WAV.
    private static func holdsNoMPEG(_ bytes: [UInt8]) -> Bool? {
        var place = 12
        while bytes.count >= place + 10 {
            let size = (4..<8).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
            if bytes[place...].starts(with: "fmt ".utf8) {
                let tag = Int(bytes[place + 8]) | Int(bytes[place + 9]) << 8
                return tag != 0x50 && tag != 0x55
            }
            place += 8 + size + size % 2
            guard place + 10 <= mostBytes else { return false }
        }
        return nil
    }
}
