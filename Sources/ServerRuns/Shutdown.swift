import CommandSyntax
import Glibc
import Jack
import Synchronization
import TerminalPages
import Threads

/// Leaving the graph. libjack asks the server for leave to close a client and waits for the answer for ever: where a
/// server does not give it, a private one is ended, and of a foreign one we take leave without asking. So we do where a worker
/// does not end, as in a read from a disk that hangs.
package enum Shutdown {
    /// As long may it take with nothing amiss: a client leaves within a few periods.
    package static func usualMilliseconds(periodSeconds: Double) -> Int {
        1000 + Int(min(6000, max(0, 4000 * periodSeconds)))
    }

    /// Closes clients, and sees to it that this comes to an end.
    ///
    /// - Parameters:
    ///   - server: the private one, where there is one.
    ///   - periodSeconds: the server's. It answers between two cycles.
    ///   - seconds: what `leave` does before it closes clients may take so much longer.
    ///   - lastWords: what is still to be saved and said where a foreign server does not answer. Called on another
    ///     thread; `leave` never returns then, so it may use what this thread uses otherwise. The program ends
    ///     afterwards.
    ///   - leave: closes the clients, and must change nothing that `lastWords` reads.
    package static func perform(
        on server: Server?, periodSeconds: Double, allowing seconds: Double = 0, lastWords: @escaping () -> Void,
        leave: () -> Void
    ) {
        // Safe to share: `watchdog.call()` lets one thread alone have it. Before that this one only closes clients. Where the
        // watchdog was first, this one waits: for the end of the program, or until the watchdog has ended a private server and does
        // nothing more.
        nonisolated(unsafe) let lastWords = lastWords
        let goesOn = Semaphore()
        let giveUp: @Sendable () -> Void = {
            let isJack = LibJack.isBusy
            if let server {
                server.stop()
                if isJack { return goesOn.handle.post() }
            }
            unsafe lastWords()
            StandardError.complain(
                isJack
                    ? "the JACK server does not answer; end it, start it and run iounit again"
                    : "a disk that is played from does not answer, or a plug-in does not come to an end; see to the disk or its "
                        + "network, or leave the plug-in out")
            StandardError.flush()
            _exit((isJack ? ExitCode.noServer : .inputOutput).rawValue)
        }
        let allowance = Int(1000 * seconds)
        let watchdog = Watchdog(milliseconds: 8000 + allowance, giveUp)
        // Tells the user who pressed Ctrl-C what we wait for.
        let notice = Watchdog(milliseconds: usualMilliseconds(periodSeconds: periodSeconds) + allowance) {
            let holder = LibJack.isBusy ? "the JACK server" : "a disk or a plug-in"
            StandardError.complain("\(holder) does not let us go yet; it is waited for up to 8 s")
        }
        leave()
        _ = notice.call()
        // Where a private server was ended, all goes on; else the program ends at any moment.
        if !watchdog.call() { goesOn.wait() }
        if LibJack.overdueOperation != nil { giveUp() }
    }
}

/// Does something if what it watches has not ended in time: either that or the end, never both.
private final class Watchdog: Sendable {
    /// What to do. Gone as soon as it is decided, so that nothing it holds on to outlives that.
    private let bite: Mutex<(@Sendable () -> Void)?>

    /// - Parameters:
    ///   - milliseconds: how long to wait.
    ///   - bite: called on a thread of its own.
    init(milliseconds: Int, _ bite: @escaping @Sendable () -> Void) {
        self.bite = Mutex(bite)
        // Where the machine has no thread left, the end is waited for without a limit.
        _ = try? Worker("iounit-watchdog") { [self] in
            MonotonicClock.sleep(milliseconds: milliseconds)
            take()?()
        }
    }

    /// What was watched has ended. Returns whether that was in time.
    func call() -> Bool { take() != nil }

    /// What to do; `nil` where it was taken before.
    private func take() -> (@Sendable () -> Void)? {
        bite.withLock { bite in
            defer { bite = nil }
            return bite
        }
    }
}
