import TerminalPages

/// What a subcommand does while its engine runs, at each turn of the loop that all of them have.
package protocol LiveLoop {
    var watch: RunWatch { get set }
    /// Does what is due, and tells what has happened.
    ///
    /// - Returns: how the run ends, where its work is at its end.
    /// - Throws: why none of it could be done.
    mutating func turn() throws -> RunEnd?
    /// Acts on a signal that means nothing elsewhere.
    func take(signal: CInt)
    /// Whether a key is for something that takes all of them, for a while.
    mutating func grabs(_ key: Key) -> Bool
    /// Acts on a key, but for those that each run has: `q`, and `r` for a server that came back.
    mutating func press(_ key: Key)
    /// Draws the page, or writes a line of the log where it is time for one.
    mutating func show()
    /// Somebody or the clock ends it before its work is at its end.
    func leave()
}

extension LiveLoop {
    package var terminal: Terminal? { watch.terminal }
    /// Whether the live view is on the terminal. Where it is not, the loop writes what happens to stderr.
    package var isPageShown: Bool { watch.isPageShown }
    package func take(signal: CInt) {}
    package func grabs(_ key: Key) -> Bool { false }
    package func press(_ key: Key) {}
    package func leave() {}

    /// Runs until its work is at its end, or somebody or something ends it.
    package mutating func run() throws -> RunEnd {
        defer { terminal?.leave() }
        while true {
            // Shows the page again when `fg` has brought the program back.
            terminal?.enter()
            watch.tellEvents()
            if let end = try turn() { return end }
            if let end = takeEnd() {
                leave()
                return end
            }
            if watch.takeDrawing() { show() }
            watch.wait()
        }
    }

    /// Acts on signals and keys; returns how the run ends where one of them ends it, or its time is over.
    private mutating func takeEnd() -> RunEnd? {
        if watch.takeSignals(otherwise: take) { return .interrupted }
        for key in terminal?.keys() ?? [] where !grabs(key) {
            if key.ends { return watch.end }
            if key == "r" { watch.resume() } else { press(key) }
        }
        return watch.isOver ? watch.end : nil
    }
}
