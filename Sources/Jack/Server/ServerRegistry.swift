import CJack
import Glibc

/// JACK's registry, a file in shared memory that all servers of a machine share: each has one of its eight places, and
/// each of their memory segments an entry.
///
/// A place is freed by the server's own end, or by a later one of the same name. One that is killed under a name that
/// never returns keeps its place for ever, and with eight such no server starts any more.
package enum ServerRegistry {
    private static let file = "jack-shm-registry"

    // jackd2's layout: a header (magic, protocol, type, size, its own length, an entry's length), in which the places
    // are (process, name); then the entries (index, allocator, size, name).
    private static let magic = 0x4a41_434b
    private static let headerLength = 2136
    private static let places = stride(from: 24, to: headerLength, by: 264)
    private static let entryLength = 268

    /// The process of each server that has a place, by the server's name. Thread: control.
    ///
    /// - Parameter folder: where shared memory is.
    package static func servers(folder: String = ServerLeftovers.folder) -> [String: pid_t] {
        guard let bytes = contents("\(folder)/\(file)") else { return [:] }
        var found: [String: pid_t] = [:]
        for place in places where number(bytes, place) != 0 {
            // As in "jack-0:name:".
            let parts = text(bytes, place + 4).split(separator: ":")
            if parts.count == 2 { found[String(parts[1])] = pid_t(number(bytes, place)) }
        }
        return found
    }

    /// Frees the place of a dead server, and its segments. Returns whether it had one. Thread: keeper, or control.
    static func remove(process: pid_t) -> Bool {
        guard cjack_registry_semaphore(-1) == 0 else { return false }
        defer { _ = cjack_registry_semaphore(1) }
        let path = "\(ServerLeftovers.folder)/\(file)"
        guard let bytes = contents(path) else { return false }
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        func clear(_ start: Int, _ end: Int) {
            let zeros = [UInt8](repeating: 0, count: end - start)
            _ = unsafe pwrite(file, zeros, zeros.count, start)
        }
        let own = places.filter { number(bytes, $0) == process }
        for place in own { clear(place, place + 264) }
        for entry in stride(from: headerLength, through: bytes.count - entryLength, by: entryLength)
        where number(bytes, entry + 4) == process {
            let name = text(bytes, entry + 12)
            if name.hasPrefix("/jack-") { _ = unsafe unlink(ServerLeftovers.folder + name) }
            // Its index stays.
            clear(entry + 4, entry + entryLength)
        }
        return !own.isEmpty
    }

    /// The registry, or `nil` where there is none or its layout is not the one above.
    private static func contents(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        guard bytes.count > headerLength, number(bytes, 0) == magic, number(bytes, 16) == headerLength,
            number(bytes, 20) == entryLength
        else { return nil }
        return bytes
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int((0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) })
    }

    /// A name of up to 256 bytes.
    private static func text(_ bytes: [UInt8], _ offset: Int) -> String {
        String(decoding: bytes[offset..<(offset + 256)].prefix { $0 != 0 }, as: UTF8.self)
    }
}
