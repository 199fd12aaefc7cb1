import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("A pipe in the place of a file") struct PipeTests {
    private let path: String
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
    }

    @Test func `without a reader is refused before a server is started`() throws {
        let run = try CommandRun.run("jitter", "--dummy", "--html", path, environment: ["PATH": "/nonexistent"])
        #expect(run.code == 73)
        #expect(run.err.contains("nobody reads from it"), "\(run.err)")
    }

    @Test func `whose reader takes nothing does not keep an interruption from ending the command`() throws {
        // Open for writing too, so that poll tells whether the pipe has room.
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        // F_SETPIPE_SZ. 2 s of callbacks are 25 times what it holds then: the machine may stand still meanwhile.
        try #require(fcntl(reader, 1031, 4 * 4096) == 4 * 4096)
        let run = try CommandRun([
            "jitter", "--dummy", "--period", "16", "--seconds", "2", "--warmup", "0", "--csv", path,
        ])
        try run.wait(until: "the pipe is full") {
            var room = pollfd(fd: reader, events: Int16(POLLOUT), revents: 0)
            return poll(&room, 1, 0) == 0
        }
        // That a terminal has another size is no interruption.
        run.send(SIGWINCH)
        // Longer than one look of the write, which is 250 ms.
        Thread.sleep(forTimeInterval: 0.3)
        #expect(run.isRunning)
        run.send(SIGINT)
        #expect(try run.end() == 74)
        #expect(run.err.contains("interrupted while its reader took nothing"), "\(run.err)")
    }

    @Test func `as a shape table is empty without a writer, and waited for with one`() throws {
        let alone = try CommandRun.run("monitor", "--dummy", "--seconds", "0.1", "--shape-table", path)
        #expect(alone.code == 65)
        #expect(alone.err.contains("2 points at least"), "\(alone.err)")
        let fed = try CommandRun.tool(
            "bash", "-c",
            "'\(CommandRun.program)' monitor --dummy --seconds 0.1 --shape-table <(sleep 0.5; echo -1 -1; echo 1 1)")
        #expect(fed.code == 0, "\(fed.err)")
    }
}
