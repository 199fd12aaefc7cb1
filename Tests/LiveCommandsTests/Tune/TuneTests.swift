import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import AudioMetering
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

/// `iounit tune` of files and on a server. How well it finds a pitch is AudioMetering's to test.
@Suite("iounit tune") struct TuneTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A tone with its octave and fifth above, which is in the end 7 cents flat of A4.
    private func file(_ hertz: Double = 438.22, seconds: Double = 1, sampleRate: Int = 48000) throws -> String {
        let samples = (0..<Int(seconds * Double(sampleRate))).map { frame -> Float in
            let phase = 2 * Double.pi * hertz * Double(frame) / Double(sampleRate)
            return Float(0.2 * sin(phase) + 0.1 * sin(2 * phase) + 0.05 * sin(3 * phase))
        }
        let path = folder("note.wav")
        try SoundFile(sampleRate: sampleRate, channels: [samples]).write(path)
        return path
    }

    @Test func `tells the note of a file of 1000 Hz, as of a stethoscope`() throws {
        let run = try CommandRun.run("tune", try file(110, sampleRate: 1000))
        #expect(run.code == 0 && run.out.hasPrefix("A2 "), "\(run.out)\(run.err)")
    }

    @Test func `tells the note of a file and its cents, and each tenth's in the JSON`() throws {
        let path = try file()
        let run = try CommandRun.run("tune", path)
        #expect(run.code == 0 && run.out.hasPrefix("A4 -7.0 cents (438.22 Hz)"), "\(run.out)\(run.err)")
        let report = try object(try CommandRun.run("tune", "--json", path).out)
        #expect(report["schema"] as? String == "iounit.tune/2" && report["file"] as? String == path)
        #expect(report["note"] as? String == "A4" && report["cents"] as? Double == -7)
        let readings = try #require(report["readings"] as? [[String: Any]])
        // Of a second: the first tenth has none yet.
        #expect(readings.count == 9)
        #expect(readings.dropFirst(2).allSatisfy { $0["note"] as? String == "A4" }, "\(readings)")
        let low = try object(try CommandRun.run("tune", "--json", "--a4", "415", path).out)
        #expect(low["note"] as? String == "A#4" && low["a4Hertz"] as? Double == 415)
    }

    @Test func `a note that is hardly flat is 0 cents off, without a sign`() {
        #expect(rounded(-0.04, 10).sign == .plus && rounded(-0.06, 10) == -0.1)
    }

    @Test func `says in one sentence why there is no pitch`() throws {
        let short = try CommandRun.run("tune", try file(seconds: 0.05))
        #expect(short.code == 0)
        #expect(short.out == "no pitch: 0.05 s are too short: it takes a little more than 0.1 s\n")
        var generator = SeededGenerator(seed: 1)
        let noise = folder("noise.wav")
        try SoundFile(sampleRate: 48000, channels: [generator.signal(count: 48000, magnitude: 0.5)]).write(noise)
        let run = try CommandRun.run("tune", noise)
        #expect(run.code == 0 && run.out.hasPrefix("no pitch: nothing in the sound repeats"), "\(run.out)")
    }

    @Test func `follows what another client plays, on a terminal`() throws {
        let path = try file(seconds: 60)
        let screen = try Screen("tune --dummy --name ear --json --no-connect", in: folder)
        try screen.wait(for: "no pitch")
        let title = screen.page
        let server = try #require(title.firstMatch(of: /iounit-[0-9]+[-0-9]*/).map { String($0.0) }, "\(title)")
        let player = try CommandRun(["play", "--server", server, "--output", "^ear:in_", path])
        try screen.wait(for: "•")
        // A block that a busy server left out disturbs it for a moment.
        try screen.run.wait(until: "all of it on one page", said: { screen.page }) {
            let page = screen.page
            return ["A4 -7.0 cents", "confidence 100 %", "438.2", "●"].allSatisfy(page.contains)
        }
        screen.type("q")
        #expect(try screen.run.end() == 0)
        player.send(SIGINT)
        _ = try player.end()
        let report = try screen.report()
        #expect(report["file"] is NSNull && report["droppedFrames"] as? Int == 0)
        #expect(report["note"] as? String == "A4")
    }

    /// As at the end of a source: the meter reads its last blocks when nobody looks any more.
    @Test(.privateServer()) func `what was heard behind the last look is told too`() throws {
        let options = try TuneOptions(["--server", PrivateServer.name])
        let session = try ListenSession(options.listen, TuneListener(reference: 440), server: nil)
        try session.start()
        try waitUntil("the meter has a reading") { session.meter.reading.seconds > 0 }
        session.run.leaveGraph()
        session.finish()
        session.run.finish()
        #expect(!session.log.all.isEmpty)
    }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)], [true, false])
    func `the page fits each window, and the note comes first`(_ size: (columns: Int, rows: Int), _ hasUnicode: Bool) {
        let reading = PitchReading(seconds: 1, hertz: 446.1, confidence: 0.97)
        let scene = RunScene(title: ["dummy", "48000 Hz"], meters: [LevelMeter()], elapsedSeconds: 12)
        let page = Page(columns: size.columns, rows: size.rows, hasColor: false, hasUnicode: hasUnicode, hasKeys: true)
        let lines = page.lines(scene, words: reading.words(reference: 440)) {
            page.picture(reading, [PitchReading](repeating: reading, count: 30), reference: 440, rows: $0)
        }
        #expect(
            lines.count <= size.rows && lines.allSatisfy { TerminalPages.columns(of: $0) < size.columns }, "\(lines)")
        #expect(lines.joined(separator: " ").contains("A4 +23.8"), "\(lines)")
        #expect(hasUnicode || lines.joined().allSatisfy(\.isASCII))
        if size.rows >= 16 { #expect(lines.joined().contains(hasUnicode ? "•••" : "***"), "\(lines)") }
    }

    @Test func `a tenth has the middle one of its pitches, where most of its readings have one`() {
        var log = TuneLog()
        let pitches: [Double?] = [440, nil, 441, 880, 442, nil, nil, nil, 443, 444]
        log.note(pitches.enumerated().map { PitchReading(seconds: 0.02 * Double($0 + 1), hertz: $1) })
        #expect(log.entries.map(\.hertz) == [442])
        #expect(log.all.map(\.hertz) == [442, nil])
    }

    @Test func `who asks each second gets the last minute, and the end has all`() {
        var log = TuneLog()
        // A second of 100 Hz, and then an hour of 440 Hz.
        log.note((1...50).map { PitchReading(seconds: 0.02 * Double($0), hertz: 100) })
        log.note((51...180_000).map { PitchReading(seconds: 0.02 * Double($0), hertz: 440) })
        let recent = TuneFigures(log.recent, reference: 440, file: nil, seconds: 3600)
        #expect(recent.readings.count == 601 && recent.lowestHertz == 440 && recent.seconds == 3600)
        #expect(recent.readings.last?.reading.seconds == 3600)
        let whole = TuneFigures(log, reference: 440, file: nil, seconds: 3600)
        #expect(whole.readings.count == 36_000 && whole.lowestHertz == 100 && whole.hertz == 440)
    }
}
