import Glibc
import Jack
import Threads

/// The machine as it can be looked at: its files below a root, and the few things that are in no file. There is nothing
/// in it that could change anything; tests make up machines of their own.
public struct Machine: Sendable {
    /// How large a file system is, and how much of it is free, in bytes.
    struct Space {
        var total: Int
        var free: Int
    }

    /// What the paths below are relative to; empty for the running system.
    var root: String
    var environment: [String: String] = [:]
    /// What the loaded libjack calls itself, and whether it is PipeWire's.
    var libjack: (version: String, isPipeWire: Bool) = ("", false)
    /// How finely the kernel's timers wake a thread, in nanoseconds; `nil` where it does not tell.
    var timerResolution: Int?
    /// Of the file system at a path; `nil` where there is none.
    var space: @Sendable (String) -> Space? = { _ in nil }
    /// Whether this program may read and write the file at a path.
    var mayUse: @Sendable (String) -> Bool = { _ in true }
    /// Whether a JACK server of this user answers in time.
    var answers: @Sendable (String) -> Bool = { _ in false }
    /// Whether a process listens at the socket at a path, in whatever container; `nil` where that cannot be told.
    var isHeard: @Sendable (String) -> Bool? = { _ in nil }
    /// Whether PipeWire answers in time where its library looks for it. The question starts it if systemd listens there.
    var pipeWireAnswers: @Sendable () -> Bool = { false }
    /// What a program says that only answers a question; `nil` where it is missing, fails or takes too long.
    var ask: @Sendable ([String]) -> String? = { _ in nil }

    /// What a file holds, at most 16 MB of it, or `nil` where it cannot be read. Never waits, whatever kind of file it is.
    // The interrupts of 200 processors are more than 1 MB.
    func text(_ path: String) -> String? { SmallFile.text(root + path, limit: 1 << 24) }

    /// The first word of a file.
    func word(_ path: String) -> String? { text(path)?.words.first }

    /// The first word of a file, where it is a whole number.
    func number(_ path: String) -> Int? { word(path)?.wholeNumber }

    func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    /// What is in a folder, sorted; `nil` where that cannot be read.
    func names(in path: String) -> [String]? { Folder.names(in: root + path)?.sorted() }

    /// Whether the kernel's threads are to be seen: not in a container with processes of its own, nor where an administrator
    /// hides other users' processes.
    var showsKernelThreads: Bool { word("/proc/2/comm") == "kthreadd" }

    /// Whether a program of this name can be started from the usual folders.
    func hasProgram(_ name: String) -> Bool {
        let folders = environment["PATH"].map { $0.split(separator: ":").map(String.init) } ?? ["/usr/bin", "/bin"]
        return folders.contains { exists("\($0)/\(name)") }
    }
}

extension StringProtocol {
    var words: [String] { parts(\.isWhitespace) }
    var lines: [String] { parts(\.isNewline) }

    /// The whole number that it is; `nil` for one that no kernel counts up to: sums and multiples are made of these.
    var wholeNumber: Int? {
        guard let number = Int(self), number.magnitude <= 1 << 53 else { return nil }
        return number
    }

    private func parts(_ isBetween: (Character) -> Bool) -> [String] {
        let parts: [SubSequence] = split(whereSeparator: isBetween)
        return parts.map { String($0) }
    }

    /// What stands behind the first line's label and colon, without the space around it.
    func value(of label: String) -> String? {
        for line in lines {
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2, pair[0].words.joined(separator: " ") == label {
                return pair[1].words.joined(separator: " ")
            }
        }
        return nil
    }
}

extension Machine {
    /// The machine that this program runs on.
    public static var running: Machine {
        var resolution = timespec()
        let hasResolution = unsafe clock_getres(CLOCK_MONOTONIC, &resolution) == 0
        return Machine(
            root: "", environment: Environment.all, libjack: (LibJack.version, LibJack.isPipeWire),
            timerResolution: hasResolution ? resolution.tv_sec * 1_000_000_000 + resolution.tv_nsec : nil,
            space: { DiskSpace(at: $0).map { Space(total: $0.total, free: $0.free) } },
            mayUse: { unsafe access($0, R_OK | W_OK) == 0 },
            answers: { ServerSocket.answers(serverName: $0, patienceMilliseconds: 1000) },
            isHeard: { Knock.isHeard(at: $0) },
            pipeWireAnswers: { PipeWireSocket.knock(patienceMilliseconds: 500) == .answered },
            ask: { ChildProcess.answer($0, deadlineSeconds: 2) })
    }
}
