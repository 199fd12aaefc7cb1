import Glibc
import Jack
import StressWindow
import Threads

/// Opens and closes JACK clients without end, for tests of what libjack does then.
///
/// `window SERVER COUNT` closes a client while libjack's notification thread holds the process's lock, so often; another
/// process must open clients meanwhile. `come SERVER` opens, activates and closes two clients, in turn, on a server that
/// may go away and come back. Each close is a line; "hung" tells of what does not return, and ends the run.
@main
struct Stress {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("window", 3): closeInWindow(server: words[1], count: Int(words[2]) ?? 0)
        case ("come", 2): comeAndGo(server: words[1])
        default:
            end("usage: Stress window SERVER COUNT | Stress come SERVER", 64)
        }
    }

    private static func closeInWindow(server: String, count: Int) {
        for number in 1...max(1, count) {
            do throws(JackError) {
                let client = try Client(name: "window", server: server)
                window_arm()
                let deadline = MonotonicClock.nanoseconds() + 20_000_000_000
                while !window_was_entered() {
                    guard MonotonicClock.nanoseconds() < deadline else { end("no other client came", 1) }
                }
                try client.close()
                window_disarm()
                say("closed \(number)")
            } catch {
                end("hung: \(error)", 2)
            }
        }
        exit(0)
    }

    private static func comeAndGo(server: String) {
        var number = 0
        var last: ActiveClient?
        while true {
            do throws(JackError) {
                // The older one is closed while the newer one is there, but never across two servers.
                if last?.hasShutDown ?? false { try last.take()?.close() }
                let client = try Client(name: "come", server: server).activate()
                try last.take()?.close()
                last = consume client
                number += 1
                say("closed \(number)")
            } catch {
                say("\(error)")
                if error.kind == .unresponsive { waitForJack() }
                MonotonicClock.sleep(milliseconds: 5)
            }
        }
    }

    /// jackd itself lets its clients wait for 5 s where its first cycle, or a turn of the graph, is late, and they wait in line:
    /// what comes back in the end has not hung.
    private static func waitForJack() {
        let deadline = MonotonicClock.nanoseconds() + 30_000_000_000
        while let operation = LibJack.overdueOperation {
            guard MonotonicClock.nanoseconds() < deadline else { end("hung: cannot \(operation)", 2) }
            MonotonicClock.sleep(milliseconds: 5)
        }
    }

    /// A line at once: what reads it waits for it.
    private static func say(_ words: String) {
        let line = Array((words + "\n").utf8)
        _ = unsafe write(STDOUT_FILENO, line, line.count)
    }

    private static func end(_ words: String, _ code: CInt) -> Never {
        say(words)
        // libjack may keep an orderly end waiting.
        _exit(code)
    }
}
