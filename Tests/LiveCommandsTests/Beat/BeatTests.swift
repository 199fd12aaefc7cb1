import CommandTestSupport
import Foundation
import TestSupport
import Testing

@testable import AudioMetering
@testable import LiveCommands
@testable import LiveRuns
@testable import TerminalPages

/// `iounit beat` of files and on a server. How well it counts is AudioMetering's to test.
@Suite("iounit beat") struct BeatTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A heart of 75 beats a minute, in soft noise.
    private func heart(seconds: Int = 14, sampleRate: Int = 8000, period: Double = 0.8) -> [Float] {
        var generator = SeededGenerator(seed: 75)
        return (0..<seconds * sampleRate).map { frame in
            let time = Double(frame) / Double(sampleRate)
            func stroke(_ start: Double, _ hertz: Double) -> Double {
                let place = (time.truncatingRemainder(dividingBy: period) - start - 0.06) / 0.025
                return exp(-place * place / 2) * sin(2 * .pi * hertz * time)
            }
            let sound = 0.5 * stroke(0.1, 45) + 0.3 * stroke(0.1 + min(0.31, 0.55 * period), 60)
            return Float(sound) + Float.random(in: -0.005...0.005, using: &generator)
        }
    }

    private func file(_ samples: [Float], sampleRate: Int = 8000) throws -> String {
        let path = folder("heart.wav")
        try SoundFile(sampleRate: sampleRate, channels: [samples]).write(path)
        return path
    }

    @Test func `tells the rate of a file, and each second's in the JSON`() throws {
        let path = try file(heart())
        let run = try CommandRun.run("beat", path)
        #expect(run.code == 0 && run.out.hasPrefix("75.0 beats per minute"), "\(run.out)\(run.err)")
        let report = try object(try CommandRun.run("beat", "--json", path).out)
        #expect(report["schema"] as? String == "iounit.beat/2" && report["file"] as? String == path)
        #expect(report["beatsPerMinute"] as? Double == 75 && report["givenShare"] as? Double == 1)
        let readings = try #require(report["readings"] as? [[String: Any]])
        #expect(readings.count == 14)
        #expect(readings.prefix(9).allSatisfy { $0["absence"] as? String == "tooShort" })
        #expect(
            readings.dropFirst(9).allSatisfy { $0["absence"] is NSNull && ($0["confidence"] as? Double ?? 0) > 0.8 })
    }

    @Test func `reads what a stethoscope of 1000 Hz has recorded`() throws {
        let run = try CommandRun.run("beat", try file(heart(sampleRate: 1000), sampleRate: 1000))
        #expect(run.code == 0 && run.out.hasPrefix("75.0 beats per minute"), "\(run.out)\(run.err)")
    }

    @Test func `tells both rates where one above 200 a minute fits as well as its half, and no number`() throws {
        let path = try file(heart(period: 60 / 220))
        let run = try CommandRun.run("beat", path)
        #expect(run.code == 0 && run.out.hasPrefix("no heartbeats: 110 or 220 a minute, both fit"), "\(run.out)")
        let report = try object(try CommandRun.run("beat", "--json", path).out)
        #expect(report["beatsPerMinute"] is NSNull)
        let last = try #require((report["readings"] as? [[String: Any]])?.last)
        #expect(last["absence"] as? String == "ambiguous" && last["beatsPerMinute"] is NSNull)
        #expect(abs((last["slowerBeatsPerMinute"] as? Double ?? 0) - 110) < 1)
        #expect(abs((last["fasterBeatsPerMinute"] as? Double ?? 0) - 220) < 2)
        #expect((last["slowerStrength"] as? Double ?? 0) > 0.5 && (last["fasterStrength"] as? Double ?? 0) > 0.5)
    }

    @Test func `says in one sentence why there is no number`() throws {
        let short = try CommandRun.run("beat", "--seconds", "5", try file(heart()))
        #expect(short.code == 0 && short.out == "no heartbeats: 5.0 s are too short: it takes 10 s\n")
        let silence = try CommandRun.run("beat", try file([Float](repeating: 0, count: 96_000)))
        #expect(silence.code == 0 && silence.out.contains("silence; is the microphone connected?"))
        let speech = folder("speech.wav")
        let text = String(repeating: "Hold the microphone to the chest, and keep quiet for a while. ", count: 4)
        try #require(
            try CommandRun.tool("espeak-ng", "-w", speech, text).code == 0,
            "espeak-ng is needed: run Tools/setup --tests")
        let spoken = try CommandRun.run("beat", speech)
        #expect(spoken.code == 0 && spoken.out.contains("there are other sounds"), "\(spoken.out)")
    }

    @Test func `gives the same reason each time, also where two were given as often`() {
        let reasons = HeartbeatReading.Absence.allCases.filter { $0 != .tooShort }
        for (number, first) in reasons.enumerated() {
            for second in reasons[(number + 1)...] {
                var log = BeatLog()
                for index in 0..<4 {
                    log.note(HeartbeatReading(index % 2 == 0 ? second : first), atSeconds: Double(index + 1))
                }
                #expect(log.usualAbsence == first, "\(first) and \(second)")
                log.note(HeartbeatReading(second), atSeconds: 5)
                #expect(log.usualAbsence == second)
            }
        }
        #expect(BeatLog().usualAbsence == nil)
    }

    @Test func `counts what another client plays, on a terminal`() throws {
        let path = try file(heart(seconds: 60))
        let screen = try Screen("beat --dummy --name chest --json --no-connect", in: folder)
        try screen.wait(for: "listening; it takes 10 s")
        let title = screen.page
        let server = try #require(title.firstMatch(of: /iounit-[0-9]+[-0-9]*/).map { String($0.0) }, "\(title)")
        let player = try CommandRun(["play", "--server", server, "--output", "^chest:in_", path])
        // Ten seconds of sound make a number, and ten more where the server has lost some of them.
        try screen.wait(for: "75.0 beats per minute", within: 60)
        #expect(screen.page.contains("▲") && screen.page.contains("confidence"))
        screen.type("q")
        #expect(try screen.run.end() == 0)
        player.send(SIGINT)
        _ = try player.end()
        let report = try screen.report()
        #expect(report["file"] is NSNull && report["droppedFrames"] as? Int == 0)
        #expect(abs(try #require(report["highestBeatsPerMinute"] as? Double) - 75) <= 1)
    }

    @Test(arguments: [(20, 5), (40, 10), (60, 16), (80, 24), (200, 50)], [true, false])
    func `the page fits each window, and the number comes first`(_ size: (columns: Int, rows: Int), _ hasUnicode: Bool)
    {
        var reading = HeartbeatReading()
        reading.absence = nil
        reading.beatsPerMinute = 72.34
        reading.confidence = 0.81
        reading.beats = [3.1, 3.9]
        let levels = (0..<1200).map { Float(abs(sin(Double($0) / 40))) }
        let scene = RunScene(title: ["dummy", "48000 Hz"], meters: [LevelMeter()], elapsedSeconds: 12)
        let trace = HeartbeatMeter.Trace(levels: levels, endSeconds: 6, reading: reading)
        let page = Page(columns: size.columns, rows: size.rows, hasColor: false, hasUnicode: hasUnicode, hasKeys: true)
        let lines = page.lines(scene, words: reading.words) { page.wave(trace, rows: $0) }
        #expect(
            lines.count <= size.rows && lines.allSatisfy { TerminalPages.columns(of: $0) < size.columns }, "\(lines)")
        #expect(lines.joined(separator: " ").contains("72.3"), "\(lines)")
        #expect(hasUnicode || lines.joined().allSatisfy(\.isASCII))
        if size.rows >= 16 { #expect(lines.joined().contains(hasUnicode ? "▲" : "^"), "\(lines)") }
    }
}
