import CommandTestSupport
import Foundation
import Jack
import Testing

@Suite("iounit ports")
struct PortsTests {
    @Test func `the table and the object name every port of the server`() throws {
        var configuration = ServerConfiguration()
        configuration.captureChannels = 3
        let server = try Server(configuration)
        defer { server.stop() }

        let table = try CommandRun.run("ports", "--server", server.name)
        #expect(table.code == 0)
        let rows = table.out.split(separator: "\n")
        #expect(rows.count == 5)
        #expect(rows.contains { $0.hasPrefix("system:capture_3 ") && $0.contains("physical") })

        let run = try CommandRun.run("ports", "--server=\(server.name)", "--json")
        let report = try object(run.out)
        #expect(report["schema"] as? String == "iounit.ports/1")
        let ports = try #require(report["ports"] as? [[String: Any]])
        #expect(
            Set(ports.compactMap { $0["name"] as? String }).isSuperset(of: ["system:capture_1", "system:playback_2"]))
        let capture = try #require(ports.first { $0["name"] as? String == "system:capture_1" })
        #expect(capture["direction"] as? String == "output")
        #expect(capture["captureLatencyFrames"] as? [Int] == [64, 64])
        let facts = try #require(report["server"] as? [String: Any])
        #expect(facts["sampleRate"] as? Int == 48000 && facts["periodFrames"] as? Int == 64)
        #expect(facts["backend"] is NSNull, "what JACK does not tell is null")
    }

    @Test func `the names alone are as patterns match them, and each is one line`() throws {
        let server = try Server()
        defer { server.stop() }
        let client = try Client(name: "other", server: server.name)
        for name in ["a\tb", "\u{2067}c", "d\ne"] { _ = try client.register(name, .input) }
        let active = try client.activate()
        let run = try CommandRun.run("ports", "--server", server.name, "--names", "--inputs")
        withExtendedLifetime(active) {}
        let names = run.out.split(separator: "\n").filter { $0.hasPrefix("other:") }
        #expect(names == ["other:a\tb", "other:\u{2067}c", "other:d\\u{a}e"], "\(run.out)")
    }
}
