import Glibc

/// A program in a process group of its own, which writes to a pipe, and is ended with all that it has started.
package enum ChildProcess {
    /// How it came to its end.
    package enum End: Sendable, Equatable {
        case exited(CInt)
        case signalled(CInt)
        /// It has ended, and nobody knows how: where SIGCHLD is ignored, the kernel keeps nothing of a child.
        case unknown
        /// It was ended, because its time was over.
        case late
        /// It was ended, because it wrote more than is kept.
        case flooding
        /// It was ended, because nobody wants its answer any more.
        case stopped
        /// It could not be started; the reason.
        case notStarted(String)

        /// For people.
        package var inWords: String {
            switch self {
            case .exited(let code): "its process ended with exit code \(code)"
            case .signalled(let number): "its process was ended by signal \(number)"
            case .unknown: "its process ended, and how is not known, because SIGCHLD is ignored"
            case .late: "its time was over"
            case .flooding: "it wrote more than \(ChildProcess.mostBytes >> 20) MB"
            case .stopped: "it was interrupted"
            case .notStarted(let reason): reason
            }
        }
    }

    /// What it has written, and what it has cost.
    package struct Outcome: Sendable {
        package var bytes: [UInt8] = []
        package var end = End.notStarted("")
        package var seconds = 0.0
        /// The most memory that it had at once.
        package var memoryBytes = 0
    }

    /// More is nothing that a program of ours writes.
    private static let mostBytes = 16 << 20
    /// How long an end is waited for once the kernel has been told to bring it about: what hangs in a driver ends only when that
    /// lets go.
    package static let patienceToEnd: UInt64 = 3_000_000_000

    /// What a program says on its standard output; `nil` where there is none of that name, it fails, or it is not done in time.
    /// Thread: any that may wait.
    ///
    /// - Parameters:
    ///   - words: its name or path, and its arguments.
    ///   - isStopped: as of `run`.
    package static func answer(
        _ words: [String], deadlineSeconds: Double, isStopped: () -> Bool = { false }
    ) -> String? {
        let outcome = run(words, deadlineSeconds: deadlineSeconds, isStopped: isStopped)
        return outcome.end == .exited(0) ? String(decoding: outcome.bytes, as: UTF8.self) : nil
    }

    /// Runs a program to its end. Thread: any that may wait.
    ///
    /// - Parameters:
    ///   - words: its name or path, and its arguments.
    ///   - output: the descriptor that it finds the pipe at. Its standard streams are `/dev/null`, but for that one.
    ///   - isStopped: asked 50 times a second; where it says yes, the program is ended.
    package static func run(
        _ words: [String], environment: [String: String] = Environment.all, output: CInt = STDOUT_FILENO,
        deadlineSeconds: Double, isStopped: () -> Bool = { false }
    ) -> Outcome {
        var outcome = Outcome()
        guard let ends = PipeEnds() else {
            outcome.end = .notStarted(FileError.reason)
            return outcome
        }
        defer { close(ends.reading) }
        let began = MonotonicClock.nanoseconds()
        let process = start(words, environment, pipe: ends.writing, as: output)
        close(ends.writing)
        guard let process else {
            outcome.end = .notStarted("\(words[0]) cannot be started: \(FileError.reason)")
            return outcome
        }
        _ = fcntl(ends.reading, F_SETFL, O_NONBLOCK)
        let deadline = began + UInt64(deadlineSeconds * 1e9)
        /// Why it was ended here.
        var reason: End?
        var state = stage(of: process)
        while state == .running {
            if MonotonicClock.nanoseconds() >= deadline { reason = .late }
            if outcome.bytes.count > mostBytes { reason = .flooding }
            if isStopped() { reason = .stopped }
            if reason != nil { break }
            var wait = pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0)
            unsafe poll(&wait, 1, 20)
            if !take(ends.reading, &outcome.bytes) { MonotonicClock.sleep(milliseconds: 1) }
            state = stage(of: process)
        }
        // All of its group, before its number can be another's: what it has left behind as well.
        if state != .gone { kill(-process, SIGKILL) }
        var usage = rusage()
        let end = reap(process, &usage)
        _ = take(ends.reading, &outcome.bytes)
        outcome.seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        outcome.memoryBytes = usage.ru_maxrss * 1024
        outcome.end = reason ?? end
        return outcome
    }

    private static func start(
        _ words: [String], _ environment: [String: String], pipe: CInt, as output: CInt
    ) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where stream != output {
            unsafe posix_spawn_file_actions_addopen(
                &actions, stream, "/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe, output)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Resets the signal mask and the handlers: our parent may have blocked signals.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process = pid_t(0)
        let result = unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
        errno = result
        return result == 0 ? process : nil
    }

    package enum Stage {
        case running
        /// It is there to be waited for, so that its number stays its own.
        case ended
        /// The kernel has reaped it, and its number may be another's.
        case gone
    }

    /// Where a child is on its way. Never waits.
    package static func stage(of process: pid_t) -> Stage {
        var facts = unsafe siginfo_t()
        guard unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 else { return .gone }
        return unsafe facts.si_signo != 0 ? .ended : .running
    }

    /// Takes what the kernel tells of the end of a child; `unknown` where it tells nothing, or the end does not come.
    /// Thread: any that may wait.
    package static func reap(_ process: pid_t, _ usage: inout rusage) -> End {
        let deadline = MonotonicClock.nanoseconds() + patienceToEnd
        var status: CInt = 0
        while true {
            let result = unsafe wait4(process, &status, WNOHANG, &usage)
            if result == process {
                let signal = status & 0x7f
                return signal != 0 ? .signalled(signal) : .exited(status >> 8 & 0xff)
            }
            if result < 0 || MonotonicClock.nanoseconds() >= deadline { return .unknown }
            // No call waits for the end of a child and has a deadline too.
            MonotonicClock.sleep(milliseconds: 1)
        }
    }

    /// What there is now. False at the end of it.
    private static func take(_ descriptor: CInt, _ bytes: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // At most so much at once: a plug-in that floods the pipe must not keep the deadline from being looked at.
        for _ in 0..<64 {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            if bytes.count <= mostBytes { bytes += piece.prefix(count) }
        }
        return true
    }
}
