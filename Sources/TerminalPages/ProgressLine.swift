import Glibc

/// How far something has come, on stderr: one line that is rewritten on a terminal, and a line now and then elsewhere.
package struct ProgressLine {
    private let isTerminal: Bool
    private var isShown = false
    private var lastSeconds = 0.0

    /// Between lines that nobody rewrites: enough to see that it lives, and few in a log.
    private static let secondsBetweenLines = 10.0

    package init() { isTerminal = StandardError.isTerminal && Terminal.isCapable }

    /// - Parameter seconds: since the beginning.
    package mutating func show(_ text: String, seconds: Double) {
        if isTerminal {
            let columns = Terminal.size(of: STDERR_FILENO)?.columns ?? 80
            StandardError.write("\r\(Self.fitted(text, columns - 1))\u{1b}[K")
            isShown = true
        } else if seconds - lastSeconds >= Self.secondsBetweenLines {
            lastSeconds = seconds
            StandardError.complain(text)
        }
    }

    /// Without its middle where it is wider: a line that wraps is not rewritten, and what changes is at the end, behind a name.
    private static func fitted(_ text: String, _ columns: Int) -> String {
        guard TerminalPages.columns(of: text) > columns else { return text }
        let start = text.fitting(columns / 4)
        return start + "..." + text.fittingEnd(columns - TerminalPages.columns(of: start) - 3)
    }

    /// Makes room for what comes after it.
    package mutating func clear() {
        if isShown { StandardError.write("\r\u{1b}[K") }
        isShown = false
        lastSeconds = 0
    }
}
