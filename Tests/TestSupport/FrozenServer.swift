import Foundation
import Jack

extension Server {
    /// Stops the server by SIGSTOP and waits until all its threads stand still: the kernel stops one after the other, and one
    /// that still runs may answer. SIGCONT lets it run again.
    public func freeze() throws {
        signal(SIGSTOP)
        try waitUntil("all threads of the server are stopped") { Self.isStopped(processIdentifier) }
    }

    private static func isStopped(_ process: Int32) -> Bool {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return !tasks.isEmpty
            && tasks.allSatisfy { task in
                let line = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/stat", encoding: .utf8)
                return line?.contains(") T ") == true
            }
    }
}
