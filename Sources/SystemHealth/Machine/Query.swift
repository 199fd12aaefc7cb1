import Glibc
import Threads

/// A program that is asked something and answers on its standard output.
enum Query {
    /// The answer, or `nil` where there is no such program, it fails, or it is not done in time: then it is ended.
    static func answer(_ words: [String], patienceMilliseconds: Int) -> String? {
        guard let ends = PipeEnds() else { return nil }
        defer { close(ends.reading) }
        let process = start(words, output: ends.writing)
        close(ends.writing)
        guard let process else { return nil }
        let deadline = MonotonicClock.nanoseconds() + UInt64(patienceMilliseconds) * 1_000_000
        let answer = read(ends.reading, until: deadline)
        if answer == nil { kill(process, SIGKILL) }
        return hasSucceeded(process, until: deadline) ? answer : nil
    }

    private static func start(_ words: [String], output: CInt) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process = pid_t(0)
        let result = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
        return result == 0 ? process : nil
    }

    /// All that is said until the end, or `nil` where that does not come in time.
    private static func read(_ file: CInt, until deadline: UInt64) -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let now = MonotonicClock.nanoseconds()
            var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard now < deadline, unsafe poll(&wait, 1, CInt((deadline - now) / 1_000_000 + 1)) == 1 else { return nil }
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += piece.prefix(count)
        }
        return nil
    }

    /// Waits for the end, and brings it about where it does not come in time.
    private static func hasSucceeded(_ process: pid_t, until deadline: UInt64) -> Bool {
        var status: CInt = 0
        while true {
            let result = unsafe waitpid(process, &status, WNOHANG)
            if result == process { return status == 0 }
            if result < 0 && errno != EINTR { return false }
            if MonotonicClock.nanoseconds() >= deadline { kill(process, SIGKILL) }
            MonotonicClock.sleep(milliseconds: 1)
        }
    }
}
