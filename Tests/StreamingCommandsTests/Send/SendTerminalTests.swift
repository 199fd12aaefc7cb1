import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import TerminalPages

/// `iounit send` on a terminal, with keys typed into it.
@Suite("iounit send on a terminal") struct SendTerminalTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)])
    func `the page is right in each window, and q ends it`(_ columns: Int, _ rows: Int) throws {
        let screen = try Screen(
            "send --dummy --json 'file:\(folder("a.wav"))' tcp://127.0.0.1:1", in: folder, columns: columns, rows: rows)
        try screen.wait(for: "● LIVE")
        let lines = screen.lines
        #expect(lines.count <= rows && lines.allSatisfy { TerminalPages.columns(of: $0) < columns }, "\(lines)")
        #expect(screen.page.contains("00:00:0"), "\(lines)")
        if rows >= 24 {
            try screen.wait(for: "B/s")
            try screen.wait(for: "1 of 2 reached")
            try screen.wait(for: "nobody listens there")
        }
        screen.type("q")
        // One of the targets was never reached.
        #expect(try screen.run.end() == 69)
        let targets = try #require(try screen.report()["targets"] as? [[String: Any]])
        #expect(targets.map { $0["state"] as? String } == ["connected", "connecting"])
    }
}
