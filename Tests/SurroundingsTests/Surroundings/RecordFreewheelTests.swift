import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("iounit record on a server that freewheels", .serialized, .ownServers) struct RecordFreewheelTests {
    @Test func `with pre-roll and splits loses no frame, and the files are one sound`() throws {
        var configuration = ServerConfiguration()
        configuration.isSync = true
        // The numbers go on behind the freewheeling, where a busy machine may hold one of the two up.
        configuration.isPatient = true
        configuration.periodFrames = 1024
        let server = try Server(configuration)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let client = try ForeignProgram("feeder.py", [server.name, folder("heard")])
        let run = try CommandRun([
            "record", "--server", server.name, "--name", "ear", "--input", "^feeder:", "--preroll", "10s", "--split",
            "20s",
            "--json", folder("a.wav"), folder("b.caf"),
        ])
        try run.wait(until: "it waits") { run.err.contains("waiting for the key space") }
        try waitUntil("it is connected") { try connections("ear", on: server.name).count == 2 }
        _ = try client.tell("freewheel 960000")
        run.send(SIGUSR2)
        try run.wait(until: "it has begun") { run.err.contains("recording") }
        _ = try client.tell("freewheel 3000000")
        _ = try client.tell("rest 9600")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
        try client.end()

        let entries = try #require(try object(run.out)["files"] as? [[String: Any]])
        for entry in entries {
            #expect(entry["droppedFrames"] as? Int == 0 && entry["error"] is NSNull)
            let paths = try #require(entry["segments"] as? [String])
            #expect(paths.count >= 4)
            let files = try paths.map { try SoundFile(reading: $0) }
            #expect(files.dropLast().allSatisfy { $0.frames == 960_000 })
            let whole = SoundFile(
                sampleRate: 48_000, channels: (0...1).map { channel in files.flatMap { $0.channels[channel] } })
            let frames = NumberedFrames(in: whole)
            #expect(frames.halves == 0 && frames.strays == 0 && frames.skips == 0)
            #expect(frames.numbers.count >= 3_000_000)
            let list = try object(String(contentsOfFile: "\(paths[0]).json", encoding: .utf8))
            let takes = try #require(list["takes"] as? [[String: Any]])
            #expect(takes.first?["cause"] as? String == "request")
            // What a busy server misses between the freewheeling and the signal is part of the seconds before.
            let gaps = try #require(list["gaps"] as? [[String: Any]])
            let missing = gaps.reduce(0) { $0 + ($1["lengthFrames"] as? Int ?? 0) }
            let frame = try #require(takes.first?["frame"] as? Int)
            #expect((480_000...(480_000 + missing)).contains(frame), "\(gaps)")
        }
    }
}
