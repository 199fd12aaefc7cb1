import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// The disk is made to misbehave in the program's own `write`: what a kernel would have to be persuaded to.
@Suite("A recording run outlives its disk's moods", .serialized, .ownServers)
struct DiskFaultTests {
    private let host: Succession
    private let folder: TemporaryFolder

    init() throws {
        host = try Succession()
        folder = try TemporaryFolder()
    }

    /// Reads what to do from a file, once: `s3` is to stall for three seconds, `r` to be read-only from now on.
    private static let disk = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <time.h>
        #include <unistd.h>
        static int is_read_only;
        static double now(void) {
            struct timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec + time.tv_nsec / 1e9;
        }
        ssize_t write(int file, const void *bytes, size_t count) {
            ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
            struct stat facts;
            if (file <= 2 || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return real(file, bytes, count);
            FILE *order = fopen(getenv("IOUNIT_TEST_DISK"), "r");
            int seconds = 0;
            if (order) {
                if (fscanf(order, "s%d", &seconds) != 1) is_read_only = 1;
                fclose(order);
                unlink(getenv("IOUNIT_TEST_DISK"));
            }
            for (double end = now() + seconds; now() < end;) usleep(10000);
            if (!is_read_only) return real(file, bytes, count);
            errno = EROFS;
            return -1;
        }
        """

    private func monitor() throws -> RecordingRun {
        try RecordingRun(
            on: host.name,
            environment: Preload.environment(Self.disk, in: folder, ["IOUNIT_TEST_DISK": folder("order")]))
    }

    private func order(_ text: String) throws {
        // In one step, because it is read at once.
        try text.write(toFile: folder("order"), atomically: true, encoding: .utf8)
        try waitUntil("the disk obeys") { !folder.names.contains("order") }
    }

    @Test func `a stall of two seconds costs nothing`() throws {
        let monitor = try monitor()
        let start = ContinuousClock.now
        try order("s2")
        let bytes = monitor.bytes
        usleep(500_000)
        // It begins behind the order at the earliest.
        #expect(monitor.bytes == bytes || ContinuousClock.now - start >= .seconds(2), "it stalls")
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(recorded["frames"] as? Int == report["frames"] as? Int)
    }

    @Test func `of a longer one what finds no room is counted, and where it is missing is told to the frame`() throws {
        let monitor = try monitor()
        try order("s6")
        usleep(6_000_000)
        try monitor.waitForSound()
        monitor.run.send(SIGINT)
        #expect(try monitor.run.end() == -SIGINT)
        let report = try object(monitor.run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        let dropped = try #require(recorded["droppedFrames"] as? Int)
        let frames = try #require(recorded["frames"] as? Int)
        // Four seconds wait for a disk. A server that stands still meanwhile renders less.
        let lost = try #require((report["lostNanoseconds"] as? NSNumber)?.doubleValue) / 1e9
        #expect(Double(dropped) > (1 - lost) * 48_000)
        #expect(frames + dropped == report["frames"] as? Int)
        #expect(try SoundFile(reading: monitor.path).frames == frames)
        let list = try object(String(contentsOfFile: "\(monitor.path).json", encoding: .utf8))
        let gaps = try #require(list["gaps"] as? [[String: Any]]).filter { $0["cause"] as? String == "dropped" }
        #expect(gaps.reduce(0) { $0 + ($1["lengthFrames"] as? Int ?? 0) } == dropped)
    }

    @Test func `one that may not be written to any more ends the file and not the sound`() throws {
        let monitor = try monitor()
        try order("r")
        try monitor.wait(until: "writing stopped")
        #expect(try !connections("iounit", on: host.name).isEmpty, "it is in the graph")
        monitor.run.send(SIGINT)
        #expect(try monitor.run.end() == 74)
        #expect(monitor.run.err.contains("Read-only file system"), "\(monitor.run.err)")
        let recorded = try #require(try object(monitor.run.out)["recorded"] as? [String: Any])
        // The bytes of 4800 frames were waited for, and the header's are among them.
        #expect(try SoundFile(reading: monitor.path).frames > 4700)
        #expect(try #require(recorded["droppedFrames"] as? Int) > 0)
    }

    /// From the order on, each read of one file hangs, and says so by another.
    private static let hang = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <unistd.h>
        static void wait_for(int file) {
            struct stat facts, wanted;
            const char *order = getenv("IOUNIT_TEST_DISK");
            if (access(order, F_OK) != 0 || fstat(file, &facts) != 0 || stat(getenv("IOUNIT_TEST_FILE"), &wanted) != 0) return;
            if (facts.st_dev != wanted.st_dev || facts.st_ino != wanted.st_ino) return;
            char path[4096];
            snprintf(path, sizeof path, "%s-hangs", order);
            close(open(path, O_CREAT | O_WRONLY, 0600));
            // Until the order is taken back, or the test is surely over.
            for (int turns = 0; turns < 6000 && access(order, F_OK) == 0; turns++) usleep(10000);
        }
        ssize_t read(int file, void *bytes, size_t count) {
            ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
            wait_for(file);
            return real(file, bytes, count);
        }
        ssize_t pread64(int file, void *bytes, size_t count, off64_t place) {
            ssize_t (*real)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
            wait_for(file);
            return real(file, bytes, count, place);
        }
        ssize_t pread(int file, void *bytes, size_t count, off_t place) { return pread64(file, bytes, count, place); }
        """

    @Test(arguments: [true, false])
    func `that hangs while it is played from is blamed for the end that does not come, and no server`(
        _ isPrivate: Bool
    ) throws {
        let path = folder("long.wav")
        try SoundFile(sampleRate: 48_000, channels: [[Float](repeating: 0.1, count: 48_000 * 60)]).write(path)
        let run = try CommandRun(
            ["play", path, "--json"] + (isPrivate ? ["--dummy"] : ["--server", host.name]),
            environment: Preload.environment(
                Self.hang, in: folder, ["IOUNIT_TEST_DISK": folder("order"), "IOUNIT_TEST_FILE": path]))
        try run.wait(until: "it plays") { run.err.contains("playing") }
        try "".write(toFile: folder("order"), atomically: true, encoding: .utf8)
        try waitUntil("a read hangs") { folder.names.contains("order-hangs") }
        run.send(SIGINT)
        #expect(try run.end() == 74, "\(run.err)")
        #expect(run.err.contains("a disk that is played from does not answer"), "\(run.err)")
        #expect(!run.err.contains("the JACK server"), "\(run.err)")
        // The report has what was heard all the same.
        let report = try object(run.out)
        let file = try #require((report["files"] as? [[String: Any]])?.first)
        #expect(file["plays"] as? Int == 1 && file["playedFrames"] as? Int == report["playedFrames"] as? Int, "\(file)")
        try FileManager.default.removeItem(atPath: folder("order"))
    }

    @Test func `that hangs when the next file is opened leaves the keys, and the recording beside it, as they are`()
        throws
    {
        let paths = try ["long.wav", "next.wav"].map { name in
            try SoundFile(sampleRate: 48_000, channels: [[Float](repeating: 0.1, count: 48_000 * 60)]).write(
                folder(name))
            return folder(name)
        }
        let screen = try Screen(
            "play --dummy '\(paths[0])' '\(paths[1])' --record '\(folder("beside.wav"))'", in: folder,
            environment: Preload.environment(
                Self.hang, in: folder, ["IOUNIT_TEST_DISK": folder("order"), "IOUNIT_TEST_FILE": paths[1]]))
        try screen.wait(until: "a second of it", for: /00:00:0[1-9]/)
        try "".write(toFile: folder("order"), atomically: true, encoding: .utf8)
        screen.type("n")
        try waitUntil("the open hangs") { folder.names.contains("order-hangs") }
        screen.type("\u{1b}[A\u{1b}[A")
        try screen.wait(for: "gain +2.0 dB")
        screen.type("q")
        #expect(try screen.run.end() == 74, "\(screen.run.out.suffix(500))")
        #expect(try SoundFile(reading: folder("beside.wav")).frames > 10_000)
        try FileManager.default.removeItem(atPath: folder("order"))
    }
}
