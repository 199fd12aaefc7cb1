import CJack
import Glibc
import Threads

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

    /// A registry of JACK's 256 entries has 71 kB.
    private static let mostBytes = 1 << 20

    /// A server that has a place. Servers of several users may have the same name.
    package struct Place: Sendable, Equatable {
        package var name: String
        /// Who has started it, in the numbers of its own container; `process` likewise.
        package var user: uid_t
        package var process: pid_t
    }

    /// The servers that have a place. Thread: control.
    ///
    /// Every user may write to the registry: what no server can have is left out.
    ///
    /// - Parameter folder: where shared memory is.
    package static func servers(folder: String = ServerLeftovers.folder) -> [Place] {
        guard let folder = SharedFolder(folder), let registry = open(folder, to: O_RDONLY) else { return [] }
        defer { close(registry.file) }
        return places.compactMap { place in
            // As in "jack-0:name:", with the user's number.
            let parts = text(registry.bytes, place + 4).split(separator: ":")
            guard parts.count == 2, parts[0].hasPrefix("jack-"), let user = uid_t(parts[0].dropFirst("jack-".count)),
                isName(parts[1]), let process = process(registry.bytes, place)
            else { return nil }
            return Place(name: String(parts[1]), user: user, process: process)
        }
    }

    /// Frees the place of a dead server, and its segments. Returns whether it had one. Thread: keeper, or control.
    static func remove(process dead: pid_t, folder path: String = ServerLeftovers.folder) -> Bool {
        RegistryLock.hold {
            guard let folder = SharedFolder(path), let registry = open(folder, to: O_RDWR) else { return false }
            defer { close(registry.file) }
            func clear(_ start: Int, _ end: Int) {
                let zeros = [UInt8](repeating: 0, count: end - start)
                _ = unsafe pwrite(registry.file, zeros, zeros.count, start)
            }
            let own = places.filter { process(registry.bytes, $0) == dead }
            for place in own { clear(place, place + 264) }
            for (index, entry) in entries(registry.bytes).enumerated() where process(registry.bytes, entry + 4) == dead
            {
                // What jackd calls this entry's segment. It is this user's, or stays.
                let segment = "jack-\(getuid())-\(index)"
                if text(registry.bytes, entry + 12) == "/\(segment)" { folder.removeOwn(segment) }
                // Its index stays.
                clear(entry + 4, entry + entryLength)
            }
            return !own.isEmpty
        } ?? false
    }

    private static func entries(_ bytes: [UInt8]) -> StrideThrough<Int> {
        stride(from: headerLength, through: bytes.count - entryLength, by: entryLength)
    }

    /// The registry, or `nil` where there is none or its layout is not the one above.
    private static func open(_ folder: borrowing SharedFolder, to access: CInt) -> (file: CInt, bytes: [UInt8])? {
        let file = folder.openFile(Self.file, to: access)
        guard file >= 0 else { return nil }
        guard let bytes = SmallFile.bytes(from: file, limit: mostBytes), bytes.count > headerLength,
            number(bytes, 0) == magic, number(bytes, 16) == headerLength, number(bytes, 20) == entryLength
        else {
            close(file)
            return nil
        }
        return (file, bytes)
    }

    /// Whether a server may be called so: it is one component of a path, and goes to terminals.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && !text.unicodeScalars.contains { $0 == "/" || $0.properties.generalCategory == .control }
    }

    /// The number of a process, where it can be one.
    private static func process(_ bytes: [UInt8], _ offset: Int) -> pid_t? {
        pid_t(exactly: number(bytes, offset)).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        Int((0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) })
    }

    /// A name of up to 256 bytes.
    private static func text(_ bytes: [UInt8], _ offset: Int) -> String {
        String(decoding: bytes[offset..<(offset + 256)].prefix { $0 != 0 }, as: UTF8.self)
    }
}
