import Synchronization
import TestSupport
import Testing
import Threads

@testable import Jack

@Suite("The control thread") struct ControlThreadTests {
    private let thread = ControlThread()
    private let gate = Semaphore()

    /// Does something that ends when the gate opens, and is waited for for a second: what the thread has not begun by
    /// then, as where a busy machine holds it up, is never done.
    private func stall(unclaimed: @escaping @Sendable (Int) -> Void = { _ in }) -> JackError? {
        failure { () throws(JackError) in
            _ = try thread.perform("stall", patienceSeconds: 1, unclaimed: unclaimed) { [gate] in
                gate.wait()
                return 7
            }
        }
    }

    @Test func `gives back what was done on it`() throws {
        #expect(try thread.perform("add") { 1 + 1 } == 2)
        #expect(thread.overdue == nil)
    }

    @Test func `may be asked from itself`() throws {
        let thread = thread
        #expect(try thread.perform("ask") { try? thread.perform("add") { 3 } } == 3)
    }

    @Test func `is not waited for past the deadline, and a late result is not lost`() throws {
        let late = Arrivals()
        let error = stall { late.add("\($0)") }
        #expect(error?.kind == .unresponsive)
        #expect(error?.description.hasPrefix("cannot stall: JACK does not answer; ") == true)
        #expect(thread.overdue == "stall")
        gate.handle.post()
        try waitUntil("the result has come") { late.words == ["7"] }
        try waitUntil("it is ready again") { thread.overdue == nil }
        #expect(try thread.perform("add") { 2 } == 2)
    }

    @Test func `is not waited for behind what is overdue; what must be done is done all the same`() throws {
        let arrivals = Arrivals()
        _ = stall()
        let dropped = failure { () throws(JackError) in try thread.perform("skip") { arrivals.add("skip") } }
        let kept = failure { () throws(JackError) in
            try thread.perform("close", mustRun: true) { arrivals.add("close") }
        }
        #expect(dropped?.reason.hasPrefix("JACK does not answer, which is still to stall;") == true)
        #expect(kept?.kind == .unresponsive)
        gate.handle.post()
        try waitUntil("the thread has come to the end") { (try? thread.perform("pass") { true }) == true }
        #expect(arrivals.words == ["close"])
    }
}

/// Words from another thread, in their order.
private final class Arrivals: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ word: String) { list.withLock { $0.append(word) } }
    var words: [String] { list.withLock { $0 } }
}
