import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("However the run ends, nothing that was recorded is lost and nothing stays behind")
struct EndingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(_ name: String, _ words: String...) throws -> CommandRun {
        let run = try CommandRun(
            ["monitor", "--json", "--record", folder(name)] + words, environment: ["XDG_RUNTIME_DIR": folder.path])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        return run
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends the run with its summary`(_ signal: Int32) throws {
        let run = try record("signal.wav", "--dummy")
        run.send(signal)
        #expect(try run.end() == -signal)
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        let frames = try SoundFile(reading: folder("signal.wav")).frames
        #expect(frames > 10000)
        #expect(recorded["frames"] as? Int == frames)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `when the server dies the file is whole, the summary is printed, and the code says it`(_ signal: Int32) throws
    {
        let server = try Server()
        defer { server.stop() }
        // What is rendered is recorded, and no more: a machine that stalls makes gaps.
        let run = try record("server.wav", "--server", server.name, "--source", "tone", "--gaps", "cut")
        server.signal(signal)
        #expect(try run.end() == 69)
        #expect(run.err.contains("went away"), "\(run.err)")
        let report = try object(run.out)
        #expect(report["endedWithoutServer"] as? Bool == true)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(recorded["frames"] as? Int == report["frames"] as? Int)
        #expect(try SoundFile(reading: folder("server.wav")).frames == recorded["frames"] as? Int)
    }

    @Test func `a private server that stands still is named while it does, and ended with the run`() throws {
        let run = try record("still.wav", "--dummy")
        let found = try CommandRun.tool("pgrep", "-f", "^jackd -n iounit-\(run.identifier)-")
        let server = try #require(pid_t(found.out.trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(server, SIGSTOP)
        try run.wait(until: "the standstill is named") { run.err.contains("stands still") }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        let recorded = try #require(try object(run.out)["recorded"] as? [String: Any])
        #expect(try SoundFile(reading: folder("still.wav")).frames == recorded["frames"] as? Int)
    }

    @Test func `a foreign server that does not answer does not keep the run from ending`() throws {
        let server = try Server()
        defer { server.stop() }
        let run = try record("deaf.wav", "--server", server.name, "--source", "tone", "--serve=0.0.0.0:0")
        #expect(folder.names.contains { $0.hasPrefix("iounit-page-token-") })
        try server.freeze()
        run.send(SIGTERM)
        #expect(try run.end() == 69)
        #expect(run.err.contains("does not answer"), "\(run.err)")
        #expect(!folder.names.contains { $0.hasPrefix("iounit-page-token-") })
        let report = try object(run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        let seconds = try #require(report["seconds"] as? Double)
        let frames = try #require(report["frames"] as? Int)
        #expect(seconds > 0.9 * Double(frames) / 48000, "the summary tells how long it ran")
        #expect(try SoundFile(reading: folder("deaf.wav")).frames == recorded["frames"] as? Int)
    }

    @Test func `when the command itself is killed the file can be read, and its server ends`() throws {
        let run = try record("killed.wav", "--dummy")
        let name = "iounit-\(run.identifier)-1"
        #expect(shared(name).isEmpty == false)
        let jackd = try CommandRun.tool("pgrep", "-f", "^jackd -n \(name) ").out.filter(\.isNumber)
        run.send(SIGKILL)
        #expect(try run.end() == -SIGKILL)
        let frames = try SoundFile(reading: folder("killed.wav")).frames
        #expect(frames > 10000)
        try waitUntil("its server has ended") {
            // Its command line vanishes before it does.
            let state = try? String(contentsOfFile: "/proc/\(jackd)/stat", encoding: .utf8)
            return state?.contains(") Z ") ?? true
        }
        // What a dying jackd has left of it, the next start removes.
        try Server().stop()
        #expect(shared(name).isEmpty)
    }

    @Test func `a terminal that closes ends the run by its signal, though nothing can be printed there any more`()
        throws
    {
        var (master, device): (CInt, CInt) = (-1, -1)
        try #require(openpty(&master, &device, nil, nil, nil) == 0)
        let terminal = FileHandle(fileDescriptor: device, closeOnDealloc: true)
        // Else the run has the other end too, and its terminal stays.
        #expect(fcntl(master, F_SETFD, FD_CLOEXEC) == 0)
        let run = try CommandRun(["monitor", "--dummy", "--record", folder("gone.wav")], output: terminal)
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        close(master)
        run.send(SIGHUP)
        #expect(try run.end() == -SIGHUP, "\(run.err)")
        #expect(try SoundFile(reading: folder("gone.wav")).frames > 10000)
    }

    /// Its shell tells that it has gone, and the kernel once more when the shell has ended.
    @Test func `a terminal that says more than once that it closes lets the run come to its end`() throws {
        let run = try CommandRun(["monitor", "--dummy", "--json", "--record", folder("twice.wav")])
        try run.wait(until: "the first line of the log") { run.err.contains("peak") }
        try run.wait(until: "it has ended") {
            run.send(SIGHUP)
            return !run.isRunning
        }
        #expect(try run.end() == -SIGHUP, "\(run.err)")
        let recorded = try #require(object(run.out)["recorded"] as? [String: Any])
        #expect(try SoundFile(reading: folder("twice.wav")).frames == recorded["frames"] as? Int)
    }

    @Test func `a terminal that closes does not end a run under nohup`() throws {
        let run = try CommandRun(["nohup", CommandRun.program, "monitor", "--dummy"], program: "/usr/bin/env")
        func lines() -> Int { run.err.ranges(of: "  peak ").count }
        try run.wait(until: "the first line of the log") { lines() > 0 }
        run.send(SIGHUP)
        let seen = lines()
        try run.wait(until: "the next line of the log") { lines() > seen }
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT, "\(run.err)")
    }

    /// What is printed must not go to whatever was opened under the number of a closed descriptor.
    @Test func `with its standard descriptors closed it writes nothing into the recording`() throws {
        let path = folder("closed.wav")
        let line = "exec \"$0\" monitor --dummy --seconds 1.5 --source silence --record \"$1\" <&- >&- 2>&-"
        let run = try CommandRun(["-c", line, CommandRun.program, path], program: "/bin/sh")
        #expect(try run.end() == 74)
        let file = try SoundFile(reading: path)
        #expect(file.frames > 10000)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.range(of: Data(" dB ".utf8)) == nil)
    }

    @Test func `a run leaves nothing in shared memory`() throws {
        let run = try CommandRun(["monitor", "--dummy", "--seconds", "0.3"])
        #expect(try run.end() == 0)
        #expect(shared("iounit-\(run.identifier)-1").isEmpty)
    }

    private func shared(_ server: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []).filter { $0.contains("\(server)_") }
    }
}
