import Foundation

/// What this process, and the machine's shared memory, hold at a moment.
public enum Belongings {
    public static var descriptors: Int { entries("/proc/self/fd").count }
    public static var threads: Int { entries("/proc/self/task").count }
    /// Names in shared memory that bear a server's name.
    public static func sharedMemory(of server: String) -> [String] {
        entries("/dev/shm").filter { $0.contains(server) }
    }
    /// Names of JACK's memory segments, of all servers.
    public static var segments: Set<String> { Set(entries("/dev/shm").filter { $0.hasPrefix("jack-") }) }

    private static func entries(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
