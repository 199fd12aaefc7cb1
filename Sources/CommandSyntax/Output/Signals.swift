import Glibc
import Synchronization
import TerminalPages
import Threads

/// Signals as bytes in a pipe, so that one `poll` waits for them and for keys.
package struct Signals {
    private static let usual = [SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1]

    /// Whether a signal asks the program to end. Thread: any, a signal's handler too.
    package static func ends(_ number: CInt) -> Bool { number == SIGINT || number == SIGTERM || number == SIGHUP }

    /// The one that has asked the program to end, as far as `take` has seen it; 0 before.
    private static let ending = Atomic<CInt>(0)

    /// When the oldest signal came that asks the program to end and that `take` has not seen, on the monotonic clock; 0 for none.
    private static let leftSince = Atomic<UInt64>(0)
    private static let patienceNanoseconds: UInt64 = 5_000_000_000

    /// Notes one that asks the program to end. Thread: any, in a signal's handler.
    ///
    /// - Returns: whether an earlier one was left for so long that nobody will take it, as where a plug-in does not return.
    fileprivate static func isLeft() -> Bool {
        let now = MonotonicClock.nanoseconds()
        let (isFirst, since) = leftSince.compareExchange(expected: 0, desired: now, ordering: .relaxed)
        return !isFirst && now > since + patienceNanoseconds
    }

    /// Whether the program was told that its terminal has gone.
    static var hasHungUp: Bool { ending.load(ordering: .relaxed) == SIGHUP }

    /// The end to poll and read: a byte for each signal, its number.
    package var descriptor: CInt { pipe.ends.reading }
    private let pipe: SignalPipe
    private let handled: [CInt]

    /// Takes over what ends, suspends or resizes the program. Called before any thread is started.
    ///
    /// - Parameter others: signals that mean something to one subcommand.
    package init(alsoHandling others: CInt...) throws(Failure) {
        handled = Self.usual + others
        guard let ends = PipeEnds() else {
            throw Failure(.inputOutput, "cannot make a pipe: the process has too many files open")
        }
        for end in [ends.reading, ends.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        pipe = SignalPipe(ends)
        unsafe signalPipe = ends.writing
        // What a handler calls must have been made before.
        _ = StopSignals.number
        Self.leftSince.store(0, ordering: .relaxed)
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        for number in handled {
            unsafe sigaddset(&mask, number)
            // Under nohup we outlive the terminal.
            if number == SIGHUP && isIgnored(number) { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = noteSignal
            action.sa_flags = SA_RESTART
            unsafe sigaction(number, &action, nil)
        }
        // The program that started us may have blocked them, as threads of many a run-time system do.
        unsafe sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    private func isIgnored(_ number: CInt) -> Bool {
        var present = sigaction()
        guard unsafe sigaction(number, nil, &present) == 0 else { return false }
        return unsafe unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The signals that have come since the last call.
    package func take() -> [CInt] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        Self.leftSince.store(0, ordering: .relaxed)
        let numbers = count > 0 ? bytes.prefix(count).map { CInt($0) } : []
        if let number = numbers.first(where: Self.ends) { Self.ending.store(number, ordering: .relaxed) }
        return numbers
    }

    /// Whether anybody could continue this program where it stops: a shell of the same session that looks after its process group.
    /// Behind `ssh -t HOST iounit` there is none, and the kernel too leaves Ctrl-Z out there (POSIX: an orphaned process group).
    package static var canStop: Bool {
        var parent = getppid()
        // A program between us and the shell is of our group.
        while parent > 0, getpgid(parent) == getpgrp() { parent = parentOf(parent) }
        // In a sandbox with process numbers of its own neither the shell nor the leader of the session has one.
        return parent > 0 ? getsid(parent) == getsid(0) : getsid(0) == 0
    }

    private static func parentOf(_ process: pid_t) -> pid_t {
        // The name, which may have blanks, is in brackets; the state is behind it.
        let fields = SmallFile.text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.dropFirst().first.flatMap { pid_t($0) } ?? 0
    }

    /// Takes them where nothing but the end and Ctrl-Z, which stops the program, means something; returns whether one of them
    /// asks for the end.
    package func takeEnd() -> Bool {
        let numbers = take()
        if numbers.contains(where: Self.ends) { return true }
        if numbers.contains(SIGTSTP), Self.canStop { raise(SIGSTOP) }
        return false
    }

    /// Waits until one has come, a key was pressed, or something can be read elsewhere.
    ///
    /// - Parameters:
    ///   - files: descriptors.
    ///   - seconds: at the most; a tenth where it is more.
    package func wait(orKeysOf terminal: Terminal?, orFor files: [CInt] = [], seconds: Double) {
        let deadline = MonotonicClock.nanoseconds() + UInt64(min(0.1, seconds) * 1e9)
        let keyboard = [terminal?.keyboard].compactMap(\.self)
        _ = InputWait.wait(for: [descriptor] + keyboard + files, untilNanoseconds: deadline)
    }

    /// What a thread of its own makes, which may wait for a pipe without end.
    ///
    /// - Returns: `nil` where a signal has asked the program to end. The thread ends with the program then.
    /// - Throws: what the making throws.
    package func value<Value: Sendable>(
        _ name: String, _ make: @escaping @Sendable () throws -> Value
    ) throws -> Value? {
        let wakePipe = try WakePipe()
        let result = Made<Value>()
        let worker = try Worker(name) {
            let made = Result { try make() }
            result.value.withLock { $0 = made }
            wakePipe.wake()
        }
        while true {
            if let made = result.value.withLock({ $0 }) {
                worker.join()
                return try made.get()
            }
            wakePipe.wait(milliseconds: 100, orFor: descriptor)
            if takeEnd() { return nil }
        }
    }

    private final class Made<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Ends the process by the signal that has asked for it, now that all is in order: then a shell stops its script too, and a
    /// service manager knows that it did what it was told. Returns where no signal has: a key may end a run as well.
    static func endProcess() { endProcess(by: ending.load(ordering: .relaxed)) }

    /// - Parameter number: 0 for none.
    static func endProcess(by number: CInt) {
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe sigaddset(&mask, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        raise(number)
        // The first process of a container has no default action: the code that a shell would see.
        exit(128 + number)
    }

    /// From now on an interruption ends the program at once: it is already on its way out. A signal that would control it does
    /// nothing. Nor may any be noted any more, because the pipe ends with this value and its number may become another file's.
    ///
    /// - Returns: whether one has asked the program to end since the last call of `take`.
    @discardableResult
    package func release() -> Bool {
        let hasEnded = take().contains(where: Self.ends)
        for number in handled where !isIgnored(number) {
            // SIGUSR1 and SIGUSR2 would end the program. A terminal that closes sends SIGHUP twice: the shell does, and the kernel
            // when the shell has ended.
            let isToldAgain = number == SIGHUP && Self.hasHungUp
            signal(number, isToldAgain || [SIGUSR1, SIGUSR2].contains(number) ? SIG_IGN : SIG_DFL)
        }
        return take().contains(where: Self.ends) || hasEnded
    }
}

/// Closed with the last value that reads from it.
private final class SignalPipe: Sendable {
    let ends: PipeEnds
    init(_ ends: PipeEnds) { self.ends = ends }
    deinit { ends.close() }
}

// Written once before the handlers are installed, and only read by them.
nonisolated(unsafe) private var signalPipe: CInt = -1

@c(iounit_note_signal)
private func noteSignal(_ number: CInt) {
    let saved = errno
    if Signals.ends(number) {
        StopSignals.note()
        // Ends the program, once this returns.
        if Signals.isLeft() {
            restoreTerminal()
            signal(number, SIG_DFL)
            raise(number)
        }
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(signalPipe, &byte, 1)
    errno = saved
}
