import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("What the tests share") struct SharedSupportTests {
    // In processes of their own where the environment is changed.

    @Test func `a test waits longer on a machine that is said to be slow`() async {
        await #expect(processExitsWith: .success) {
            setenv("DEADLINE_FACTOR", "100", 1)
            var start = ContinuousClock.now
            try waitUntil("more than a second", within: 1) { .now - start > .milliseconds(1100) }
            start = .now
            try await eventually("more than a second", within: 1) { .now - start > .milliseconds(1100) }
            start = .now
            let run = try CommandRun(["1"], program: "/usr/bin/sleep")
            try run.wait(until: "a moment", within: 0.1) { .now - start > .milliseconds(150) }
            try #require(try run.end(within: 0.1) == 0)
        }
    }

    @Test func `a terminal stands in a folder whose path has a blank`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("TMPDIR", folder("a b"), 1)
            let inner = try TemporaryFolder()
            try #require(inner.path.contains(" "))
            let screen = try Screen("--version", in: inner)
            try #require(try screen.run.end() == 0, "\(screen.run.out)")
            for (name, start) in [("out", "iounit "), ("device", "/dev/")] {
                try #require(try String(contentsOfFile: inner(name), encoding: .utf8).hasPrefix(start))
            }
        }
    }

    @Test func `a port is no other process's as long as this one lives`() throws {
        let port = try freePorts()
        let script = "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('\\0iounit-port-\(port)')"
        let other = try CommandRun.tool("python3", "-c", script)
        #expect(other.code == 1 && other.err.contains("Address already in use"), "\(other.err)")
        #expect(Set(try (0..<20).map { _ in try freePorts() }).count == 20)
    }
}
