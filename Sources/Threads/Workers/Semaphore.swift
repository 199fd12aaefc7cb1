import CThreads
import Glibc

/// Wakes one thread of ours as often as others ask for.
@safe package final class Semaphore: @unchecked Sendable {
    // Sendable: the address never changes, POSIX lets several threads call `sem_wait` and `sem_post` at the same time, and every
    // thread that does so holds a reference to this object.
    private let raw: UnsafeMutablePointer<sem_t>

    package init() {
        unsafe raw = .allocate(capacity: 1)
        unsafe raw.initialize(to: sem_t())
        // Fails only for numbers beyond what a semaphore counts to.
        unsafe sem_init(raw, 0, 0)
    }

    deinit {
        // SAFETY: each thread that waits or posts keeps the object.
        unsafe sem_destroy(raw)
        unsafe raw.deinitialize(count: 1)
        unsafe raw.deallocate()
    }

    /// Waits until it was posted once more than was waited. Thread: control or worker.
    package func wait() {
        // Ends early only where a signal interrupts it.
        while unsafe sem_wait(raw) != 0 {}
    }

    /// The same, up to a time of the monotonic clock. Thread: control or worker.
    package func wait(untilNanoseconds deadline: UInt64) {
        unsafe cthreads_wait_until(raw, deadline)
    }

    /// For the audio thread. Valid as long as the semaphore.
    package var handle: SemaphoreHandle { unsafe SemaphoreHandle(raw: raw) }
}

/// A semaphore's address for the audio thread, which may not touch a reference count.
@safe package struct SemaphoreHandle: BitwiseCopyable, @unchecked Sendable {
    // Sendable: the address never changes, `sem_post` may be called from any thread, and who holds this keeps the `Semaphore`.
    fileprivate let raw: UnsafeMutablePointer<sem_t>

    /// Lets one `wait` return. Thread: any, also audio. Never waits; a system call where a thread sleeps in `wait`.
    @_noLocks @_noAllocation
    package func post() { unsafe cthreads_wake(raw) }
}
