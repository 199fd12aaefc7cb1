import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// jack2 issue 395: `jack_client_close` ends libjack's notification thread, which may hold the lock that every later open
/// and close needs. What hangs is another program's, `Stress`.
@Suite("Closing a client", .serialized, .ownServers(deadlineSeconds: 300))
struct CloseTests {
    private static let program = URL(fileURLWithPath: CommandRun.program).deletingLastPathComponent()
        .appendingPathComponent("Stress").path

    private func start(_ arguments: String..., environment: [String: String] = [:]) throws -> CommandRun {
        try CommandRun(arguments, program: Self.program, environment: environment)
    }

    private func closes(_ run: CommandRun) -> Int { run.out.split(separator: "\n").count { $0.hasPrefix("closed") } }

    @Test func `while libjack's notification thread holds its lock hangs without the guard, and never with it`() throws
    {
        let server = try Server()
        // Each new client is announced to those that are there, with the lock held.
        let visitor = try start("come", server.name)
        try visitor.wait(until: "it comes and goes") { closes(visitor) > 3 }

        var unguarded = 0
        for _ in 1...3 {
            let run = try start("window", server.name, "20", environment: ["IOUNIT_JACK_GUARD": "off"])
            #expect(try run.end() == 2)
            #expect(run.out.contains("hung: cannot close a JACK client"))
            unguarded += closes(run)
        }
        // One in seven at least: that 80 of them do not hang is no luck, which would come once in 200 000 runs.
        #expect(unguarded <= 3 * 6)

        // Each of them waits for a visit, and on a busy machine jackd lets one or another client wait for 5 s.
        let run = try start("window", server.name, "80", environment: ["IOUNIT_JACK_GUARD": "on"])
        #expect(try run.end(within: 150) == 0, "it said: \(run.out.suffix(200))")
        #expect(closes(run) == 80)
        #expect(visitor.isRunning)
    }

    @Test func `goes on whatever becomes of the servers`() throws {
        let host = try Succession()
        let visitors = try (1...2).map { _ in try start("come", host.name) }
        for round in 1...10 {
            let before = visitors.map(closes)
            for (visitor, count) in zip(visitors, before) {
                // Told to end while somebody opens a client, jackd waits some ten seconds of its own, and so does the client;
                // the other visitor's turn to open one comes behind it.
                try visitor.wait(until: "it comes and goes in round \(round)", within: 60) {
                    closes(visitor) > count + 5
                }
            }
            try host.end(by: round.isMultiple(of: 2) ? SIGKILL : SIGTERM)
            try host.startAgain()
        }
        for visitor in visitors { #expect(!visitor.out.contains("hung")) }
    }
}
