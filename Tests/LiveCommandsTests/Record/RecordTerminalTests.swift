import AudioFiles
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import TerminalPages

/// `iounit record` on a terminal, with keys typed into it.
@Suite("iounit record on a terminal") struct RecordTerminalTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `keys begin, split, mark, pause, go on and quit`() throws {
        let screen = try Screen(
            "record --dummy --preroll 0.2s --json '\(folder("a.wav"))' '\(folder("b.flac"))'", in: folder)
        try screen.wait(for: "waiting for the key space")
        screen.type("n")
        screen.type(" ")
        try screen.wait(for: "REC")
        try screen.wait(until: "a second of it", for: /00:00:(0[1-9]|[1-5]\d)/)
        screen.type("m")
        screen.type("n")
        try screen.wait(for: "2 files")
        screen.type("\u{1b}[A\u{1b}[D ")
        try screen.wait(for: " PAUSE ")
        screen.type(" ")
        try screen.run.wait(until: "it goes on") { screen.page.contains("REC") }
        screen.type("q")
        #expect(try screen.run.end() == 0, "\(screen.run.out.suffix(500))")
        let files = try #require(try screen.report()["files"] as? [[String: Any]])
        #expect(files.map { $0["frames"] as? Int }.allSatisfy { $0 == files[0]["frames"] as? Int })
        let list = try object(String(contentsOfFile: folder("a.wav.json"), encoding: .utf8))
        let marks = try #require(list["marks"] as? [[String: Any]])
        #expect(marks.map { $0["label"] as? String } == ["mark 1"])
        let segments = try #require(list["segments"] as? [[String: Any]])
        #expect(segments.map { $0["path"] as? String } == [folder("a.wav"), folder("a-2.wav")])
        // The same in both kinds, to the frame and to the bit.
        for (one, other) in [("a.wav", "b.flac"), ("a-2.wav", "b-2.flac")] {
            let (first, second) = (try SoundFile(reading: folder(one)), try SoundFile(reading: folder(other)))
            for (first, second) in zip(first.channels, second.channels) where first != second {
                let place = zip(first, second).enumerated().first { $1.0 != $1.1 }
                Issue.record("\(one) and \(other) differ from \(String(describing: place)) on, \(second.count) frames")
            }
            #expect(first.channels.count == second.channels.count)
        }
        #expect(try CommandRun.run("info", folder("a-2.wav")).out.contains("see \(folder("a.wav.json"))"))
    }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)])
    func `the page is right in each window`(_ columns: Int, _ rows: Int) throws {
        let screen = try Screen("record --dummy '\(folder("a.wav"))'", in: folder, columns: columns, rows: rows)
        try screen.wait(for: "● REC")
        let lines = screen.lines
        #expect(lines.count <= rows && lines.allSatisfy { TerminalPages.columns(of: $0) < columns }, "\(lines)")
        #expect(screen.page.contains("● REC") && screen.page.contains("00:00:0"), "\(lines)")
        screen.type("q")
        #expect(try screen.run.end() == 0)
    }
}
