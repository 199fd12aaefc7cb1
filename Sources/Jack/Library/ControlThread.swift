import CJack
import Synchronization
import Threads

/// The thread on which this process asks for everything that a JACK server must answer: one thing at a time, in the
/// order of asking.
///
/// libjack's open, close and activation are not safe against one another, and they wait for the server: for seconds
/// while it stops, without end where it stands still. So the caller waits here, up to a deadline. What it gave up on is
/// still done when its turn comes, if it had begun or must be done.
final class ControlThread: Sendable {
    static let shared = ControlThread()

    /// How long an answer may take. A jackd that is about to stop was seen to let a client wait 5 s for its close.
    static let patienceSeconds = 7.0
    /// How long an open may take: up to 6.5 s were seen.
    static let openingPatienceSeconds = 10.0

    private struct Job: Sendable {
        var operation: String
        /// When its caller stops waiting, on the monotonic clock.
        var deadlineNanoseconds: UInt64
        var run: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var present: Job?
        /// libjack's number of the thread; `nil` until it runs.
        var thread: pthread_t?
    }

    private let state = Mutex(State())
    private let news = Semaphore()

    /// The operation that libjack has not come back from in time, or `nil` where all is well.
    var overdue: String? {
        state.withLock { state in
            guard let job = state.present, MonotonicClock.nanoseconds() > job.deadlineNanoseconds else { return nil }
            return job.operation
        }
    }

    /// Whether libjack is at work for somebody at present.
    var isBusy: Bool { state.withLock { $0.present != nil } }

    /// Does something on the thread, and waits for it. Thread: control or worker.
    ///
    /// - Parameters:
    ///   - operation: for the error, as in "close the client".
    ///   - mustRun: whether it is done all the same where the caller gave up before it began.
    ///   - unclaimed: takes the result for which the caller did not wait.
    /// - Throws: `unresponsive`; `resources` where there is no thread to be had.
    func perform<Result: Sendable>(
        _ operation: String, patienceSeconds: Double = patienceSeconds, mustRun: Bool = false,
        unclaimed: @escaping @Sendable (Result) -> Void = { _ in }, _ body: @escaping @Sendable () -> Result
    ) throws(JackError) -> Result {
        try start()
        // What is done on the thread may end clients too.
        let isOnThread = state.withLock { state in state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
        guard !isOnThread else { return body() }

        let answer = Answer<Result>()
        let deadline = MonotonicClock.nanoseconds() + UInt64(patienceSeconds * 1e9)
        // Nothing is to be expected behind something that does not end.
        let isHopeless = overdue != nil
        let job = Job(operation: operation, deadlineNanoseconds: deadline) {
            guard answer.begin() || mustRun else { return }
            let result = body()
            if !answer.give(result) { unclaimed(result) }
        }
        state.withLock { $0.waiting.append(job) }
        news.handle.post()
        if !isHopeless { answer.wait(untilNanoseconds: deadline) }
        guard let result = answer.take() else {
            let culprit = overdue.map { $0 == operation ? "" : ", which is still to \($0)" } ?? ""
            throw JackError(
                .unresponsive, operation,
                "JACK does not answer\(culprit); end the JACK server if it stands still, then start it and this program again"
            )
        }
        return result
    }

    private func start() throws(JackError) {
        let isNew = state.withLock { state in
            defer { if state.thread == nil { state.thread = pthread_t() } }
            return state.thread == nil
        }
        guard isNew else { return }
        do throws(JackError) {
            _ = try Worker.start("iounit-jack") { [self] in
                state.withLock { $0.thread = pthread_self() }
                while true { runNext() }
            }
        } catch {
            state.withLock { $0.thread = nil }
            throw error
        }
    }

    private func runNext() {
        news.wait()
        let job = state.withLock { state -> Job? in
            state.present = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            return state.present
        }
        job?.run()
        state.withLock { $0.present = nil }
    }
}

/// What a caller and the control thread have between them.
private final class Answer<Result: Sendable>: Sendable {
    private enum Stage {
        case waiting, begun, abandoned
        case given(Result)
    }

    private let stage = Mutex(Stage.waiting)
    private let isThere = Semaphore()

    /// Returns whether anybody still waits for it.
    func begin() -> Bool {
        stage.withLock { stage in
            guard case .waiting = stage else { return false }
            stage = .begun
            return true
        }
    }

    /// Returns whether anybody takes it.
    func give(_ result: Result) -> Bool {
        let isWanted = stage.withLock { stage in
            if case .abandoned = stage { return false }
            stage = .given(result)
            return true
        }
        isThere.handle.post()
        return isWanted
    }

    func wait(untilNanoseconds deadline: UInt64) { isThere.wait(untilNanoseconds: deadline) }

    /// The result; where there is none, nobody waits for it from now on.
    func take() -> Result? {
        stage.withLock { stage in
            if case .given(let result) = stage { return result }
            stage = .abandoned
            return nil
        }
    }
}
