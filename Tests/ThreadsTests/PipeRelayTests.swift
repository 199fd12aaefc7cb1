import Foundation
import Testing
import Threads

@Suite("The relay of a pipe") struct PipeRelayTests {
    /// The kernel's number of the thread, once it has its name; `nil` after 20 s. The kernel tells nobody when a thread gets its
    /// name, so this looks each millisecond.
    private static func thread(_ name: String) -> pid_t? {
        let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
        while MonotonicClock.nanoseconds() < deadline {
            for number in Folder.names(in: "/proc/self/task") ?? []
            where SmallFile.text("/proc/self/task/\(number)/comm") == "\(name)\n" {
                return pid_t(number)
            }
            MonotonicClock.sleep(milliseconds: 1)
        }
        return nil
    }

    @Test func `ends when it is told to, also where signals have come while it waited`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGUSR1) { _ in }
            let ends = try #require(PipeEnds())
            let relay = try PipeRelay(ends.reading)
            let thread = try #require(Self.thread("iounit-relay"))
            // Swift's headers do not have it.
            let symbol = try #require(dlsym(nil, "tgkill"))
            let tgkill = unsafeBitCast(symbol, to: (@convention(c) (pid_t, pid_t, CInt) -> CInt).self)
            // Nothing tells that the relay waits again. Of 50 signals, in 50 ms, some come while it does.
            for _ in 0..<50 {
                #expect(tgkill(getpid(), thread, SIGUSR1) == 0)
                MonotonicClock.sleep(milliseconds: 1)
            }
            relay.end()
            let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
            #expect(InputWait.wait(for: [relay.descriptor], untilNanoseconds: deadline), "it waits for the pipe")
        }
    }
}
