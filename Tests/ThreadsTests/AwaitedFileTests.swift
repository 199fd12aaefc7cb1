import Foundation
import Testing
import Threads

@Suite("A file that is waited for") final class AwaitedFileTests {
    private let path = NSTemporaryDirectory() + "iounit-small-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @Test func `may be a pipe whose writer comes late and writes in pieces`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let path = path
        // Late and in pieces is what is looked at; the reader gives up after a minute.
        let writer = Thread {
            Thread.sleep(forTimeInterval: 0.1)
            let pipe = open(path, O_WRONLY)
            for piece in ["one ", "two"] {
                _ = piece.withCString { write(pipe, $0, strlen($0)) }
                Thread.sleep(forTimeInterval: 0.05)
            }
            close(pipe)
        }
        writer.start()
        #expect(try SmallFile.awaitedBytes(path, limit: 100) == Array("one two".utf8))
    }

    @Test func `is not waited for without end`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let late = FileError.cannotRead(path: path, reason: "nobody has written all of it in time")
        #expect(throws: late) { try SmallFile.awaitedBytes(self.path, limit: 100, withinSeconds: 0.05) }
        // One that begins, and does not end.
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        #expect("half".withCString { write(pipe, $0, 4) } == 4)
        #expect(throws: late) { try SmallFile.awaitedBytes(self.path, limit: 100, withinSeconds: 0.05) }
    }

    @Test func `without a writer is empty where none is awaited, and with one is waited for`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try SmallFile.awaitedBytes(path, limit: 100, awaitsWriter: false).isEmpty)
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        let late = FileError.cannotRead(path: path, reason: "nobody has written all of it in time")
        #expect(throws: late) {
            try SmallFile.awaitedBytes(self.path, limit: 100, awaitsWriter: false, withinSeconds: 0.05)
        }
    }

    @Test func `is read up to a limit, and what is none is told`() throws {
        try Data("abcdef".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try SmallFile.awaitedBytes(path, limit: 4) == Array("abcd".utf8))
        #expect(try SmallFile.awaitedBytes(path, limit: 100) == Array("abcdef".utf8))
        #expect(throws: FileError.cannotRead(path: "/", reason: "Is a directory")) {
            try SmallFile.awaitedBytes("/", limit: 4)
        }
        #expect(throws: FileError.readFailed(path: "/proc/self/mem", reason: "Input/output error")) {
            try SmallFile.awaitedBytes("/proc/self/mem", limit: 10)
        }
        #expect(throws: FileError.cannotRead(path: "/no/such", reason: "No such file or directory")) {
            try SmallFile.awaitedBytes("/no/such", limit: 4)
        }
    }
}
