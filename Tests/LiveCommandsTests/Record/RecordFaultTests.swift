import AudioFiles
import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// `iounit record` to disks that fill, folders that go, and pipes that nobody reads, beside a file that nothing happens to.
@Suite("iounit record beside a file that fails", .serialized, .ownServers) struct RecordFaultTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func files(_ run: CommandRun) throws -> [[String: Any]] {
        try #require(try object(run.out)["files"] as? [[String: Any]])
    }

    /// Runs the command in the folder, after a shell's line, in a mount namespace of its own. On its disk is room for a second.
    private func record(_ line: String, _ words: String) throws -> CommandRun {
        try CommandRun(
            [
                "-m", "bash", "-c",
                """
                cd '\(folder.path)' && mkdir disk && mount -t tmpfs -o size=420k tmpfs disk || exit 99
                \(line)
                '\(CommandRun.program)' record --dummy --json \(words); code=$?
                cp disk/* . ; exit $code
                """,
            ], program: "/usr/bin/unshare")
    }

    @Test(arguments: ["wav", "caf", "aiff", "rf64"])
    func `a disk that fills ends its file, and the other goes on to its end`(kind: String) throws {
        let run = try record("", "--seconds 2s disk/a.\(kind) b.wav")
        #expect(try run.end() == 74)
        #expect(
            run.err.contains("cannot record to disk/a.\(kind)") && run.err.contains("is the disk full?"), "\(run.err)")
        let files = try files(run)
        let written = try #require(files[0]["frames"] as? Int)
        #expect(written > 24_000 && written + (files[0]["droppedFrames"] as? Int ?? 0) <= 96_000)
        #expect(try SoundFileReader(path: folder("a.\(kind)")).frames == written)
        #expect(files[1]["frames"] as? Int == 96_000 && files[1]["error"] is NSNull)
        #expect(try SoundFileReader(path: folder("b.wav")).frames == 96_000)
    }

    /// Records to files in a folder that has gone by the time of the start.
    private func recordToNowhere(_ names: String...) throws -> CommandRun {
        try FileManager.default.createDirectory(atPath: folder("inner"), withIntermediateDirectories: false)
        let run = try CommandRun(["record", "--dummy", "--wait", "--json"] + names.map { folder($0) })
        try run.wait(until: "it waits") { run.err.contains("waiting for the key space") }
        try FileManager.default.moveItem(atPath: folder("inner"), toPath: folder("gone"))
        run.send(SIGUSR2)
        return run
    }

    @Test func `a file that cannot be made at the start ends the recording, which nobody is told has begun`() throws {
        let run = try recordToNowhere("inner/a.wav")
        #expect(try run.end() == 73, "\(run.err)")
        #expect(run.err.contains("folder does not exist") && !run.err.contains("iounit: recording"), "\(run.err)")
        #expect(try files(run)[0]["takes"] as? Int == 0)
    }

    @Test func `a file that cannot be made at the start is told of at once, and the other is recorded`() throws {
        let run = try recordToNowhere("inner/a.wav", "b.wav")
        try run.wait(until: "it is told of both") {
            run.err.contains("folder does not exist") && run.err.contains("\(folder("b.wav"))\n")
        }
        run.send(SIGINT)
        #expect(try run.end() == 73, "\(run.err)")
        #expect(try SoundFileReader(path: folder("b.wav")).frames == files(run)[1]["frames"] as? Int)
    }

    @Test func `a split that finds no room ends in the file that has begun, and all before it is whole`() throws {
        let run = try record("", "--seconds 2s --split 0.4s disk/a.wav b.flac")
        #expect(try run.end() == 74)
        let files = try files(run)
        let names = try #require(files[0]["segments"] as? [String]).map { folder(String($0.dropFirst(5))) }
        #expect(names.count >= 2)
        var frames = 0
        for name in names {
            let count = try #require(try SoundFileReader(path: name).frames)
            if name != names.last { #expect(count == 19_200) }
            frames += count
        }
        #expect(frames == files[0]["frames"] as? Int)
        #expect(files[1]["frames"] as? Int == 96_000)
    }

    @Test func `a reader that stalls loses what it did not take, is told so, and the file beside loses nothing`() throws
    {
        let run = try record(
            "mkfifo f.wav; (exec 3<f.wav; head -c 60000 <&3 >/dev/null; sleep 7; cat <&3 >/dev/null) 2>/dev/null &",
            "--seconds 9s f.wav b.wav")
        #expect(try run.end() == 0, "\(run.err)")
        let files = try files(run)
        let dropped = try #require(files[0]["droppedFrames"] as? Int)
        // Four seconds wait for it. A server that stands still meanwhile renders less.
        let lost = try #require((object(run.out)["lostNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(Double(dropped) > (1.5 - lost) * 48_000)
        #expect(files[0]["frames"] as? Int == 432_000 && files[1]["frames"] as? Int == 432_000)
        #expect(files[1]["droppedFrames"] as? Int == 0)
        let list = try object(String(contentsOfFile: folder("f.wav.json"), encoding: .utf8))
        let gaps = try #require(list["gaps"] as? [[String: Any]]).filter { $0["cause"] as? String == "dropped" }
        #expect(gaps.reduce(0) { $0 + ($1["filledFrames"] as? Int ?? 0) } == dropped)
    }

    @Test(arguments: ["f.wav b.wav", "f.wav"])
    func `a reader that takes nothing any more does not keep the recording from its end`(files names: String) throws {
        let run = try record(
            "mkfifo f.wav; (exec 3<f.wav; sleep 50) 2>/dev/null & reader=$!; trap 'kill $reader' EXIT",
            "--seconds 1s \(names)")
        #expect(try run.end() == 74, "\(run.err)")
        #expect(run.err.contains("its reader took nothing any more"), "\(run.err)")
        let files = try files(run)
        #expect(try #require(files[0]["droppedFrames"] as? Int) > 0)
        if files.count > 1 { #expect(files[1]["frames"] as? Int == 48_000) }
    }

    /// A disk that answers for no file before it has been asked for two.
    private static let disk = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdatomic.h>
        #include <sys/stat.h>
        #include <unistd.h>
        int fsync(int file) {
            static atomic_int asked;
            int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
            struct stat facts;
            if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return real(file);
            asked++;
            // No event tells of the other thread's call. It is waited for twice as long as the recorder waits for a disk.
            for (int rest = 120000; asked < 2 && rest > 0; rest--) usleep(1000);
            return real(file);
        }
        """

    @Test func `a disk that does not answer is waited for once, and not for one file after the other`() throws {
        let run = try CommandRun(
            ["record", "--dummy", "--seconds", "0.1s", folder("a.wav"), folder("b.wav")],
            environment: Preload.environment(Self.disk, in: folder))
        #expect(try run.end(within: 180) == 0, "\(run.err)")
    }

    @Test func `what is no number is silence in each file, and counted`() throws {
        let server = try Server(ServerConfiguration())
        defer { server.stop() }
        let words = ["a.wav", "b.flac", "c.w64"].map { folder($0) }
        let run = try CommandRun(
            ["record", "--server", server.name, "--name", "ear", "--no-connect", "--channels", "1", "--json"] + words)
        try run.wait(until: "it records") { run.err.contains("recording") }
        let client = try CommandRun(
            ["-c", Self.broken, server.name], program: "/usr/bin/python3")
        #expect(try client.end() == 0, "\(client.err)")
        run.send(SIGINT)
        #expect(try run.end() == -SIGINT)
        #expect(try #require(try object(run.out)["nonFiniteSamples"] as? Int) > 100)
        for word in words {
            let sound = try SoundFile(reading: word).channels[0]
            #expect(sound.contains(0.25) && sound.allSatisfy { $0 == 0 || $0 == 0.25 }, "\(word)")
        }
    }

    /// A client that feeds NaN, infinity and a quarter for half a second.
    private static let broken = """
        import os, sys, threading, jack, numpy
        client = jack.Client("broken", servername=sys.argv[1], no_start_server=True)
        port = client.outports.register("out")
        passed, done = 0, threading.Event()
        @client.set_process_callback
        def process(frames):
            global passed
            block = numpy.full(frames, 0.25)
            block[::3], block[1::3] = numpy.nan, -numpy.inf
            port.get_array()[:] = block
            passed += frames
            if passed >= 24000: done.set()
        client.activate()
        client.connect(port, "ear:in_1")
        # Without closing: libjack may not come back from that where clients come and go.
        os._exit(0 if done.wait(20) else 1)
        """

    @Test func `a name that leaves no room for its list is refused at once`() throws {
        // With .wav.json a byte more than a name can have.
        let name = String(repeating: "x", count: 247)
        let (code, _, err) = try CommandRun.run("record", "--dummy", "--seconds", "0.2", folder("\(name).wav"))
        #expect(code == 73 && err.contains("too long"), "\(err)")
        #expect(folder.names.isEmpty)
    }
}
