import Glibc

/// Signals as bytes in a pipe, so that one `poll` waits for them and for keys.
struct Signals {
    /// The end to poll and read: a byte for each signal, its number.
    let descriptor: CInt

    /// Takes over what ends, suspends or resizes the program. Called before any thread is started.
    init() throws(Failure) {
        var ends: (CInt, CInt) = (0, 0)
        let made = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe pipe2($0.baseAddress?.assumingMemoryBound(to: CInt.self), O_CLOEXEC | O_NONBLOCK)
        }
        guard made == 0 else { throw Failure(.inputOutput, "cannot make a pipe: too many open files") }
        descriptor = ends.0
        unsafe signalPipe = ends.1
        for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH] {
            var action = unsafe sigaction()
            unsafe action.__sigaction_handler.sa_handler = noteSignal
            action.sa_flags = SA_RESTART
            unsafe sigaction(number, &action, nil)
        }
    }

    /// The signals that have come since the last call.
    func take() -> [CInt] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? bytes.prefix(count).map { CInt($0) } : []
    }

    /// From now on an interruption ends the program at once: it is already on its way out.
    func release() {
        for number in [SIGINT, SIGTERM, SIGHUP] { unsafe signal(number, SIG_DFL) }
    }
}

// Written once before the handlers are installed, and only read by them.
nonisolated(unsafe) private var signalPipe: CInt = -1

@c(iounit_note_signal)
private func noteSignal(_ number: CInt) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(signalPipe, &byte, 1)
    errno = saved
}
