import Glibc
import Synchronization
import Threads

/// Ends the process of a test that is past its deadline, after it has printed what each thread waits for: a test that
/// waits for libjack, or for a lock, cannot be ended otherwise.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private struct Watch {
        let title: String
        let seconds: Double
        let end: ContinuousClock.Instant
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var count = 0
        var worker: Worker?
    }

    private let state = Mutex(State())

    /// Performs something that must be over in time.
    func watch(_ title: String, seconds: Double, _ body: () async throws -> Void) async throws {
        let seconds = seconds * deadlineFactor
        let watch = Watch(title: title, seconds: seconds, end: .now + .seconds(seconds))
        let number = try state.withLock { state in
            if state.worker == nil { state.worker = try Worker("watchdog") { [unowned self] in look() } }
            state.count += 1
            state.watches[state.count] = watch
            return state.count
        }
        defer { _ = state.withLock { $0.watches.removeValue(forKey: number) } }
        try await body()
    }

    /// The whole life of the thread, which is the process's.
    private func look() {
        while true {
            MonotonicClock.sleep(milliseconds: 200)
            let late = state.withLock { $0.watches.values.first { $0.end < .now } }
            if let late { end(late) }
        }
    }

    private func end(_ watch: Watch) -> Never {
        say("✘ Test \(watch.title) did not end within \(watch.seconds) s; this is what it waits for:")
        permitTracing()
        // Beside this file's folder.
        let script = "\(#filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined())/Harness/waits.py"
        do {
            let stacks = try Program("/usr/bin/python3", [script, "--end", "\(getpid())"], output: 2, errors: 2)
            if stacks.wait(seconds: 200) == nil { say("the stacks took too long") }
        } catch {
            say("\(error); Tools/setup --tests installs it")
        }
        _exit(124)
    }

    /// Lets gdb look at us, which is no parent of ours: PR_SET_PTRACER for any process. Swift imports no variadic
    /// function, and where the kernel is not strict the call does nothing.
    private func permitTracing() {
        typealias Control = @convention(c) (CInt, Int, Int, Int, Int) -> CInt
        guard let prctl = dlsym(nil, "prctl") else { return }
        _ = unsafeBitCast(prctl, to: Control.self)(0x5961_6d61, -1, 0, 0, 0)
    }

    private func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(2, line, line.count)
    }
}
