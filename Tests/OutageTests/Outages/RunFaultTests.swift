import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("A recording run outlives what happens around it", .serialized, .ownServers)
struct RunFaultTests {
    private let host: Succession
    private let folder: TemporaryFolder

    init() throws {
        host = try Succession()
        folder = try TemporaryFolder()
    }

    @Test func `a pipe that nobody empties holds up neither the sound, nor a reset, nor the end`() throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        while write(writing, [UInt8](repeating: 46, count: 4096), 4096) > 0 {}
        _ = fcntl(writing, F_SETFL, 0)
        let monitor = try RecordingRun(on: host.name, errors: pipe.fileHandleForWriting)
        try host.end(by: SIGKILL)
        try host.startAgain()
        try waitUntil("it is in the graph again") { try !connections("iounit", on: host.name).isEmpty }
        try monitor.waitForSound()
        // By now it has tried to say so.
        #expect(try monitor.end(by: SIGINT)["resets"] as? Int == 1)
        withExtendedLifetime(pipe) {}
    }

    @Test func `what happened just before the end is told to a slow reader too`() throws {
        let pipe = Pipe()
        let monitor = try RecordingRun(on: host.name, errors: pipe.fileHandleForWriting)
        try host.end(by: SIGKILL)
        try host.startAgain()
        try waitUntil("it is in the graph again") { try !connections("iounit", on: host.name).isEmpty }
        _ = try monitor.end(by: SIGINT)
        try pipe.fileHandleForWriting.close()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(said.contains("went away") && said.contains("the server is gone"), "\(said)")
    }

    @Test func `a terminal that hangs does not keep it from ending`() throws {
        let monitor = try TerminalRun(["monitor", "--server", host.name, "--json"])
        try monitor.wait(until: "load")
        let process = monitor.identifier
        monitor.freeze(true)
        // As long as it takes to fill what the kernel keeps for the terminal.
        usleep(2_500_000)
        try monitor.send(SIGTERM)
        try waitUntil("it has ended") { hasEnded(process) }
        monitor.freeze(false)
        #expect(try monitor.end() == 128 + SIGTERM)
        #expect(try object(monitor.out)["schema"] as? String == "iounit.monitor/2")
    }

    @Test func `a recording that is removed meanwhile is an error at the end and not before`() throws {
        let monitor = try RecordingRun(on: host.name)
        try FileManager.default.removeItem(atPath: monitor.path)
        try waitUntil("it goes on") { try !connections("iounit", on: host.name).isEmpty }
        monitor.run.send(SIGINT)
        #expect(try monitor.run.end() == 74)
        #expect(monitor.run.err.contains("was removed, renamed or replaced while it was made"), "\(monitor.run.err)")
        #expect(try object(monitor.run.out)["schema"] as? String == "iounit.monitor/2")
    }

    /// The clock that people set is an hour back from the moment on at which a file is there.
    private static let clock = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        static time_t back(void) { return access(getenv("IOUNIT_TEST_CLOCK"), F_OK) == 0 ? 3600 : 0; }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (clock == CLOCK_REALTIME) time->tv_sec -= back();
            return result;
        }
        int gettimeofday(struct timeval *time, void *zone) {
            int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
            int result = real(time, zone);
            time->tv_sec -= back();
            return result;
        }
        time_t time(time_t *result) {
            time_t (*real)(time_t *) = dlsym(RTLD_NEXT, "time");
            time_t now = real(NULL) - back();
            if (result) *result = now;
            return now;
        }
        """

    @Test func `a clock that is set back changes nothing but what the clock says`() throws {
        let monitor = try RecordingRun(
            on: host.name,
            environment: Preload.environment(Self.clock, in: folder, ["IOUNIT_TEST_CLOCK": folder("back")]))
        _ = FileManager.default.createFile(atPath: folder("back"), contents: nil)
        try host.end(by: SIGKILL)
        try monitor.wait(until: "the server is gone")
        try host.startAgain()
        try monitor.wait(until: "in the graph again")
        try monitor.waitForSound()
        let report = try monitor.end(by: SIGINT)
        #expect(abs(try unaccounted(report)) < 0.1)
        let events = try #require(report["events"] as? [[String: Any]])
        let times = events.compactMap { $0["wallTime"] as? String }
        #expect(times.count == events.count && times[0] > times[1], "the clock was set back")
        let nanoseconds = events.compactMap { $0["monotonicNanoseconds"] as? UInt64 }
        #expect(nanoseconds.count == events.count && nanoseconds == nanoseconds.sorted())
    }
}

/// Whether a process is gone, or would be if anybody asked how it ended.
func hasEnded(_ process: Int32) -> Bool {
    let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return state?.contains(") Z ") ?? true
}
