import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("A PipeWire that ends and comes back", .serialized)
struct PipeWireResetTests {
    private let server: PipeWireServer

    init() throws { server = try PipeWireServer() }

    @Test func `ends a run that is not to wait for it`() throws {
        let run = try PipeWireRun(on: server, ["--reconnect", "never"])
        try server.end(by: SIGTERM)
        #expect(try run.run.end() == 69)
        #expect(run.run.err.contains("went away"), "\(run.run.err)")
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `is joined again by itself`(_ signal: Int32) throws {
        let run = try PipeWireRun(on: server, ["--reconnect", "auto"])
        try server.end(by: signal)
        try run.wait(until: "the server is gone")
        usleep(300_000)
        #expect(!run.run.err.contains("the JACK server answers"), "nobody is there to answer")
        try server.start()
        try run.wait(until: "in the graph again")
        try run.waitForSound()
        let (report, _) = try run.end()
        #expect(report["resets"] as? Int == 1)
        #expect(abs(try unaccounted(report)) < 0.3)
    }

    @Test func `is joined with consent, which is asked for when it is there, and used once`() throws {
        let run = try PipeWireRun(on: server, ["--reconnect", "ask"])
        for round in 1...2 {
            try server.end(by: SIGTERM)
            try run.wait(until: "the server is gone", times: round)
            // Nobody is there to consent to.
            run.run.send(SIGUSR1)
            usleep(500_000)
            #expect(run.run.err.components(separatedBy: "the JACK server answers").count == round)
            try server.start()
            try run.wait(until: "waits to be resumed", times: round)
            let before = run.recordedBytes
            usleep(500_000)
            #expect(run.recordedBytes == before && !server.ports().contains("iounit:in_1"), "nothing sounds unasked")
            run.run.send(SIGUSR1)
            try run.wait(until: "in the graph again", times: round)
            try run.waitForSound()
        }
        #expect(try run.end().report["resets"] as? Int == 2)
    }

    @Test func `is asked for again where it went before the consent was used`() throws {
        let run = try PipeWireRun(on: server, ["--reconnect", "ask"])
        try server.end(by: SIGTERM)
        try run.wait(until: "the server is gone")
        try server.start()
        try run.wait(until: "waits to be resumed")
        try server.end(by: SIGKILL)
        try run.run.wait(until: "it is known to be gone") {
            run.run.err.components(separatedBy: "the server is gone").count > 2
        }
        run.run.send(SIGUSR1)
        try server.start()
        try run.wait(until: "waits to be resumed", times: 2)
        usleep(300_000)
        #expect(!server.ports().contains("iounit:in_1"), "nothing sounds unasked")
        run.run.send(SIGUSR1)
        try run.wait(until: "in the graph again")
        #expect(try run.end().report["resets"] as? Int == 1)
    }
}
