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
        /// Whether it was stopped, perhaps before the child was there.
        var isUnwanted = false
        var failure: JackError?
        /// How it ended, as in "exit status 1".
        var end = ""
        /// Whether it touched a file that it had mapped, behind the file's end.
        var metShortFile = false
        var log: [String] = []

        mutating func add(_ line: String) {
            if log.count == ServerProcess.logCapacity { log.removeFirst() }
            log.append(line)
        }
    }

    private let state: SharedState
    private let serverName: String
    private let keeper: Worker

    private final class SharedState: Sendable {
        let value = Mutex(State())
    }

    private static let logCapacity = 200
    /// How long a server has to end after SIGTERM, before it is killed.
    private static let patienceToCleanUp: UInt64 = 5_000_000_000
    /// For errors.
    static let operation = "start a private JACK server"

    /// Starts a server and waits until it answers.
    ///
    /// One that ends by SIGBUS before that, though there is room, has met a file in shared memory which another JACK program was
    /// about to make or to remove: it is started once more.
    static func start(
        _ arguments: [String], serverName: String, patience: Int, ports: Int
    ) throws(JackError) -> ServerProcess {
        let first = try ServerProcess(arguments: arguments, serverName: serverName)
        do {
            try first.waitUntilItAnswers(patience: patience, ports: ports)
            return first
        } catch {
            guard error.kind == .serverFailed, first.state.value.withLock({ $0.metShortFile }) else { throw error }
        }
        let second = try ServerProcess(arguments: arguments, serverName: serverName)
        try second.waitUntilItAnswers(patience: patience, ports: ports)
        return second
    }

    private init(arguments: [String], serverName: String) throws(JackError) {
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
        state.value.withLock { state in Self.signal(number, to: state.identifier, state) }
    }

    /// SIGTERM, and SIGKILL if that is not enough, to all that the child has started as well: whatever has the output open
    /// keeps the thread. What hangs in a driver even then is left to itself, and the log says so.
    func stop() {
        state.value.withLock { state in
            state.isUnwanted = true
            for number in [SIGTERM, SIGCONT] { Self.signal(number, to: -state.identifier, state) }
        }
        if !hasEnded(within: Self.patienceToCleanUp) {
            state.value.withLock { state in Self.signal(SIGKILL, to: -state.identifier, state) }
        }
        guard hasEnded(within: ChildProcess.patienceToEnd) else {
            return state.value.withLock { state in
                state.add("process \(state.identifier) does not end, though it was killed; a driver holds it")
            }
        }
    }

    /// Under the lock the child is not reaped, so that the number is still its own; but where SIGCHLD is ignored the kernel
    /// reaps it.
    private static func signal(_ number: Int32, to target: pid_t, _ state: borrowing State) {
        if state.isRunning, ChildProcess.stage(of: state.identifier) != .gone { kill(target, number) }
    }

    private func hasEnded(within nanoseconds: UInt64) -> Bool {
        keeper.join(untilNanoseconds: MonotonicClock.nanoseconds() + nanoseconds)
    }

    /// Knocks at the server's door until it opens.
    private func waitUntilItAnswers(patience: Int, ports: Int) throws(JackError) {
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
            if $0.isUnwanted { kill(-child, SIGTERM) }
        }
        readLines(from: input) { line in state.value.withLock { $0.add(line) } }
        // The output is closed, so the child has ended or is about to. Without a deadline: this thread must not end before it.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        ServerLeftovers.remove(serverName: serverName, process: child)
        state.value.withLock { state in
            var usage = rusage()
            let end = ChildProcess.reap(child, &usage)
            if case .signalled(SIGBUS) = end { state.metShortFile = true }
            state.end =
                switch end {
                case .exited(let status): "exit status \(status)"
                case .signalled(let number): "signal \(number)"
                default: "how is not known, because SIGCHLD is ignored"
                }
            state.isRunning = false
        }
    }

    /// Of a line more is not kept.
    private static let longestLine = 4096

    static func readLines(from input: CInt, _ take: (String) -> Void) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in buffer.prefix(count) {
                if byte == UInt8(ascii: "\n") {
                    take(text(line))
                    line = []
                } else if line.count <= longestLine {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { take(text(line)) }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.prefix(longestLine), as: UTF8.self) + (line.count > longestLine ? "…" : "")
    }

    private static func find(_ program: String) -> String? {
        let path = Environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
    }
}
