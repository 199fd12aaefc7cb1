import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@testable import CommandSyntax
@testable import LiveCommands
@testable import LiveRuns

/// `iounit monitor --midi`, and a controller on the same server: a program in Python.
@Suite("iounit monitor --midi", .serialized, .ownServers) struct MIDITests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// A controller: waits until it is connected both ways and has heard one message, sends its own, and ends when it has heard another.
    private static let controller = """
        import jack, queue, sys, time
        client = jack.Client('controller', servername=sys.argv[1])
        sender, hearer = client.midi_outports.register('out'), client.midi_inports.register('in')
        waiting, heard = queue.Queue(), queue.Queue()
        @client.set_process_callback
        def process(frames):
            sender.clear_buffer()
            for _, data in hearer.incoming_midi_events():
                heard.put(bytes(data).hex())
            while not waiting.empty():
                for message in waiting.get():
                    sender.write_midi_event(0, message)
        deadline = time.monotonic() + 60
        with client:
            while not (client.get_all_connections(sender) and client.get_all_connections(hearer)):
                assert time.monotonic() < deadline, 'not connected'
                time.sleep(0.01)
            def hear(last):
                message = None
                while message != last:
                    message = heard.get(timeout=deadline - time.monotonic())
                    print(message, flush=True)
            hear(sys.argv[2])
            # All in one cycle: the answer to one of them may be what it ends at.
            waiting.put([bytes.fromhex(word) for word in sys.argv[4:]])
            hear(sys.argv[3])
        """

    private func control(
        _ server: Server, after first: String, until last: String, _ messages: String...
    ) throws -> [String] {
        let run = try CommandRun(
            ["-c", Self.controller, server.name, first, last] + messages, program: "/usr/bin/python3")
        #expect(try run.end(within: 90) == 0, "\(run.err)")
        return run.out.split(separator: "\n").map(String.init)
    }

    @Test func `a controller that comes later is connected, told where all stands, and moves it`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        let lines = ["gain = 1/cc7+39", "drive = 1/cc16 offset", "shape = 2/note36", "bypass = 1/cc41 toggle"]
        try lines.joined(separator: "\n").write(toFile: folder("iounit/midi"), atomically: true, encoding: .utf8)
        let monitor = try CommandRun(
            [
                "monitor", "--server", server.name, "--midi", "--midi-port", "^controller:", "--no-connect", "--json",
                "--gain", "12",
            ], environment: ["XDG_CONFIG_HOME": folder.path])
        let watcher = try Client(name: "watcher", server: server.name)
        try monitor.wait(until: "its ports are there") { watcher.port(named: "iounit:midi_out") != nil }

        let heard = try control(
            server, after: "b02900", until: "b0297f", "f8", "f00102f7", "077f", "b007", "b00700", "b02700", "b01043",
            "912440", "912400",
            "b0297f", "b02900")
        #expect(Array(heard.prefix(2)) == ["b0077f", "b0277f"], "a motor fader at its upper end, for 12 dB")
        #expect(heard.contains("b02900") && heard.contains("b01000"), "the lamp is off, and the ring at its lower end")
        #expect(heard.last == "b0297f", "the button's lamp")
        monitor.send(SIGINT)
        #expect(try monitor.end() == -SIGINT, "\(monitor.err)")

        let report = try object(monitor.out)
        let unit = try #require(report["unit"] as? [String: Any])
        #expect(unit["gainDecibels"] as? Double == -60)
        #expect(unit["driveDecibels"] as? Double == (48.0 / 127 * 3 * 1000).rounded() / 1000)
        #expect(unit["shape"] as? String != "off" && unit["bypass"] as? Bool == true)
        let midi = try #require(report["midi"] as? [String: Any])
        #expect(midi["mappings"] as? Int == 4 && midi["received"] as? Int == 7)
        #expect(midi["ignored"] as? Int == 2 && midi["malformed"] as? Int == 2)
        #expect(midi["dropped"] as? Int == 0 && midi["unsent"] as? Int == 0)
    }

    @Test func `a controller moves a recording's gain, pauses it, and goes on in the next file`() throws {
        let server = try Listening.server()
        defer { server.stop() }
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        let lines = ["gain = 1/cc7", "gain = 1/cc8", "split = 2/note36", "record = 2/note37", "gian = 1/cc9"]
        try lines.joined(separator: "\n").write(toFile: folder("iounit/midi"), atomically: true, encoding: .utf8)
        let record = try CommandRun(
            [
                "record", folder("take.wav"), "--server", server.name, "--midi", "--midi-port", "^controller:",
                "--no-connect", "--json",
            ], environment: ["XDG_CONFIG_HOME": folder.path])
        let watcher = try Client(name: "watcher", server: server.name)
        try record.wait(until: "its ports are there") { watcher.port(named: "iounit:midi_out") != nil }

        let moved = try control(server, after: "91257f", until: "b00800", "912440", "912400", "b00700")
        #expect(moved.contains("b0076a") && moved.contains("b0086a"), "motor faders at 0 dB")
        _ = try control(server, after: "91257f", until: "912500", "912540", "912500")
        record.send(SIGINT)
        #expect(try record.end() == -SIGINT, "\(record.err)")
        let report = try object(record.out)
        #expect(report["gainDecibels"] as? Double == -60)
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect((file["segments"] as? [String])?.count == 2)
        let midi = try #require(report["midi"] as? [String: Any])
        #expect(midi["mappings"] as? Int == 5 && midi["idleMappings"] as? Int == 1)
        #expect(midi["received"] as? Int == 5 && midi["dropped"] as? Int == 0)
    }

    @Test func `a file of mappings that says nothing ends the run before it begins`() throws {
        try FileManager.default.createDirectory(atPath: folder("iounit"), withIntermediateDirectories: true)
        try "gain = 1/cc200\n".write(toFile: folder("iounit/midi"), atomically: true, encoding: .utf8)
        let (code, out, err) = try CommandRun.run(
            "monitor", "--dummy", "--midi", environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(code == 78 && out.isEmpty && err.contains("midi:1: a source is CHANNEL/"), "\(err)")
    }

    @Test func `a pattern that is none ends the run before it begins`() throws {
        let (code, out, err) = try CommandRun.run(
            "monitor", "--dummy", "--midi", "--midi-port", "[", "--record", folder("take.wav"))
        #expect(code == 64 && out.isEmpty && err.contains("\"[\""), "\(code) \(err)")
        #expect(!FileManager.default.fileExists(atPath: folder("take.wav")))
    }

    @Test func `options of MIDI need it`() {
        func refusal(_ words: String...) -> String? {
            do throws(Failure) {
                _ = try MonitorOptions(words)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(refusal("--midi") == nil && refusal("--midi", "--midi-port", "none") == nil)
        #expect(refusal("--midi-port", "nano")?.contains("--midi-port needs --midi") == true)
        #expect(refusal("--midi", "--midi-port", "")?.contains("pattern") == true)
    }
}
