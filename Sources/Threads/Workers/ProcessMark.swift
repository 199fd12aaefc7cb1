import Glibc

/// A mark in the environment of a program, by which all that it starts is known, and can be ended: also what has left its group and
/// its session, and has another parent by now.
///
/// What a process has taken out of the environment of another program before it started that is not known by it.
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

    /// What runs with it: as far as it is this user's. What has ended has none.
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
