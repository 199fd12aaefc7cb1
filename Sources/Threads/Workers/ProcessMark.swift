import Glibc

/// A mark in the environment of a program. All processes that it starts inherit the mark, and can be found and ended by it, also
/// those that have left its process group and session and have another parent.
///
/// A program that is started without this variable cannot be found.
package struct ProcessMark: Sendable {
    private static let variable = "IOUNIT_STARTED"
    private let value = String(UInt64.random(in: .min ... .max), radix: 16)
    /// Longer than the environments of programs are.
    private static let mostBytes = 1 << 20

    package init() {}

    /// An environment with the mark.
    package func added(to environment: [String: String]) -> [String: String] {
        environment.merging([Self.variable: value]) { $1 }
    }

    /// This user's processes that have the mark. A process that has ended, and waits for its parent, has none.
    package var processes: [pid_t] {
        let entry = Array("\(Self.variable)=\(value)".utf8)
        return (Folder.names(in: "/proc") ?? []).compactMap { pid_t($0) }.filter { process in
            let file = unsafe open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { close(file) }
            let entries = SmallFile.bytes(from: file, limit: Self.mostBytes)?.split(separator: 0)
            return entries?.contains { $0.elementsEqual(entry) } == true
        }
    }

    /// Ends all of them. Thread: any that may wait.
    package func endAll() {
        let deadline = MonotonicClock.nanoseconds() + ChildProcess.patienceToEnd
        // One may start another while it is looked for.
        while case let left = processes, !left.isEmpty, MonotonicClock.nanoseconds() < deadline {
            for process in left { kill(process, SIGKILL) }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }
}
