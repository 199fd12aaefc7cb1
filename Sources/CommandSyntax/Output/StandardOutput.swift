import Glibc
import TerminalPages
import Threads

/// Where results go.
package enum StandardOutput {
    /// Whether a path is one of its names, as /dev/stdout, /dev/fd/1, /proc/self/fd/1 or that of the pipe or file that it goes
    /// to. A terminal and /dev/null, in which nothing has to stay apart, count for none.
    package static func isNamed(by path: String) -> Bool {
        var (named, ours) = (stat(), stat())
        guard unsafe stat(path, &named) == 0, unsafe fstat(STDOUT_FILENO, &ours) == 0 else { return false }
        return named.st_mode & S_IFMT != S_IFCHR && named.st_dev == ours.st_dev && named.st_ino == ours.st_ino
    }

    /// Where a file is, the same for all its names, and for all those of the standard output.
    package static func place(of path: String) -> String { isNamed(by: path) ? "-" : FilePath(path).resolved }

    /// - Throws: `usage` where a report is to go where the sound goes.
    package static func checkReport(isJSON: Bool, beside takesSound: Bool) throws(Failure) {
        guard isJSON && takesSound else { return }
        throw Failure(.usage, "--json prints on the standard output, which the sound takes: leave it out", of: "json")
    }

    /// Prints a line of results. Where it went to a terminal that has gone, the signal that told so is how the program ends.
    ///
    /// - Throws: `inputOutput`; `outputClosed` where its reader has gone.
    @discardableResult
    package static func print(_ text: String) throws(Failure) -> ExitCode {
        // In the order in which it was said, where both go to one place.
        StandardError.flush()
        // Another program may have set that no call waits in it.
        let isWritten = WholeWrite.write(Array((text + "\n").utf8), to: STDOUT_FILENO) {
            var wait = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&wait, 1, WholeWrite.patienceMilliseconds) > 0
        }
        guard isWritten && WholeWrite.hasArrived(at: STDOUT_FILENO) else {
            let (error, reason) = (errno, FileError.reason)
            if error == EIO && Signals.hasHungUp && isDevice { return .done }
            throw error == EPIPE
                ? Failure(.outputClosed, reason)
                : Failure(.inputOutput, "cannot write to the standard output: \(reason)")
        }
        return .done
    }

    /// Whether it is a pipe or a socket whose reader has gone.
    package static var isUnread: Bool {
        var state = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&state, 1, 0) > 0 && Int32(state.revents) & (POLLERR | POLLHUP) != 0
    }

    /// Whether it is one as a terminal is, and no file on a broken disk.
    private static var isDevice: Bool {
        var facts = stat()
        return unsafe fstat(STDOUT_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFCHR
    }
}
