import CJack
import Glibc
import Synchronization
import Threads

/// The child process of a server.
///
/// A thread of its own starts it, reads what it says and reaps it: the kernel ends the child when the thread that
/// started it ends, so that thread must live exactly as long as the child.
final class ServerProcess: Sendable {
    private struct State {
        var identifier: pid_t = 0
        var isRunning = false
        var failure: JackError?
        /// How it ended, as in "exit status 1".
        var end = ""
        var log: [String] = []
    }

    private let state: SharedState
    private let serverName: String
    private let keeper: Worker

    private final class SharedState: Sendable {
        let value = Mutex(State())
    }

    private static let logCapacity = 200
    /// For errors.
    static let operation = "start a private JACK server"

    init(arguments: [String], serverName: String) throws(JackError) {
        guard let program = Self.find("jackd") else {
            throw JackError(
                .programMissing, Self.operation,
                "jackd is not installed; install the package jackd2 (apt-get install jackd2)")
        }
        guard let pipe = PipeEnds() else { throw JackError(.resources, Self.operation, DescriptorLimit.advice) }
        let state = SharedState()
        self.state = state
        self.serverName = serverName
        do {
            keeper = try Worker.start("jackd-keeper") {
                Self.keep(program, arguments, serverName, output: pipe.writing, input: pipe.reading, state)
            }
        } catch {
            pipe.close()
            throw error
        }
    }

    var identifier: pid_t { state.value.withLock { $0.identifier } }
    var isRunning: Bool { state.value.withLock { $0.isRunning } }
    var log: [String] { state.value.withLock { $0.log } }

    func signal(_ number: Int32) {
        // Under the lock the child is not reaped, so that the number is still its own.
        state.value.withLock { state in
            if state.isRunning { kill(state.identifier, number) }
        }
    }

    /// SIGTERM, and SIGKILL if that is not enough.
    func stop() {
        if !keeper.isFinished {
            signal(SIGTERM)
            signal(SIGCONT)
            let deadline = MonotonicClock.nanoseconds() + 5_000_000_000
            while !keeper.isFinished && MonotonicClock.nanoseconds() < deadline {
                MonotonicClock.sleep(milliseconds: 2)
            }
            signal(SIGKILL)
        }
        keeper.join()
    }

    /// Knocks at the server's door until it opens.
    func waitUntilItAnswers(patience: Int, ports: Int) throws(JackError) {
        let deadline = MonotonicClock.nanoseconds() + UInt64(max(0, min(patience, 1_000_000_000))) * 1_000_000
        while true {
            if keeper.isFinished {
                let said = complaint
                stop()
                let (failure, end) = state.value.withLock { ($0.failure, $0.end) }
                if let failure { throw failure }
                if let shortage = ServerSpace.shortage(ports: ports) {
                    throw JackError(.resources, Self.operation, "jackd ended at once (\(end)): \(shortage)")
                }
                throw JackError(.serverFailed, Self.operation, "jackd ended at once (\(end)); it said: \(said)")
            }
            if isRunning, ServerSocket.answers(serverName: serverName, patienceMilliseconds: 100) { return }
            if MonotonicClock.nanoseconds() > deadline {
                let said = complaint
                stop()
                throw JackError(.serverFailed, Self.operation, "jackd does not answer; it said: \(said)")
            }
            MonotonicClock.sleep(milliseconds: 10)
        }
    }

    /// The last of what the server said, but for what every jackd says.
    private var complaint: String {
        let banner = [
            "jackdmp ", "Copyright ", "This is free software", "under certain conditions", "JACK server starting",
            "self-connect-mode",
        ]
        let lines = log.filter { line in !line.isEmpty && !banner.contains { line.hasPrefix($0) } }
        return lines.isEmpty ? "nothing" : lines.suffix(4).joined(separator: " / ")
    }

    /// The keeper's whole life.
    private static func keep(
        _ program: String, _ arguments: [String], _ serverName: String, output: CInt, input: CInt,
        _ state: SharedState
    ) {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let child = unsafe cjack_spawn(program, &words, output, input)
        unsafe words.forEach { unsafe free($0) }
        Glibc.close(output)
        defer { Glibc.close(input) }
        guard child > 0 else {
            state.value.withLock {
                $0.failure = JackError(
                    .resources, Self.operation, "the machine has no more processes to give")
            }
            return
        }
        state.value.withLock {
            $0.identifier = child
            $0.isRunning = true
        }
        readLines(from: input) { line in
            state.value.withLock { state in
                if state.log.count == logCapacity { state.log.removeFirst() }
                state.log.append(line)
            }
        }
        // The output is closed, so the child has ended or is about to.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        ServerLeftovers.remove(serverName: serverName, process: child)
        state.value.withLock { state in
            var status: CInt = 0
            while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
            state.isRunning = false
            state.end = status & 0x7f == 0 ? "exit status \(status >> 8 & 0xff)" : "signal \(status & 0x7f)"
        }
    }

    static func readLines(from input: CInt, _ take: (String) -> Void) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            pending += buffer.prefix(count)
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                take(String(decoding: pending[..<end], as: UTF8.self))
                pending.removeSubrange(...end)
            }
        }
        if !pending.isEmpty { take(String(decoding: pending, as: UTF8.self)) }
    }

    private static func find(_ program: String) -> String? {
        let path = Environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
    }
}
