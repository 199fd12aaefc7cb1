import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("The standard output") struct StandardOutputTests {
    @Test func `is waited for where it is a pipe in which no call waits`() throws {
        let expected = try CommandRun.run("monitor", "--help").out
        #expect(expected.utf8.count > 5000)
        let pipe = Pipe()
        let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        // F_SETPIPE_SZ: it holds a page.
        #expect(fcntl(writer.fileDescriptor, 1031, 4096) == 4096)
        #expect(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let run = try CommandRun(["monitor", "--help"], output: writer)
        try writer.close()
        var waiting: CInt = 0
        try run.wait(until: "the pipe is full") {
            ioctl(reader.fileDescriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 4096
        }
        let text = String(decoding: reader.readDataToEndOfFile(), as: UTF8.self)
        #expect(try run.end() == 0, "\(run.err)")
        #expect(text == expected)
    }
}
