import Foundation
import Glibc
import TestSupport
import Testing

/// A run on a terminal, with keys typed into it: it shows a page, which is the last one drawn.
package final class Screen {
    package let run: CommandRun
    private let keyboard = Pipe()
    private let out: String
    private let device: String
    /// What was shown when so much had been sent.
    private var shown: (bytes: Int, lines: [String]) = (-1, [])

    package init(
        _ words: String, in folder: TemporaryFolder, columns: Int = 80, rows: Int = 24, from pipe: String = "",
        environment: [String: String] = [:]
    ) throws {
        out = folder("out")
        device = folder("device")
        let script = folder("script.sh")
        try
            "tty > '\(device)'\nstty columns \(columns) rows \(rows)\n\(pipe) '\(CommandRun.program)' \(words) > '\(out)'\n"
            .write(toFile: script, atomically: true, encoding: .utf8)
        var full = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"]
        full.merge(environment) { $1 }
        run = try CommandRun(
            ["-qefc", "sh '\(script)'", "/dev/null"], program: "/usr/bin/script", environment: full,
            input: keyboard.fileHandleForReading)
    }

    package var page: String { lines.joined(separator: "\n") }

    /// What it shows after the last whole update: the last page that was drawn as a whole, and what has changed of it since.
    package var lines: [String] {
        // It is asked for again and again.
        let (bytes, sent) = run.lastOutput(200_000)
        if shown.bytes != bytes { shown = (bytes, lines(of: sent)) }
        return shown.lines
    }

    private func lines(of sent: Data) -> [String] {
        guard let end = sent.range(of: Data("\u{1b}[?2026l".utf8), options: .backwards),
            let begin = sent[..<end.lowerBound].range(of: Data(Self.wholePage.utf8), options: .backwards)
        else { return [] }
        var (lines, row, text, isPut): ([String], Int, String, Bool) = ([], 0, "", false)
        func move(to next: Int) { (row, text, isPut) = (next, "", false) }
        // Two kinds of ends in one text: as characters they are one. The terminal makes \r\r\n of what is sent.
        let drawn = String(decoding: sent[begin.upperBound..<end.lowerBound].filter { $0 != 13 }, as: UTF8.self)
        var rest = drawn.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1b}" else {
                if scalar == "\n" { move(to: row + 1) } else { text.unicodeScalars.append(scalar) }
                continue
            }
            let sequence = rest.prefix { !$0.properties.isAlphabetic }
            rest = rest.dropFirst(sequence.count)
            switch rest.popFirst() {
            case "H": move(to: (Int(String(sequence.dropFirst().prefix { $0 != ";" })) ?? 1) - 1)
            case "K":
                while lines.count <= row { lines.append("") }
                (lines[row], isPut) = (text, true)
            case "J": lines.removeLast(max(0, lines.count - (isPut ? row + 1 : row)))
            default: break
            }
        }
        return lines
    }

    /// How a page begins that is drawn as a whole.
    private static let wholePage = "\u{1b}[?2026h\u{1b}[H"

    /// All that was sent, from each whole page to the next one.
    package var pages: [Substring] {
        run.out.split(separator: Self.wholePage).dropFirst().filter { $0.contains("\u{1b}[?2026l") }
    }

    /// Makes its window another size, and waits until two pages were drawn as a whole: the first one may have been begun before.
    package func resize(columns: Int, rows: Int, _ location: SourceLocation = #_sourceLocation) throws {
        let device = try String(contentsOfFile: device, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let terminal = open(device, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(terminal >= 0, sourceLocation: location)
        defer { close(terminal) }
        // Both at once: stty sets one after the other, and a page may be drawn between them.
        var window = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal, UInt(TIOCSWINSZ), &window) == 0, sourceLocation: location)
        let before = pages.count
        try run.wait(until: "pages of the new size", location) { pages.count > before + 1 }
    }

    package func type(_ keys: String) { keyboard.fileHandleForWriting.write(Data(keys.utf8)) }
    package func wait(
        for text: String, within seconds: Double = 20, _ location: SourceLocation = #_sourceLocation
    ) throws {
        try run.wait(until: "\(text) on the page", within: seconds, location, said: { self.page }) {
            page.contains(text)
        }
    }
    package func wait(until what: String, for pattern: Regex<some Any>, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        try run.wait(until: what, location, said: { self.page }) { page.contains(pattern) }
    }
    package func report() throws -> [String: Any] { try object(String(contentsOfFile: out, encoding: .utf8)) }
}
