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
            StandardError.write("\r\(text)\u{1b}[K")
            isShown = true
        } else if seconds - lastSeconds >= Self.secondsBetweenLines {
            lastSeconds = seconds
            StandardError.complain(text)
        }
    }

    /// Makes room for what comes after it.
    package mutating func clear() {
        if isShown { StandardError.write("\r\u{1b}[K") }
        isShown = false
        lastSeconds = 0
    }
}
