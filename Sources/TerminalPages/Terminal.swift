import Glibc
import Threads

/// The terminal as a screen to draw on and a keyboard to read from. Whatever way the program ends, short of
/// SIGKILL, the terminal is as it was.
package final class Terminal {
    /// Where keys are read; `nil` while no page is shown, and if there is no keyboard.
    package var keyboard: CInt? { isShown ? input : nil }
    private var input: CInt?
    let hasColor: Bool
    /// Whether the locale has more than ASCII.
    package let hasUnicode: Bool
    private let hasWheel: Bool
    /// Whether a page is shown: not before `enter`, nor in the background.
    package private(set) var isShown = false
    private var parser = KeyParser()
    /// What the screen shows, at which size, and when it is drawn as a whole again, whatever has happened to it.
    private var drawn: [String] = []
    private var drawnSize = (columns: 0, rows: 0)
    private var nextWhole: UInt64 = 0

    private static let wholeNanoseconds: UInt64 = 1_000_000_000

    /// `nil` where stderr is no terminal that can be drawn on.
    ///
    /// - Parameters:
    ///   - readsInput: whether the standard input is something else than a keyboard, as a pipe of sound: then keys are read
    ///     from the terminal that the process belongs to.
    ///   - hasWheel: whether a turn of the mouse's wheel comes as the keys up and down (private mode 1007). The mouse itself
    ///     stays the terminal's, which selects text with it: modes that report its buttons (1000, 1006) would take that away.
    package init?(readsInput: Bool = false, hasWheel: Bool = false) {
        guard StandardError.isTerminal, Self.isCapable, !Self.isInBackground else { return nil }
        input = Self.keyboard(readsInput: readsInput)
        self.hasWheel = hasWheel
        hasColor = Self.wantsColor
        // The first that is set counts.
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { Environment[$0] }.first { !$0.isEmpty }?.uppercased() ?? ""
        hasUnicode = locale.contains("UTF-8") || locale.contains("UTF8")
    }

    deinit {
        leave()
        if let input, input != STDIN_FILENO { close(input) }
    }

    private static func keyboard(readsInput: Bool) -> CInt? {
        let descriptor = readsInput ? unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO
        // In the background, to touch the terminal's settings is to be stopped.
        if descriptor >= 0, isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp() { return descriptor }
        if readsInput, descriptor >= 0 { close(descriptor) }
        return nil
    }

    /// Whether the terminal is the shell's at present, as after `&`.
    private static var isInBackground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group > 0 && group != getpgrp()
    }

    /// Whether lines can be written over, and have colour, on a terminal of this kind.
    static var isCapable: Bool { !["", "dumb"].contains(Environment["TERM"] ?? "") }

    /// Whether colour is wanted (https://no-color.org).
    static var wantsColor: Bool { (Environment["NO_COLOR"] ?? "").isEmpty }

    var hasKeys: Bool { input != nil }

    var size: (columns: Int, rows: Int) { Self.size(of: STDERR_FILENO) ?? (80, 24) }

    /// More than any screen has. A picture takes memory for each cell, and a terminal may say what it likes.
    private static let most = (columns: 2000, rows: 1000)

    /// Columns and rows; `nil` of what is no terminal, or does not tell.
    static func size(of descriptor: CInt) -> (columns: Int, rows: Int)? {
        var window = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else { return nil }
        return (min(Int(window.ws_col), most.columns), min(Int(window.ws_row), most.rows))
    }

    /// Takes the screen over: a page of its own, no cursor, keys as they are pressed. Messages wait until `leave`. Does nothing if
    /// the screen is taken already, or the program is in the background.
    package func enter() {
        guard !isShown, !Self.isInBackground else { return }
        isShown = true
        unsafe isPageShown = true
        nextWhole = 0
        // A terminal that does not tell its settings has gone, and could not be given them back.
        if let input, unsafe tcgetattr(input, &savedSettings) == 0 {
            var raw = unsafe savedSettings
            raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
            // Ctrl-S would hold the page, and the end with it.
            raw.c_iflag &= ~tcflag_t(IXON)
            unsafe tcsetattr(input, TCSANOW, &raw)
            unsafe savedKeyboard = input
        }
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT] {
            signal(number, restoreAndDie)
        }
        StandardError.notePage(isShown: true)
        StandardError.write("\u{1b}[?1049h\u{1b}[?25l" + (hasWheel ? "\u{1b}[?1007s\u{1b}[?1007h" : ""))
    }

    /// Gives the screen back. Does nothing where it was not taken.
    package func leave() {
        guard isShown else { return }
        isShown = false
        // Not by `restore`, which would wait for a terminal that hangs.
        StandardError.write("\(leaving)")
        StandardError.notePage(isShown: false)
        StandardError.flush()
        restoreSettings()
        unsafe savedKeyboard = -1
        unsafe isPageShown = false
    }

    /// Draws a page, if the screen is taken: what has changed of it, and once a second and after a key all of it. Each line must fit the width. A terminal that has not
    /// taken the last one yet gets none. It comes as one synchronised update (private mode 2026), which a terminal that does not
    /// have it leaves aside.
    package func draw(_ lines: [String]) {
        guard isShown, StandardError.isIdle else { return }
        let now = MonotonicClock.nanoseconds()
        let size = size
        let isWhole = now >= nextWhole || size != drawnSize
        if isWhole { (nextWhole, drawnSize) = (now + Self.wholeNanoseconds, size) }
        var text = isWhole ? "\u{1b}[H" : ""
        for (index, line) in lines.enumerated() {
            if isWhole {
                text += (index > 0 ? "\r\n" : "") + line + "\u{1b}[K"
            } else if index >= drawn.count || drawn[index] != line {
                text += "\u{1b}[\(index + 1);1H" + line + "\u{1b}[K"
            }
        }
        if isWhole {
            text += "\u{1b}[J"
        } else if lines.count < drawn.count {
            text += "\u{1b}[\(lines.count + 1);1H\u{1b}[J"
        }
        drawn = lines
        if !text.isEmpty { StandardError.writePage("\u{1b}[?2026h" + text + "\u{1b}[?2026l") }
    }

    /// The keys that were pressed, if any. Never waits.
    package func keys() -> [Key] {
        guard let keyboard else { return [] }
        var file = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&file, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(keyboard, $0.baseAddress, $0.count) }
        guard count > 0 else {
            // A terminal that is gone would end each wait for it at once.
            if count == 0 || ![EINTR, EAGAIN].contains(errno) { input = nil }
            return []
        }
        // Who presses a key may do so because the screen is not as it should be.
        nextWhole = 0
        return parser.keys(in: bytes.prefix(count), atNanoseconds: MonotonicClock.nanoseconds())
    }
}

// For the handler below, which can reach nothing else. Written by the main thread alone, while it takes the terminal
// over; nobody but the handler and the main thread reads them.
nonisolated(unsafe) private var savedSettings = termios()
nonisolated(unsafe) private var savedKeyboard: CInt = -1
// Also where no keys are read.
nonisolated(unsafe) private var isPageShown = false

/// Gives the wheel back its meaning, and shows the cursor and the page that was there before. Computed, because a handler may not wait for a first use.
private var leaving: StaticString { "\u{1b}[?1007r\u{1b}[?25h\u{1b}[?1049l" }

/// Puts the terminal back with nothing but calls that a signal handler may make.
private func restore() {
    let text = leaving
    _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    restoreSettings()
}

private func restoreSettings() {
    if unsafe savedKeyboard >= 0 { unsafe tcsetattr(savedKeyboard, TCSANOW, &savedSettings) }
}

/// Gives the terminal back in a signal's handler that ends the program; of one that takes nothing, the keyboard alone.
package func restoreTerminal() {
    guard unsafe isPageShown else { return }
    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if unsafe poll(&file, 1, 0) > 0 { restore() } else { restoreSettings() }
}

@c(iounit_restore_and_die)
private func restoreAndDie(_ number: CInt) {
    restore()
    signal(number, SIG_DFL)
    raise(number)
}
