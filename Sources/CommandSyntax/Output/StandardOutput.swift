import Foundation
import TerminalPages

/// Where results go.
package enum StandardOutput {
    /// Prints a line of results.
    ///
    /// - Throws: `inputOutput`; `outputClosed` where its reader has gone.
    @discardableResult
    package static func print(_ text: String) throws(Failure) -> ExitCode {
        // In the order in which it was said, where both go to one place.
        StandardError.flush()
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            // Foundation's own words for it are a domain and a number.
            let code = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? Int(EIO)
            let reason = unsafe String(cString: strerror(CInt(code)))
            guard code != Int(EPIPE) else { throw Failure(.outputClosed, reason) }
            throw Failure(.inputOutput, "cannot write to the standard output: \(reason)")
        }
        return .done
    }
}
