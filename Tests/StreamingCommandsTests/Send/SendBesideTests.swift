import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns

/// `--send` beside a recording and beside the unit.
@Suite("What is sent beside something else", .serialized, .ownServers) struct SendBesideTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func sent(_ text: String) throws -> (targets: [[String: Any]], report: [String: Any]) {
        let report = try object(text)
        let sent = try #require(report["sent"] as? [String: Any])
        return (try #require(sent["targets"] as? [[String: Any]]), report)
    }

    @Test func `a recording and its listeners get the same to the bit`() throws {
        // Patient: each frame that is played is counted, however long the machine holds a client up.
        let server = try Listening.server()
        defer { server.stop() }
        let listener = try StreamListener(in: folder)
        let run = try CommandRun([
            "record", "--server", server.name, "--name", "ear", "--no-connect", "--json", "--send", listener.target,
            "--send", "file:\(folder("b.wav"))", folder("a.wav"),
        ])
        try run.wait(until: "all are reached") {
            [listener.target, "file:\(folder("b.wav"))"].allSatisfy { run.err.contains("sending to \($0) (") }
        }
        try NumberedFrames.file(frames: 50_000).write(folder("numbered.wav"))
        let player = try CommandRun(["play", "--server", server.name, "--output", "^ear:in_", folder("numbered.wav")])
        #expect(try player.end() == 0, "\(player.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        for sound in try [
            listener.heard(in: folder), SoundFile(reading: folder("b.wav")), SoundFile(reading: folder("a.wav")),
        ] {
            let numbers = NumberedFrames(in: sound)
            #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0)
        }
        let (targets, _) = try sent(run.out)
        #expect(targets.map { $0["codec"] as? String } == ["flac", "float"])
        #expect(targets.allSatisfy { $0["state"] as? String == "connected" && $0["lostPackets"] as? Int == 0 })
    }

    /// Of 64 channels two seconds wait for the target, and some megabytes in the kernel.
    @Test func `while a target stalls it loses packets, and the recording drops nothing and ends where it was to end`()
        throws
    {
        let listener = try StreamListener(in: folder, stalls: true)
        let run = try CommandRun.run(
            "record", "--dummy", "--channels", "64", "--seconds", "4", "--json", "--codec", "float", "--send",
            listener.target, folder("a.wav"))
        listener.kill()
        let (targets, report) = try sent(run.out)
        let lost = try #require((report["lostNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(try #require(targets[0]["lostPackets"] as? Int) > 0 || lost > 1, "\(run.out)")
        let files = try #require(report["files"] as? [[String: Any]])
        #expect(files[0]["frames"] as? Int == 4 * 48_000 && files[0]["droppedFrames"] as? Int == 0, "\(files)")
        #expect(run.code == 0 || run.err.contains("send to \(listener.target)"), "\(run.code) \(run.err)")
    }

    @Test(arguments: [
        ("tcp://127.0.0.1:1", 69, "nobody listens there"), ("tcp://no.such.host.invalid:9", 68, "resolved"),
    ])
    func `a target that is not there is told of, and ends neither a recording nor the unit`(
        target: String, code: Int, reason: String
    ) throws {
        let told = try CommandRun(["record", "--dummy", "--send", target, folder("told.wav")])
        try told.wait(until: "that it is tried again") { told.err.contains("it is tried again") }
        told.send(SIGINT)
        #expect(try told.end() == code && told.err.contains(reason), "\(told.err)")
        let record = try CommandRun.run(
            "record", "--dummy", "--seconds", "0.5", "--send", target, folder("a.wav"))
        #expect(record.code == code && record.out.contains("NOT REACHED"), "\(record.err)")
        #expect(record.err.contains(reason), "\(record.err)")
        #expect(try SoundFile(reading: folder("a.wav")).frames == 24_000)
        let monitor = try CommandRun.run("monitor", "--dummy", "--seconds", "0.5", "--json", "--send", target)
        #expect(monitor.code == code && monitor.err.contains(reason), "\(monitor.err)")
        let (targets, report) = try sent(monitor.out)
        #expect(targets[0]["state"] as? String == "connecting")
        #expect(try #require(report["seconds"] as? Double) > 0.4)
    }

    @Test func `what the unit plays is what it records and sends`() throws {
        let run = try CommandRun.run(
            "monitor", "--dummy", "--source", "noise", "--seconds", "1.5", "--record", folder("a.wav"), "--send",
            "file:\(folder("b.wav"))", "--json")
        #expect(run.code == 0, "\(run.err)")
        // A late cycle may have put silence between.
        func sound(_ name: String) throws -> [Float] {
            try SoundFile(reading: folder(name)).channels[0].filter { $0 != 0 }
        }
        let recorded = try sound("a.wav")
        let isSame = try sound("b.wav") == recorded
        #expect(isSame && recorded.count > 10_000)
        #expect(run.out.contains("\"state\" : \"connected\"") || run.out.contains("\"state\":\"connected\""))
    }

    @Test func `a file that is played is sent frame by frame, beside its recording`() throws {
        try NumberedFrames.file(frames: 50_000).write(folder("numbered.wav"))
        let run = try CommandRun.run(
            "play", "--dummy", "--json", "--send", "file:\(folder("sent.wav"))", "--record", folder("kept.wav"),
            folder("numbered.wav"))
        #expect(run.code == 0, "\(run.err)")
        for name in ["sent.wav", "kept.wav"] {
            let numbers = NumberedFrames(in: try SoundFile(reading: folder(name)))
            #expect(numbers.numbers == Array(1...50_000) && numbers.strays == 0, "\(name)")
        }
        #expect(try sent(run.out).targets.map { $0["state"] as? String } == ["connected"])
    }

    @Test func `its options have a meaning with it alone, and are read as those of send`() throws {
        for (option, value) in [("codec", "flac"), ("stream-rate", "16k"), ("sdp", "a.sdp"), ("bitrate", "96k")] {
            let error = #expect(throws: Failure.self) { try RecordOptions(["--\(option)", value, "a.wav"]) }
            #expect(error?.message.contains("needs --send") == true && error?.code == .usage)
            #expect(throws: Failure.self) { try MonitorOptions(["--\(option)", value]) }
        }
        let words = ["--send", "rtp://host:5004", "--send=tcp://host:1", "--frame", "10", "--file-rate", "44.1k"]
        let options = try RecordOptions(words + ["--stream-rate", "48k", "a.wav"])
        let stream = try #require(options.unit.parts[StreamOptions.self])
        #expect(stream.targets.map { "\($0)" } == ["rtp://host:5004", "tcp://host:1"])
        #expect(stream.streams.map(\.settings.codec) == [.opus, .flac])
        #expect(stream.streams.map(\.settings.sampleRate) == [48_000, 48_000] && options.settings.sampleRate == 44_100)
        for words in [
            ["--send", "host"], ["--send", "rtp://host:1", "--codec", "flac"], ["--send", "tcp://h:1", "--fec"],
        ] {
            #expect(throws: Failure.self) { try RecordOptions(words + ["a.wav"]) }
            #expect(throws: Failure.self) { try MonitorOptions(words) }
        }
    }
}
