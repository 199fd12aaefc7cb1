import Glibc

/// Signals that a thread does not take.
package struct SignalMask {
    private var signals = sigset_t()

    package init(_ numbers: [CInt]) {
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
    }

    /// All that somebody sends, and none that a fault of the thread's own code raises, or by which a profiler samples it.
    static var sent: SignalMask {
        var mask = SignalMask([])
        unsafe sigfillset(&mask.signals)
        for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF] {
            unsafe sigdelset(&mask.signals, number)
        }
        return mask
    }

    /// Has the calling thread not take them before `body` has returned; threads that it starts meanwhile, never.
    package func hold<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        var (own, before) = (signals, sigset_t())
        unsafe pthread_sigmask(SIG_BLOCK, &own, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }

    /// Takes one that waits for the calling thread, so that it does not come when they are taken again.
    package func drop() {
        var (own, moment) = (signals, timespec())
        _ = unsafe sigtimedwait(&own, nil, &moment)
    }
}
