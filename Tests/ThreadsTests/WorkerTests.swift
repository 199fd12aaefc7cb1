import Testing
import Threads

@Suite("A worker") struct WorkerTests {
    @Test func `is waited for up to a time, and goes on by itself`() throws {
        let go = Semaphore()
        let worker = try Worker("iounit-test") { go.wait() }
        #expect(!worker.join(untilNanoseconds: MonotonicClock.nanoseconds() + 2_000_000))
        #expect(!worker.isFinished)
        go.handle.post()
        #expect(worker.join(untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000))
        // Once more: there is nothing to wait for.
        #expect(worker.join(untilNanoseconds: 0))
    }
}
