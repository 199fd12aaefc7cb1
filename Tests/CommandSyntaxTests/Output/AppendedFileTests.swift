import Foundation
import TestSupport
import Testing
import Threads

@testable import CommandSyntax

@Suite("A file that is added to")
struct AppendedFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test func `that is a pipe whose reader takes nothing is given up`() throws {
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        // More than a pipe holds.
        let text = String(repeating: "a line\n", count: 1 << 20)
        #expect(throws: FileError.cannotWrite(path: path, reason: "its reader takes nothing")) {
            try AppendedFile(path).finish(with: text, patienceMilliseconds: 10)
        }
    }

    @Test func `that is a pipe goes to its reader, and a file to its end`() throws {
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        try AppendedFile(path).finish(with: "whole")
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(reader, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "whole")
        for part in ["one\n", "two", "three"] { try AppendedFile(folder("file")).finish(with: part) }
        #expect(try String(contentsOfFile: folder("file"), encoding: .utf8) == "one\ntwo\nthree")
    }
}
