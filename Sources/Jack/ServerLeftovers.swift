import CJack
import Glibc

/// What a server leaves in shared memory when it is killed. One that ends by itself cleans up after itself, and
/// JACK's next server frees the rest, but there may be none.
enum ServerLeftovers {
    private static let folder = "/dev/shm"

    /// Removes the sockets and semaphores that bear a server's name, and the memory segments of this user that no
    /// process has mapped any more. Thread: control, after the server has ended.
    static func remove(serverName: String) {
        let user = getuid()
        let entries = list(folder)
        let named = entries.filter {
            $0.hasPrefix("jack_\(serverName)_\(user)_") || $0.hasPrefix("jack_sem.\(user)_\(serverName)_")
        }
        guard !named.isEmpty else { return }
        for entry in named { _ = unsafe unlink("\(folder)/\(entry)") }

        let segments = entries.filter { $0.hasPrefix("jack-\(user)-") }
        let mapped = mappedSegments()
        for segment in segments where !mapped.contains("\(folder)/\(segment)") && isOld("\(folder)/\(segment)") {
            _ = unsafe unlink("\(folder)/\(segment)")
        }
    }

    /// A segment that is being set up by another server is not mapped for a moment either.
    private static func isOld(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return false }
        return time(nil) - facts.st_ctim.tv_sec >= 2
    }

    /// The segments that some process has in its address space, as far as we may look.
    private static func mappedSegments() -> Set<String> {
        var found: Set<String> = []
        for process in list("/proc") where process.allSatisfy(\.isNumber) {
            guard let maps = read("/proc/\(process)/maps") else { continue }
            for line in maps.split(separator: "\n") {
                guard let start = line.firstRange(of: "\(folder)/jack-") else { continue }
                found.insert(String(line[start.lowerBound...].prefix { $0 != " " }))
            }
        }
        return found
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

    private static func read(_ path: String) -> String? {
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
        return String(decoding: bytes, as: UTF8.self)
    }
}
