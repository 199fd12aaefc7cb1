import Foundation

/// What this process holds at a moment, and what a server of ours holds of the machine's shared memory.
public enum Belongings {
    public static var descriptors: Int { entries("/proc/self/fd").count }
    public static var threads: Int { entries("/proc/self/task").count }
    /// Names in shared memory that bear a server's name.
    public static func sharedMemory(of server: String) -> [String] {
        entries("/dev/shm").filter { $0.contains(server) }
    }
    /// The memory segments that a process has mapped, by their inode: their names, as in "jack-0-5", are taken again
    /// by the next server, also by a foreign one.
    public static func segments(of process: pid_t) -> Set<UInt64> {
        let maps = (try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)) ?? ""
        let lines = maps.split(separator: "\n").filter {
            $0.contains("/dev/shm/jack-") && !$0.contains("jack-shm-registry")
        }
        return Set(lines.compactMap { UInt64($0.split(separator: " ")[4]) })
    }

    /// Which of these segments are still in shared memory.
    public static func remaining(of segments: Set<UInt64>) -> Set<UInt64> {
        segments.intersection(
            entries("/dev/shm").compactMap { name in
                var status = stat()
                return stat("/dev/shm/\(name)", &status) == 0 ? UInt64(status.st_ino) : nil
            })
    }

    private static func entries(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
