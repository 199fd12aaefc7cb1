import Foundation
import TestSupport
import Testing

/// A run of the command on a terminal of its own, which shows how far it has come.
package final class TerminalRun {
    private let folder: TemporaryFolder
    private let run: CommandRun
    // The terminal lives as long as somebody could type into it.
    private let keyboard = Pipe()

    package init(_ words: [String], environment: [String: String] = ["TERM": "xterm-256color"]) throws {
        folder = try TemporaryFolder()
        let script = folder("script.sh")
        try "echo $$ > '\(folder("pid"))'; exec \"$@\" > '\(folder("out"))'".write(
            toFile: script, atomically: true, encoding: .utf8)
        let line = ([script, CommandRun.program] + words).map { "'\($0)'" }.joined(separator: " ")
        run = try CommandRun(
            ["-qefc", "sh \(line)", "/dev/null"], program: "/usr/bin/script", environment: environment,
            input: keyboard.fileHandleForReading)
    }

    /// All that was drawn.
    package var screen: String { run.out }
    /// What went to the standard output.
    package var out: String { (try? String(contentsOfFile: folder("out"), encoding: .utf8)) ?? "" }

    /// The command's own number.
    package var identifier: Int32 {
        let text = (try? String(contentsOfFile: folder("pid"), encoding: .utf8)) ?? ""
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    package func send(_ signal: Int32) throws {
        try #require(identifier > 0)
        kill(identifier, signal)
    }

    /// Waits until so much was drawn of the measurement that it has surely begun.
    package func waitUntilMeasuring() throws {
        try run.wait(until: "callbacks are counted") { screen.contains(" callbacks") }
    }

    package func type(_ keys: String) { keyboard.fileHandleForWriting.write(Data(keys.utf8)) }

    /// Ends the terminal, as a window that is closed does.
    package func close() { run.send(SIGKILL) }

    /// Has the terminal take nothing more, or go on.
    package func freeze(_ isFrozen: Bool) { run.send(isFrozen ? SIGSTOP : SIGCONT) }

    package func wait(until text: String) throws { try run.wait(until: text) { screen.contains(text) } }

    package func wait(until what: String, for pattern: Regex<some Any>) throws {
        try run.wait(until: what) { screen.contains(pattern) }
    }

    /// Waits until a measurement of ten seconds or more, or its warm-up, has run for two, as in "2.1 of 60.0 s".
    package func waitForTwoSeconds() throws {
        try run.wait(until: "two seconds have passed") { screen.contains(/\b[2-9]\.\d of \d+\.0 s/) }
    }

    /// Waits until a latency is shown, as in "256.000 frames".
    package func waitUntilHeard() throws {
        try run.wait(until: "a latency is shown") { screen.contains(/\d\.\d{3} frames\b/) }
    }

    /// As a shell has it: of a signal, 128 and its number.
    package func end() throws -> Int32 { try run.end() }
}
