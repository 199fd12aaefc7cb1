import CJack
import Glibc

/// What a server leaves in shared memory when it is killed. One that ends by itself cleans up after itself, and
/// JACK's next server frees the rest, but there may be none.
enum ServerLeftovers {
    static let folder = "/dev/shm"

    /// Removes the sockets and semaphores that bear a server's name, and the memory segments that it allocated.
    ///
    /// Thread: keeper, while the process has ended but its number is not another's yet.
    static func remove(serverName: String, process: pid_t) {
        let socket = "jack_\(serverName)_\(ServerSocket.owner)"
        let semaphore = "jack_sem.\(ServerSocket.owner)\(serverName)_"
        for entry in list(folder) where entry.hasPrefix(socket) || entry.hasPrefix(semaphore) {
            _ = unsafe unlink("\(folder)/\(entry)")
        }
        for segment in segments(of: process) { _ = unsafe unlink("\(folder)/\(segment)") }
    }

    /// The segments that a process has allocated, according to the registry in which all JACK servers of a machine
    /// enter theirs.
    private static func segments(of process: pid_t) -> [String] {
        guard let registry = read("\(folder)/jack-shm-registry") else { return [] }
        func number(at offset: Int) -> Int {
            guard offset + 4 <= registry.count else { return 0 }
            return Int((0..<4).reduce(UInt32(0)) { $0 | UInt32(registry[offset + $1]) << (8 * $1) })
        }
        // The header says how long it and each entry is. An entry: index, allocator, size, name.
        let (header, entry, nameOffset) = (number(at: 16), number(at: 20), 12)
        guard number(at: 0) == 0x4a41_434b, header > 0, entry > nameOffset else { return [] }
        return stride(from: header, through: registry.count - entry, by: entry).compactMap { start in
            guard number(at: start + 4) == Int(process) else { return nil }
            let name = registry[(start + nameOffset)..<(start + entry)].prefix { $0 != 0 }
            let text = String(decoding: name, as: UTF8.self)
            return text.hasPrefix("/jack-") && !text.dropFirst().contains("/") ? String(text.dropFirst()) : nil
        }
    }

    private static func list(_ path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // SAFETY: the kernel ends each name with a zero.
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
