import CThreads
import Glibc
import Synchronization

/// A thread of ours that may block: it runs one function to its end. It takes no signals.
package final class Worker: Sendable {
    private let thread: Mutex<pthread_t?>
    private let state: State

    /// What the thread tells of itself.
    private final class State: Sendable {
        /// Set last.
        let isFinished = Atomic<Bool>(false)
        /// The kernel's number of the thread; 0 before it runs.
        let thread = Atomic<Int32>(0)
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: shown by `top -H`; at most 15 bytes are.
    /// - Throws: where the machine has no more threads to give.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ResourceError) {
        let state = State()
        let box = Body {
            unsafe cthreads_name_thread(name)
            state.thread.store(cthreads_thread_number(), ordering: .relaxed)
            body()
            state.isFinished.store(true, ordering: .releasing)
        }
        var identifier = pthread_t()
        // SAFETY: the thread takes the box over; if there is no thread, we take it back.
        let context = unsafe Unmanaged.passRetained(box)
        // Signals are for the threads of the program. On a thread of ours one may start another, as libjack does: the handler of a
        // signal would call the system on the audio thread.
        let result = SignalMask.sent.hold {
            unsafe pthread_create(
                &identifier, nil,
                { context in
                    guard let context = unsafe context else { return nil }
                    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, context.toOpaque())
        }
        guard result == 0 else {
            unsafe context.release()
            throw ResourceError("start the thread \(name)", FileError.words(result))
        }
        self.state = state
        thread = Mutex(identifier)
    }

    /// Whether the function has returned.
    package var isFinished: Bool { state.isFinished.load(ordering: .acquiring) }

    /// What the thread has cost so far, or `nil` where it does not run.
    package var usage: ThreadUsage? { ThreadUsage(thread: state.thread.load(ordering: .relaxed)) }

    /// Whether the caller is the thread.
    package var isCurrent: Bool { state.thread.load(ordering: .relaxed) == cthreads_thread_number() }

    /// Waits for the thread to end, however many call it. On the thread itself it does nothing: that cannot wait for its own end.
    package func join() {
        guard !isCurrent else { return }
        thread.withLock { thread in
            if let identifier = thread { pthread_join(identifier, nil) }
            thread = nil
        }
    }

    /// The same, up to a time of the monotonic clock. Returns whether the thread has ended; on the thread itself that it has not.
    package func join(untilNanoseconds deadline: UInt64) -> Bool {
        while !isFinished {
            guard !isCurrent, MonotonicClock.nanoseconds() < deadline else { return false }
            MonotonicClock.sleep(milliseconds: 1)
        }
        join()
        return true
    }

    deinit {
        // Nobody waits for it any more: the kernel takes it back when it ends.
        thread.withLock { if let identifier = $0 { pthread_detach(identifier) } }
    }
}
