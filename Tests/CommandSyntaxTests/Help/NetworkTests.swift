import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("No network is touched") struct NetworkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Commands that between them open every kind of thing: a server, clients, files, pages, logs.
    private static let runs = [
        ["monitor", "--dummy", "--seconds", "0.2", "--json"],
        ["jitter", "--dummy", "--seconds", "0.2", "--warmup", "0", "--blame", "--html", "FOLDER/a.html"],
        ["ports", "--server", "iounit-no-such-server"],
    ]

    /// With the server that it starts, and all threads of both.
    @Test(.disabled(if: !canTrace, "no process may be traced here"), arguments: runs)
    func `only sockets within the machine are made`(_ words: [String]) throws {
        let words = words.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) }
        let run = try CommandRun(
            [
                "strace", "-f", "-qq", "-e", "trace=socket,connect,bind,sendto", "-o", folder("trace"),
                CommandRun.program,
            ]
                + words, program: "/usr/bin/env")
        #expect([0, 69].contains(try run.end()), "\(run.err)")
        let calls = try String(contentsOfFile: folder("trace"), encoding: .utf8).split(separator: "\n")
        let sockets = calls.filter { $0.contains(" socket(") }
        #expect(!sockets.isEmpty, "a server is reached through sockets")
        #expect(sockets.allSatisfy { $0.contains(" socket(AF_UNIX, ") }, "\(sockets)")
        #expect(!calls.contains { $0.contains("AF_INET") }, "\(calls)")
    }

    private static let canTrace: Bool = {
        let run = try? CommandRun.tool("strace", "-qq", "-e", "trace=none", "true")
        return run?.code == 0
    }()
}
