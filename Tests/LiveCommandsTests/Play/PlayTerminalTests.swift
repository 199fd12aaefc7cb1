import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import TerminalPages

/// `iounit play` on a terminal, with keys typed into it.
@Suite("iounit play on a terminal") struct PlayTerminalTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, seconds: Double) throws -> String {
        let tone = sine(440, frames: Int(seconds * 48_000))
        try SoundFile(sampleRate: 48_000, channels: [tone, tone]).write(folder(name))
        return folder(name)
    }

    @Test func `keys pause, seek, raise, skip, go back, loop and quit`() throws {
        let (long, other) = (try file("long.wav", seconds: 60), try file("other.wav", seconds: 60))
        let screen = try Screen("play --dummy --json '\(long)' '\(other)'", in: folder)
        try screen.wait(for: "1/2 long.wav")
        screen.type(" ")
        try screen.wait(for: " PAUSE ")
        screen.type("\u{1b}[C\u{1b}[C\u{1b}OC")
        try screen.wait(until: "three steps on", for: /00:00:1[5-9]/)
        screen.type("\u{1b}[D")
        try screen.wait(until: "a step back", for: /00:00:1[0-4]/)
        screen.type("\u{1b}[D\u{1b}[D\u{1b}[D\u{1b}[D")
        try screen.wait(for: "00:00:00")
        screen.type("\u{1b}[B\u{1b}[B\u{1b}[B\u{1b}[A")
        try screen.wait(for: "gain -2.0 dB")
        screen.type("l")
        try screen.wait(for: " LOOP ")
        screen.type("n")
        try screen.wait(for: "2/2 other.wav")
        screen.type("\r")
        try screen.wait(for: "1/2 long.wav")
        screen.type("pp")
        try screen.wait(for: "1/2 long.wav")
        screen.type("l\u{1b}[1;5C\u{1b}[15~x ")
        try screen.run.wait(until: "it plays on") { !screen.page.contains("PAUSE") && !screen.page.contains("LOOP") }
        screen.type("q")
        #expect(try screen.run.end() == 0, "\(screen.run.out.suffix(500))")
        let report = try screen.report()
        #expect(report["gainDecibels"] as? Double == -2)
        #expect(screen.run.out.contains("\u{1b}[?25h\u{1b}[?1049l"))
    }

    @Test func `the next file behind the last one, and a step beyond its end, end the run`() throws {
        let path = try file("a.wav", seconds: 8)
        for key in ["n", "\u{1b}[C\u{1b}[C"] {
            let screen = try Screen("play --dummy --json '\(path)'", in: folder)
            try screen.wait(for: "a.wav")
            screen.type(key)
            #expect(try screen.run.end() == 0)
            #expect(try #require(try screen.report()["playedFrames"] as? Int) < 8 * 48_000)
        }
    }

    @Test func `the page is right in each window`() throws {
        let screen = try Screen("play --dummy '\(try file("tone.wav", seconds: 600))'", in: folder)
        try screen.wait(for: "▶")
        for (columns, rows) in [(80, 24), (20, 5), (40, 10), (60, 16), (200, 50)] {
            try screen.resize(columns: columns, rows: rows)
            let lines = screen.lines
            #expect(lines.count <= rows && lines.allSatisfy { TerminalPages.columns(of: $0) < columns }, "\(lines)")
            #expect(screen.page.contains("▶ tone.wav") && screen.page.contains("00:00:"), "\(lines)")
        }
        screen.type("q")
        #expect(try screen.run.end() == 0)
    }

    @Test func `where the sound comes through the standard input, keys come from the terminal`() throws {
        let path = try file("long.wav", seconds: 60)
        let screen = try Screen(
            "play --dummy - --json", in: folder, from: "cat '\(path)' |", environment: ["LC_ALL": "C"])
        try screen.wait(for: "standard input")
        screen.type("\u{1b}[A")
        try screen.wait(for: "gain +1.0 dB")
        screen.type("\u{1b}[C\u{1b}[D ")
        try screen.wait(for: " PAUSE ")
        #expect(screen.page.allSatisfy { $0.isASCII })
        screen.type("q")
        #expect(try screen.run.end() == 0)
        #expect(try #require(try screen.report()["playedFrames"] as? Int) < 60 * 48_000)
    }

    @Test func `what is wrong with a file is said behind the page, which would have been drawn over it`() throws {
        #expect(try CommandRun.run("convert", file("a.wav", seconds: 2), folder("a.flac")).code == 0)
        var bytes = try bytes(of: folder("a.flac"))
        bytes[bytes.count / 2] ^= 0x55
        try put(bytes, at: folder("a.flac"))
        let screen = try Screen("play --dummy '\(folder("a.flac"))' '\(try file("b.wav", seconds: 60))'", in: folder)
        try screen.wait(for: "2/2 b.wav")
        screen.type("q")
        #expect(try screen.run.end() == 65)
        let said = screen.run.out.ranges(of: "iounit: a.flac: it is damaged at frame")
        let end = try #require(screen.run.out.ranges(of: "\u{1b}[?1049l").last)
        #expect(said.count == 1 && said.allSatisfy { $0.lowerBound >= end.upperBound }, "\(screen.run.out.suffix(900))")
    }

    @Test func `in the background it shows no page, and in the foreground it does again`() throws {
        let path = try file("long.wav", seconds: 60)
        // A shell with control of its jobs, which goes on where one is stopped. What must not be drawn has a second to be drawn in.
        let screen = try Screen(
            "play --dummy '\(path)'; bg >&2; sleep 1; jobs >&2; echo IN FRONT >&2; fg >&2; true", in: folder,
            from: "set -m;")
        try screen.wait(for: "▶ long.wav")
        // However often it is pressed, it is done once.
        screen.type("\u{1a}\u{1a}")
        try screen.run.wait(until: "it is back") { screen.run.out.contains("IN FRONT") }
        let sent = screen.run.out
        let hidden = try #require(sent.ranges(of: "\u{1b}[?1049l").first?.upperBound)
        let back = try #require(sent.ranges(of: "IN FRONT").first?.lowerBound)
        let between = sent[hidden..<back]
        #expect(!between.contains("\u{1b}[") && between.contains("Running"), "\(between)")
        try screen.run.wait(until: "the page is there") {
            let sent = screen.run.out
            return sent.ranges(of: "IN FRONT").first.map { sent[$0.upperBound...].contains("▶ long.wav") } ?? false
        }
        screen.type("q")
        #expect(try screen.run.end() == 0)
    }

    @Test func `suspended, it leaves the graph, and goes on where it was`() throws {
        let path = try file("a.wav", seconds: 2)
        let run = try CommandRun(["play", "--dummy", "--json", path])
        try run.wait(until: "it plays") { run.err.contains("playing") }
        run.send(SIGTSTP)
        try run.wait(until: "it is stopped") { run.isStopped }
        run.send(SIGCONT)
        #expect(try run.end() == 0, "\(run.err)")
        let report = try object(run.out)
        #expect(report["playedFrames"] as? Int == 96_000)
        #expect(try #require(report["absentNanoseconds"] as? Double) > 0)
    }
}
