import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit record --transport` and `iounit play --transport`, with JACK's own `jack_transport` at the transport.
@Suite("iounit with JACK's transport", .serialized, .ownServers) struct TransportTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// `jack_transport`, which takes a command a line.
    private final class Remote {
        private let program: CommandRun
        private let pipe = Pipe()

        init(on server: Server) throws {
            program = try CommandRun(
                [], program: "/usr/bin/jack_transport", environment: ["JACK_DEFAULT_SERVER": server.name],
                input: pipe.fileHandleForReading)
        }

        func tell(_ line: String) throws { try pipe.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder(name)) }

    /// A recorder that waits for the transport.
    private func record(_ name: String, from input: String, on server: Server, _ words: String...) throws -> CommandRun
    {
        let run = try CommandRun(
            [
                "record", "--transport", "--server", server.name, "--name", "ear", "--input", input, "--channels", "1",
                "--gaps", "cut", "--json", folder(name),
            ] + words)
        try run.wait(until: "it waits for the transport") { run.err.contains("waiting for JACK's transport") }
        return run
    }

    @Test func `each frame of a file is heard at its frame of the transport, and recorded with it`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let ramp = (0..<200_000).map { Float($0 + 1) / 1_048_576 }
        try SoundFile(sampleRate: 48000, channels: [ramp]).write(folder("ramp.wav"))
        let deck = try CommandRun([
            "play", "--transport", "--server", server.name, "--name", "deck", "--no-connect", "--json",
            folder("ramp.wav"),
        ])
        let watcher = try Client(name: "watcher", server: server.name)
        try deck.wait(until: "it is in the graph") { watcher.port(named: "deck:out_1") != nil }
        let ear = try record("take.wav", from: "^deck:out_1", on: server, "--repeat")
        let remote = try Remote(on: server)
        func wait(_ what: String, _ holds: (TransportPosition) -> Bool) throws {
            try ear.wait(until: what) { holds(watcher.transport) }
        }

        try remote.tell("locate 24000")
        try wait("the transport to be there") { $0.frame == 24_000 }
        try remote.tell("play")
        try wait("half a second of it") { $0.frame > 48_000 }
        try remote.tell("stop")
        try ear.wait(until: "it waits again") { ear.err.components(separatedBy: "waiting for JACK's").count == 3 }
        try remote.tell("locate 100000\nplay")
        try wait("the second take") { exists("take-2.wav") && $0.frame > 104_000 }
        try remote.tell("locate 4800")
        try wait("the third take") { exists("take-3.wav") && $0.frame > 8000 }
        try remote.tell("stop")
        try wait("the end of it") { !$0.isRolling }
        for run in [ear, deck] {
            run.send(SIGINT)
            #expect(try run.end() == -SIGINT, "\(run.err)")
        }

        let report = try object(ear.out)
        let files = try #require(report["files"] as? [[String: Any]])
        #expect(files[0]["transportFrame"] as? Int == 24_000)
        #expect(files[0]["takes"] as? Int == 3)
        var silentFrames = 0
        for (name, start) in [("take.wav", 24_000), ("take-2.wav", 100_000), ("take-3.wav", 4800)] {
            let all = try SoundFile(reading: folder(name)).channels[0]
            #expect(all.count > 1000)
            func isStray(_ index: Int) -> Bool { all[index] != 0 && all[index] != Float(start + index + 1) / 1_048_576 }
            // While the transport starts again behind a locate, the deck fades out, which is heard in the take before.
            // Behind that is silence, for as long as the deck's worker takes to open the file at the new place.
            let end = name == "take-2.wav" ? all.indices.first(where: isStray) ?? all.count : all.count
            let faded = (all[end...].lastIndex { $0 != 0 } ?? end) - end
            #expect(faded < 4800, "\(faded) of \(all.count)")
            let heard = all[..<end]
            silentFrames += heard.prefix(ramp.count - start).count { $0 == 0 }
            // What the player's worker had not read in time is silence, and what comes then is at its place.
            let strays = heard.indices.filter(isStray)
            #expect(strays.isEmpty, "\(name): \(strays.prefix(3))")
        }
        let played = try object(deck.out)
        #expect((played["playedFrames"] as? Int ?? 0) > 24_000)
        let underruns = try #require(played["underrunFrames"] as? Int)
        #expect(silentFrames <= underruns, "each take begins with the transport's first frame, and misses none")
    }

    @Test func `a recording ends when the transport stops, and its time reference is the transport's frame`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        let watcher = try Client(name: "watcher", server: server.name)
        let ear = try record("one.wav", from: "system:capture_1", on: server)
        let remote = try Remote(on: server)
        try remote.tell("locate 48123\nplay")
        try ear.wait(until: "it rolls") { watcher.transport.isRolling && watcher.transport.frame > 60_000 }
        try remote.tell("stop")
        #expect(try ear.end() == 0, "\(ear.err)")
        let (code, out, _) = try CommandRun.run("info", "--json", folder("one.wav"))
        #expect(code == 0 && out.contains("48123"), "\(out)")
        let files = try #require(try object(ear.out)["files"] as? [[String: Any]])
        #expect(files[0]["transportFrame"] as? Int == 48_123)
        #expect(files[0]["takes"] as? Int == 1)
    }
}
