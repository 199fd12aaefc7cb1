import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// What is reported when a server goes away, and stays away or comes back with another configuration.
@Suite("A recording run without its server", .serialized, .ownServers)
struct OutageTests {
    private let host: Succession

    init() throws { host = try Succession() }

    private func gaps(_ monitor: RecordingRun) throws -> [[String: Any]] {
        try #require(monitor.sidecar["gaps"] as? [[String: Any]])
    }

    @Test func `ends with 69 where the server is not back in time, and counts the outage to the end`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "auto", "--seconds", "5", "--gaps", "silence"])
        try host.end(by: SIGKILL)
        let report = try monitor.end(69)
        #expect(monitor.run.err.contains("went away") && monitor.run.err.contains("did not come back in time"))
        #expect(report["endedWithoutServer"] as? Bool == true && report["resets"] as? Int == 0)
        let seconds = try #require(report["seconds"] as? Double)
        let absent = try #require((report["absentNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(seconds > 2.5 && absent > 0.5 && absent < seconds)
        #expect(abs(try unaccounted(report)) < 0.1)
        let recorded = try #require(report["recorded"] as? [String: Any])
        let last = try #require(try gaps(monitor).last)
        #expect(last["cause"] as? String == "reset")
        #expect(abs(try #require((last["lengthNanoseconds"] as? NSNumber)?.doubleValue) / 1e9 - absent) < 0.05)
        #expect(last["filledFrames"] as? Int == last["lengthFrames"] as? Int)
        let filled = try #require((recorded["filledNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(filled >= absent - 0.05)
        #expect(abs(Double(try SoundFile(reading: monitor.path).frames) / 48000 - seconds) < 0.2)
    }

    @Test func `has its own name again where another of the same name is back later`() throws {
        let (first, second) = (try RecordingRun(on: host.name), try RecordingRun(on: host.name))
        first.run.send(SIGSTOP)
        try host.end(by: SIGKILL)
        try host.startAgain()
        try waitUntil("the second is back") { try !connections("iounit-01", on: host.name).isEmpty }
        first.run.send(SIGCONT)
        try waitUntil("the first is back") { try !connections("iounit", on: host.name).isEmpty }
        _ = try (first.end(by: SIGINT), second.end(by: SIGINT))
    }

    @Test func `says once that the server went away where it does not wait for it`() throws {
        let run = try CommandRun(["monitor", "--server", host.name, "--source", "tone"])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        try host.end(by: SIGKILL)
        #expect(try run.end() == 69)
        let told = run.err.components(separatedBy: "the JACK server went away").dropFirst()
        #expect(told.count == 1 && told.first?.hasSuffix("; start it and run iounit again\n") == true, "\(run.err)")
        // The run did not wait for another server, so the line tells no time without one.
        #expect(run.out.contains("  the server went away, and the sound did not go on\n"), "\(run.out)")
    }

    /// What a page is shown at this moment, in its third message: the first may be older. And the loudness of the last 0.4 s, as OSC
    /// has it.
    private func seen(_ run: CommandRun) throws -> (scene: [String: Any], loudness: Double) {
        let page = try String(#require(run.err.firstMatch(of: /the page is at http:\/\/(\S+)\//)).1)
        let script = """
            import json, socket, struct, sys
            host, port = sys.argv[1].split(":")
            page = socket.create_connection((host, int(port)), 10)
            page.sendall((f"GET /live HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nUpgrade: websocket\\r\\n"
                "Connection: Upgrade\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n"
                "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Protocol: iounit.live.1\\r\\n\\r\\n").encode())
            file = page.makefile("rb")
            while file.readline() not in (b"\\r\\n", b""): pass
            for _ in range(3):
                text, is_last = b"", False
                while not is_last:
                    kind, length = file.read(2)
                    is_last, length = kind & 128, length & 127
                    if length == 126: length = struct.unpack(">H", file.read(2))[0]
                    if length == 127: length = struct.unpack(">Q", file.read(8))[0]
                    text += file.read(length)
            osc = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            osc.settimeout(10)
            name = b"/iounit/loudness/momentary"
            osc.sendto(name.ljust(len(name) // 4 * 4 + 4, b"\\0") + b",\\0\\0\\0", ("127.0.0.1", int(sys.argv[2])))
            print(json.dumps([json.loads(text), struct.unpack(">f", osc.recv(1000)[-4:])[0]]))
            """
        let told = try CommandRun.tool("python3", "-c", script, page, "\(run.portOfOSC())")
        let both = try #require(
            try JSONSerialization.jsonObject(with: Data(told.out.utf8)) as? [Any], "\(told.err)")
        return (try #require(both.first as? [String: Any]), try #require(both.last as? Double))
    }

    @Test func `shows no figure of the moment while it is gone`() throws {
        let run = try CommandRun([
            "monitor", "--server", host.name, "--reconnect", "auto", "--source", "tone", "--serve=127.0.0.1:0", "--osc",
            "0",
        ])
        try run.wait(until: "the first line of the log") { run.err.contains("  interval ") }
        let url = try String(#require(run.err.firstMatch(of: /the page is at (\S+)/)).1)
        func metrics() throws -> String { try CommandRun.tool("curl", "-s", "-m", "10", url + "metrics").out }
        // It is published each second.
        try run.wait(until: "the load is there") { ((try? metrics()) ?? "").contains("iounit_load_ratio ") }
        func sound(_ scene: [String: Any]) throws -> (scope: [Int], spectrum: [Int]) {
            let scope = try #require(scene["scope"] as? [String: Any])
            let spectrum = try #require(scene["spectrum"] as? [String: Any])
            return (try #require(scope["samples"] as? [Int]), try #require(spectrum["bands"] as? [Int]))
        }
        let before = try seen(run)
        #expect(try sound(before.scene).scope.contains { $0 != 0 } && before.loudness > -70, "\(before)")
        #expect(try sound(before.scene).spectrum.contains { $0 > -60 })
        try host.end(by: SIGKILL)
        try run.wait(until: "a line without them") {
            let last = run.err.split(separator: "\n").last { $0.hasSuffix("the JACK server is gone; waiting for it") }
            return last.map { !$0.contains("  interval ") && !$0.contains("  load ") } ?? false
        }
        try run.wait(until: "the load is not there") {
            let text = (try? metrics()) ?? ""
            return text.contains("iounit_page_viewers ") && !text.contains("load_ratio")
        }
        let after = try seen(run)
        #expect(after.scene["state"] as? String == "interrupted" && after.loudness == -200, "\(after)")
        #expect(try sound(after.scene).scope.isEmpty && sound(after.scene).spectrum.isEmpty)
        run.send(SIGINT)
        _ = try run.end()
    }

    @Test func `has a silent picture while it is gone`() throws {
        let folder = try TemporaryFolder()
        let screen = try Screen("monitor --server \(host.name) --source tone:440 --reconnect auto", in: folder)
        try screen.wait(for: "load ")
        // Waveform, oscilloscope, bands, spectrum.
        screen.type("vvvv")
        try screen.wait(for: "peak 4")
        try host.end(by: SIGKILL)
        try screen.run.wait(until: "the trouble and silence", said: { screen.page }) {
            screen.page.contains("the JACK server is gone; waiting for it") && screen.page.contains("silent")
        }
        screen.type("q")
        _ = try screen.run.end()
    }

    @Test func `shows no pitch while nothing is heard`() throws {
        let folder = try TemporaryFolder()
        let screen = try Screen("tune --server \(host.name) --source tone:440 --reconnect auto --json", in: folder)
        try screen.wait(for: "A4")
        try host.end(by: SIGKILL)
        try screen.run.wait(until: "the trouble and no pitch", said: { screen.page }) {
            screen.page.contains("the JACK server is gone; waiting for it") && !screen.page.contains("A4")
        }
        screen.type("q")
        _ = try screen.run.end()
    }

    @Test func `says so in the summary`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun([
            "monitor", "--server", host.name, "--reconnect", "auto", "--reconnect-limit", "0.7", "--record",
            folder("a.wav"),
        ])
        try run.wait(until: "a second of it") { run.err.contains("  peak ") }
        try host.end(by: SIGKILL)
        #expect(try run.end() == 69)
        let words = /the server went away, and the sound did not go on: \d+\.\d{3} s without it/
        #expect(run.out.contains(words), "\(run.out)")
        #expect(run.out.contains(/\d gaps?, \d+\.\d s of silence filled in/), "\(run.out)")
    }

    @Test func `that is asked for consent and gets none ends with 69 and says why`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "ask", "--seconds", "8"])
        try host.end(by: SIGKILL)
        try host.startAgain()
        try monitor.wait(until: "waits to be resumed")
        let report = try monitor.end(69)
        #expect(monitor.run.err.contains("nobody let the sound go on"), "\(monitor.run.err)")
        #expect(report["endedWithoutServer"] as? Bool == true)
        #expect(abs(try unaccounted(report)) < 0.1)
    }

    @Test func `that is interrupted meanwhile counts the outage as well`() throws {
        let monitor = try RecordingRun(on: host.name)
        try host.end(by: SIGKILL)
        try monitor.wait(until: "the server is gone")
        usleep(600_000)
        let report = try monitor.end(by: SIGINT)
        #expect(try #require((report["absentNanoseconds"] as? NSNumber)?.doubleValue) > 0.6e9)
        #expect(abs(try unaccounted(report)) < 0.1)
        #expect(try gaps(monitor).last?["cause"] as? String == "reset")
    }

    @Test func `that gives up in time counts up to there`() throws {
        let monitor = try RecordingRun(on: host.name, ["--reconnect", "auto", "--reconnect-limit", "0.7"])
        try host.end(by: SIGKILL)
        let report = try monitor.end(69)
        #expect(try #require((report["absentNanoseconds"] as? NSNumber)?.doubleValue) > 0.65e9)
        #expect(abs(try unaccounted(report)) < 0.1)
    }

    @Test(arguments: [("opus", 44100), ("mp3", 96000)])
    func `goes on in its file, converted, where no such file has the new rate, and says so once`(
        _ kind: String, _ rate: Int
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder("take.\(kind)")
        let run = try CommandRun([
            "monitor", "--server", host.name, "--reconnect", "auto", "--source", "tone", "--record", path, "--json",
        ])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        var other = ServerConfiguration()
        other.sampleRate = rate
        var known = 0
        for configuration in [other, ServerConfiguration()] {
            try host.end(by: SIGTERM)
            try host.startAgain(configuration)
            known += 1
            try run.wait(until: "it is back") {
                run.err.components(separatedBy: "in the graph again").count > known
            }
            let seen = run.err.components(separatedBy: "  peak ").count
            try run.wait(until: "more of the log") { run.err.components(separatedBy: "  peak ").count > seen + 1 }
        }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        let notices = run.err.components(separatedBy: "converted to its rate").count - 1
        #expect(notices == 1, "\(run.err)")
        let report = try object(run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(recorded["droppedFrames"] as? Int == 0 && recorded["segments"] as? [String] == [path])
        #expect((recorded["conversionReason"] as? String)?.contains("\(rate) hertz") == true)
        // Each second of it is there, at the file's rate.
        let seconds = try #require(report["seconds"] as? Double)
        let frames = try #require(recorded["frames"] as? Int)
        #expect(abs(Double(frames) / 48000 - seconds) < 0.2, "\(frames) frames of \(seconds) s")
        let sound = try SoundFile(reading: path)
        #expect(abs(sound.frames - frames) < 48000 / 5)
        // And the tone is heard to the end.
        #expect(sound.channels[0].suffix(9600).contains { abs($0) > 0.1 })
    }

    @Test func `counts silence in seconds at the rate of the file that it is in`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun([
            "monitor", "--server", host.name, "--reconnect", "auto", "--source", "tone", "--record", folder("take.wav"),
        ])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        try host.end(by: SIGKILL)
        usleep(1_000_000)
        var other = ServerConfiguration()
        other.sampleRate = 192_000
        other.periodFrames = 256
        try host.startAgain(other)
        try run.wait(until: "it is back") { run.err.contains("at 192000 Hz") }
        try run.wait(until: "its file") { folder.names.contains("take-2.wav") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        // Before, they were of 64 frames at 48000 Hz.
        #expect(run.out.contains("cycles, the last of 256 frames at 192000 Hz ("), "\(run.out)")
        let filled = try #require(run.out.firstMatch(of: /(\d+\.\d) s of silence filled in/)).1
        let absent = try #require(run.out.firstMatch(of: /came back once: (\d+\.\d+) s without it/)).1
        // A machine that stands still makes cycles late besides.
        let lost = try #require(run.out.firstMatch(of: /, lost (\d+\.\d+) ms,/)).1
        let missing = try #require(Double(absent)) + (try #require(Double(lost))) / 1000
        #expect(abs(try #require(Double(filled)) - missing) < 0.1, "\(run.out)")
    }
}
