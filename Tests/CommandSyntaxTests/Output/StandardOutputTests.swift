import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("The standard output") struct StandardOutputTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [["--version"], ["convert", "IN", "-"]])
    func `is a file whose disk says only at a close that it is full`(words: [String]) throws {
        try SoundFile(sampleRate: 48000, channels: [[0, 0.5, 0]]).write(folder("in.wav"))
        _ = FileManager.default.createFile(atPath: folder("out"), contents: nil)
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: folder("out")))
        let run = try CommandRun(
            words.map { $0 == "IN" ? folder("in.wav") : $0 },
            environment: LateDisk.environment(folder("out"), in: folder), output: output)
        #expect(try run.end() == 74)
        #expect(run.err.contains("standard output") && run.err.split(separator: "\n").count == 1, "\(run.err)")
    }

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
