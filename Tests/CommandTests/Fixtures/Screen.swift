import Foundation
import TestSupport
import Testing

/// A run on a terminal, with keys typed into it: it shows a page, which is the last one drawn.
final class Screen {
    let run: CommandRun
    private let keyboard = Pipe()
    private let out: String

    init(
        _ words: String, in folder: TemporaryFolder, columns: Int = 80, rows: Int = 24, from pipe: String = "",
        environment: [String: String] = [:]
    ) throws {
        out = folder("out")
        let script = folder("script.sh")
        try "stty columns \(columns) rows \(rows)\n\(pipe) '\(CommandRun.program)' \(words) > \(out)\n"
            .write(toFile: script, atomically: true, encoding: .utf8)
        var full = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"]
        full.merge(environment) { $1 }
        run = try CommandRun(
            ["-qefc", "sh \(script)", "/dev/null"], program: "/usr/bin/script", environment: full,
            input: keyboard.fileHandleForReading)
    }

    var page: String {
        // The last one may not be whole yet.
        let pages = String(run.out.suffix(40_000)).components(separatedBy: "\u{1b}[H")
        return pages.count > 2 ? pages[pages.count - 2].replacing(/\x{1b}\[[0-9;?]*[A-Za-z]/, with: "") : ""
    }

    var lines: [String] {
        // Two kinds of ends in one text: as characters they are one.
        String(page.unicodeScalars.filter { $0 != "\r" }).components(separatedBy: "\n")
    }

    func type(_ keys: String) { keyboard.fileHandleForWriting.write(Data(keys.utf8)) }
    func wait(for text: String, _ location: SourceLocation = #_sourceLocation) throws {
        try run.wait(until: "\(text) on the page", location) { page.contains(text) }
    }
    func report() throws -> [String: Any] { try object(String(contentsOfFile: out, encoding: .utf8)) }
}
