import Glibc
import Testing
import Threads

@testable import Jack

@Suite("What a server says") struct ServerLogTests {
    private func lines(_ text: String) throws -> [String] {
        let ends = try #require(PipeEnds())
        // A pipe holds 64 KiB.
        try #require(WholeWrite.write(Array(text.utf8), to: ends.writing))
        close(ends.writing)
        defer { close(ends.reading) }
        var lines: [String] = []
        ServerProcess.readLines(from: ends.reading) { lines.append($0) }
        return lines
    }

    @Test func `comes as lines, the last perhaps without an end`() throws {
        #expect(try lines("one\n\ntwo") == ["one", "", "two"])
        #expect(try lines("one\n") == ["one"])
        #expect(try lines("") == [])
    }

    @Test func `is cut where a line does not end`() throws {
        let line = String(repeating: "x", count: 4096)
        #expect(try lines("\(line)\n\(line)y\nend") == [line, "\(line)…", "end"])
        #expect(try lines(String(repeating: "x", count: 60_000)) == ["\(line)…"])
    }
}
