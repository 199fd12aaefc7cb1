import Glibc

/// What the kernel says of this process.
enum ProcessFacts {
    /// The scheduling of each thread: policy and real-time priority, as in sched(7).
    static var scheduling: [(policy: Int, priority: Int)] {
        entries("/proc/self/task").compactMap { thread in
            // After the name in brackets comes field 3; the priority is field 40 and the policy 41.
            let rest = read("/proc/self/task/\(thread)/stat")?.split(separator: ")").last
            guard let fields = rest?.split(separator: " "), fields.count > 38, let priority = Int(fields[37]),
                let policy = Int(fields[38])
            else { return nil }
            return (policy, priority)
        }
    }

    /// Memory that cannot be swapped out, in kibibytes.
    static var lockedKibibytes: Int {
        let line = read("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("VmLck:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1
    }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
