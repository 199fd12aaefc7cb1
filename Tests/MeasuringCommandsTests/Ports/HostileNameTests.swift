import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

/// What a terminal obeys rather than shows.
private func obeyed(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f: scalar != "\n"
        default: false
        }
    }
}

/// Tests with a client on a server that has chosen its names to do harm.
@Suite("Names from other clients are shown, and not obeyed", .serialized, .privateServer())
final class HostileNameTests {
    private static let portName = "\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{7f}\r<script>\n&\"'"
    private let client: ActiveClient
    private let port: String

    init() throws {
        let client = try Client(name: "evil\u{1b}]0;<b>\u{85}", server: PrivateServer.name)
        port = try client.register(Self.portName, .input).name
        self.client = try client.activate()
    }

    private func run(_ words: String...) throws -> (code: Int32, out: String, err: String) {
        let run = try CommandRun(words + ["--server", PrivateServer.name])
        let code = try run.end()
        return (code, run.out, run.err)
    }

    @Test func `in the table of ports, a port to a line`() throws {
        let table = try run("ports")
        #expect(table.code == 0)
        #expect(obeyed(table.out) == [])
        #expect(table.out.contains("\\u{1b}[31m\\u{9b}2J\\u{202e}\\u{2066}\\u{7f}\\u{d}<script>\\u{a}&\"'"))
        #expect(table.out.split(separator: "\n").count == 5)
    }

    @Test func `in JSON, which says the same names all the same`() throws {
        let json = try run("ports", "--json")
        #expect(json.code == 0)
        #expect(obeyed(json.out) == [])
        let ports = try #require(try object(json.out)["ports"] as? [[String: Any]])
        #expect(ports.contains { $0["name"] as? String == port })
    }

    @Test func `in an error that lists ports, or repeats a pattern`() throws {
        for words in [["--send", "evil", "--return", "capture_1"], ["--send", "\u{9b}2J\n", "--return", "capture"]] {
            let latency = try CommandRun(["latency", "--server", PrivateServer.name, "--seconds", "1"] + words)
            #expect(try [1, 64].contains(latency.end()))
            #expect(obeyed(latency.err) == [] && obeyed(latency.out) == [], "\(latency.err.debugDescription)")
        }
        let monitor = try run("monitor", "--seconds", "0.1", "--output", "nobody\u{202e}")
        #expect(monitor.code == 64)
        #expect(monitor.err.contains("nobody\\u{202e}") && monitor.err.contains("evil"))
        #expect(obeyed(monitor.err) == [] && monitor.err.split(separator: "\n").count == 1)
    }
}

@Suite("Names that the user gives are shown, and not obeyed") struct HostileWordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let name = "\u{1b}[31m\u{9b}2J\u{202e}<b>\n"

    @Test(arguments: [
        ["monitor", "--dummy", "--source", "FILE"], ["monitor", "--dummy", "--record", "FILE/x.wav"],
        ["monitor", "--dummy", "--shape-table", "FILE"], ["jitter", "--from", "FILE"],
        ["jitter", "--dummy", "--html", "FILE/x"], ["monitor", "--server", "FILE"], ["ports", "--server", "FILE"],
        ["jitter", "--dummy", "--limit", "FILE=1"], ["latency", "--self-loop", "--expect", "FILE"], ["FILE"],
    ])
    func `in an error about them, which is one line`(_ words: [String]) throws {
        let run = try CommandRun(words.map { $0.replacingOccurrences(of: "FILE", with: folder(Self.name)) })
        #expect(try [64, 65, 66, 69, 73].contains(run.end()))
        #expect(obeyed(run.err) == [] && run.err.split(separator: "\n").count == 1, "\(run.err.debugDescription)")
        #expect(run.out.isEmpty)
    }

    @Test func `what a server says in its last words is one line`() throws {
        let server = folder("jackd")
        try "#!/bin/sh\nprintf '\\033[31mno\\nmore\\233\\302\\205\\r\\n'\nexit 1\n".write(
            toFile: server, atomically: true, encoding: .utf8)
        #expect(chmod(server, 0o700) == 0)
        let run = try CommandRun.run("monitor", "--dummy", environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
        #expect(run.code == 69)
        #expect(obeyed(run.err) == [] && run.err.split(separator: "\n").count == 1, "\(run.err.debugDescription)")
        #expect(run.err.contains("\\u{1b}[31mno / more"), "\(run.err)")
    }
}
