import Foundation

/// The kernel's account of a process's memory.
enum Memory {
    /// Of our own process, in kibibytes.
    static func resident() throws -> Int { try account("Rss", ofProcess: "self") }

    /// In kibibytes, by a field of the account, as "Rss".
    static func account(_ field: String, ofProcess process: String) throws -> Int {
        let account = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
        let line = account.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        guard let words = line?.split(separator: " "), words.count >= 2, let size = Int(words[1]) else {
            throw Breakdown("the kernel's account of process \(process) has no \(field)")
        }
        return size
    }
}
