import Foundation

/// What this process holds at a moment, and what a server of ours holds of the machine's shared memory.
public enum Belongings {
    fileprivate static var descriptors: Int { entries("/proc/self/fd").count }
    fileprivate static var threads: Int { entries("/proc/self/task").count }

    /// How many threads of this process have a name. One that was joined may be among them for a moment: the kernel says that it
    /// has ended before it takes it off this list.
    public static func threads(named name: String) -> Int {
        entries("/proc/self/task").count { number in
            (try? String(contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8)) == "\(name)\n"
        }
    }

    /// How many descriptors of this process are of a file.
    public static func descriptors(of path: String) -> Int {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return 0 }
        return entries("/proc/self/fd").count { number in
            var found = stat()
            guard let number = CInt(number), fstat(number, &found) == 0 else { return false }
            return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino
        }
    }

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

/// How many descriptors and threads this process has: what would be left behind by something that does not end well.
///
/// For tests that run in a process of their own, by `#expect(processExitsWith:)`: others that run beside open and close what they
/// need.
public struct Holdings {
    private let descriptors = Belongings.descriptors
    private let threads = Belongings.threads

    public init() {}

    public func expectNothingMore() throws {
        try waitUntil("no thread and no descriptor is left") {
            let now = Holdings()
            return now.descriptors <= descriptors && now.threads <= threads
        }
    }
}
