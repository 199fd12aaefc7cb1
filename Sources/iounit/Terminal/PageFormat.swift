import Foundation

/// How text is set that goes to the standard output.
struct PageFormat {
    /// In columns.
    var width: Int
    /// Whether colour is wanted (https://no-color.org).
    var hasColor: Bool

    init(width: Int, hasColor: Bool) {
        self.width = width
        self.hasColor = hasColor
    }

    /// For the standard output as it is: as wide as the terminal, where that can be read well, and of 80 columns
    /// where there is none.
    init() {
        let environment = ProcessInfo.processInfo.environment
        let kind = environment["TERM"] ?? ""
        let isTerminal = isatty(STDOUT_FILENO) == 1
        hasColor = isTerminal && !kind.isEmpty && kind != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
        var window = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && isTerminal && window.ws_col > 0
        width = isKnown ? min(100, max(40, Int(window.ws_col))) : 80
    }

    /// The text in bold and one of the terminal's colours (31 is red).
    func colored(_ text: String, _ color: Int) -> String { hasColor ? "\u{1b}[1;\(color)m\(text)\u{1b}[0m" : text }
}
