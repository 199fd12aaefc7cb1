import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// libjack gives a client's audio thread a second to start, and never ends one that starts later.
@Suite("An audio thread that starts late", .serialized, .ownServers)
struct LateThreadTests {
    /// Holds back the thread that libjack makes when a client is activated, for the first time or for the time that
    /// LATE_ACTIVATION says: until libjack waits for it no more, at most 30 s. Its second is made of sleeps, which are longer on a
    /// busy machine.
    private static let delay = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <pthread.h>
        #include <stdlib.h>
        #include <unistd.h>
        typedef struct { void *(*start)(void *); void *argument; } order;
        static __thread int is_activating;
        static volatile int is_late, has_given_up, has_started;
        static int activations;
        static void *start_late(void *context) {
            order order_ = *(order *)context;
            free(context);
            for (int left = 3000; !has_given_up && left > 0; left--) usleep(10000);
            has_started = 1;
            return order_.start(order_.argument);
        }
        int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *argument) {
            int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
                dlsym(RTLD_NEXT, "pthread_create");
            if (!is_activating) return real(thread, how, start, argument);
            if (getenv("NO_THREAD")) return EAGAIN;
            order *late = malloc(sizeof *late);
            *late = (order){start, argument};
            is_late = 1;
            return real(thread, how, start_late, late);
        }
        int jack_activate(void *client) {
            int (*real)(void *) = dlsym(RTLD_NEXT, "jack_activate");
            const char *number = getenv("LATE_ACTIVATION");
            is_activating = ++activations == (number ? atoi(number) : 1);
            int result = real(client);
            if (is_activating) has_given_up = 1;
            is_activating = 0;
            return result;
        }
        /// The program does not end before it has outlived the thread's start.
        __attribute__((destructor)) static void stay(void) {
            for (int left = 500; is_late && !has_started && left > 0; left--) usleep(10000);
            if (is_late) usleep(300000);
        }
        """

    @Test func `is an error that says so, and the process outlives it`() throws {
        let host = try Succession()
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            ["monitor", "--server", host.name, "--seconds", "1"],
            environment: Preload.environment(Self.delay, in: folder))
        #expect(try run.end() == 69)
        #expect(run.err.contains("its audio thread did not start within a second"))
    }

    /// Such a client can be closed: a machine that has threads again lets the next one in.
    @Test func `that the machine refuses is none, and with the next server it is there`() throws {
        let host = try Succession()
        let folder = try TemporaryFolder()
        let environment = try Preload.environment(Self.delay, in: folder).merging(["NO_THREAD": "1"]) { $1 }
        let first = try CommandRun(["monitor", "--server", host.name, "--seconds", "1"], environment: environment)
        #expect(try first.end() == 69)
        #expect(first.err.contains("the machine has no more threads to give"), "\(first.err)")
        let second = try RecordingRun(
            on: host.name, environment: environment.merging(["LATE_ACTIVATION": "2"]) { $1 })
        try host.end(by: SIGKILL)
        try host.startAgain()
        try second.wait(until: "in the graph again")
        #expect(try second.end(by: SIGINT)["resets"] as? Int == 1)
    }

    /// Its client stays open as long as the process, and libjack joins no server beside a client of another.
    @Test func `of a run that joined again all the same ends that with the next server, and it says why`() throws {
        let host = try Succession()
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            [
                "monitor", "--server", host.name, "--no-connect", "--reconnect", "auto", "--reconnect-limit", "30",
                "--seconds", "600",
            ],
            environment: Preload.environment(Self.delay, in: folder, ["LATE_ACTIVATION": "2"]))
        try run.wait(until: "it runs") { run.err.contains("  peak ") }
        try host.end(by: SIGKILL)
        try run.wait(until: "it waits") { run.err.contains("interrupted: the server is gone") }
        try host.startAgain()
        try run.wait(until: "it is in the graph again") { run.err.contains("in the graph again") }
        #expect(run.err.contains("its audio thread did not start within a second"))
        try host.end(by: SIGKILL)
        try run.wait(until: "it waits again") {
            run.err.components(separatedBy: "interrupted: the server is gone").count == 3
        }
        try host.startAgain()
        #expect(try run.end() == 69)
        #expect(run.err.contains("whose audio thread started late cannot be closed; run this again"), "\(run.err)")
    }
}
