import Glibc
import Threads

/// A program in a process group of its own, which writes lines to a pipe, and is ended with all that it has started.
package enum ChildProcess {
    /// How it came to its end.
    package enum End: Sendable, Equatable {
        case exited(CInt)
        case signalled(CInt)
        /// It was ended, because its time was over.
        case late
        /// It was ended, because nobody wants its answer any more.
        case stopped
        /// It could not be started; the reason.
        case notStarted(String)
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

    /// Runs a program to its end. Thread: any that may wait.
    ///
    /// - Parameters:
    ///   - words: its path and arguments.
    ///   - output: the descriptor that it finds the pipe at. Its standard streams are `/dev/null`, but for that one.
    ///   - isStopped: asked 50 times a second; where it says yes, the program is ended.
    package static func run(
        _ words: [String], environment: [String: String], output: CInt, deadlineSeconds: Double,
        isStopped: () -> Bool = { false }
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
        var (isLate, isEnough) = (false, false)
        while !hasEnded(process) {
            isEnough = isStopped()
            isLate = MonotonicClock.nanoseconds() >= deadline || outcome.bytes.count > mostBytes
            if isLate || isEnough { break }
            var wait = pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0)
            unsafe poll(&wait, 1, 20)
            if !take(ends.reading, &outcome.bytes) { MonotonicClock.sleep(milliseconds: 1) }
        }
        // All of its group, before its number can be another's: what it has left behind as well.
        kill(-process, SIGKILL)
        var status: CInt = 0
        var usage = rusage()
        while unsafe wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
        _ = take(ends.reading, &outcome.bytes)
        outcome.seconds = Double(MonotonicClock.nanoseconds() - began) / 1e9
        outcome.memoryBytes = usage.ru_maxrss * 1024
        let signal = status & 0x7f
        outcome.end =
            isEnough ? .stopped : isLate ? .late : signal != 0 ? .signalled(signal) : .exited(status >> 8 & 0xff)
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

    /// Leaves it there to be waited for, so that its number stays its own.
    private static func hasEnded(_ process: pid_t) -> Bool {
        var facts = unsafe siginfo_t()
        guard unsafe waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        return unsafe facts.si_signo != 0
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
