import Glibc
import TerminalPages
import Threads

/// Where results go.
package enum StandardOutput {
    /// Prints a line of results.
    ///
    /// - Throws: `inputOutput`; `outputClosed` where its reader has gone.
    @discardableResult
    package static func print(_ text: String) throws(Failure) -> ExitCode {
        // In the order in which it was said, where both go to one place.
        StandardError.flush()
        guard WholeWrite.write(Array((text + "\n").utf8), to: STDOUT_FILENO) else {
            let (isClosed, reason) = (errno == EPIPE, FileError.reason)
            throw isClosed
                ? Failure(.outputClosed, reason)
                : Failure(.inputOutput, "cannot write to the standard output: \(reason)")
        }
        return .done
    }
}
