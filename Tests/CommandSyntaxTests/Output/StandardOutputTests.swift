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

    /// Words that send sound there under another name, and what their summary has.
    @Test(arguments: [
        ("record --dummy --seconds 0.2 --send file:FOLDER/out FOLDER/a.wav", "recorded 0.2 s of 2 channels"),
        ("send --dummy --seconds 0.2 file:FOLDER/out", " s of 2 channels on "),
        ("monitor --dummy --seconds 0.2 --record FOLDER/out", " cycles of 64 frames "),
        ("monitor --offline --seconds 0.2 --record FOLDER/out", "0.2 s offline at 48000 Hz"),
        ("tune --dummy --seconds 0.2 --record FOLDER/out", "\n  heard "),
    ])
    func `has no report beside sound, and the summary goes to the standard error then`(
        words: String, summary: String
    ) throws {
        // Not /dev/stdout itself, beside which a list of gaps would be written.
        try FileManager.default.createSymbolicLink(atPath: folder("out"), withDestinationPath: "/dev/stdout")
        let line = "'\(CommandRun.program)' " + words.replacing("FOLDER", with: "'\(folder.path)'")
        let refused = try CommandRun.tool("bash", "-o", "pipefail", "-c", "\(line) --json | cat")
        #expect(refused.code == 64 && refused.out.isEmpty && folder.names == ["out"], "\(folder.names)")
        #expect(refused.err.contains("--json prints on the standard output"), "\(refused.err)")
        let run = try CommandRun.tool("bash", "-c", "\(line) | cat")
        #expect(run.err.contains(summary) && !run.out.contains(summary), "\(run.err)")
    }

    @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "FOLDER/out"])
    func `takes no stream beside a recording, whatever the stream calls it`(name: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder("out"), withDestinationPath: "/dev/stdout")
        let target = name.replacing("FOLDER", with: folder.path)
        let line = "'\(CommandRun.program)' record --dummy --seconds 0.2 - --send 'file:\(target)' | cat"
        let run = try CommandRun.tool("bash", "-o", "pipefail", "-c", line)
        #expect(run.code == 64 && run.out.isEmpty && run.err.contains("standard output"), "\(run.err)")
    }

    @Test(arguments: ["jitter --dummy --seconds 0.2 --html", "send --dummy --seconds 0.2 rtp://127.0.0.1:5004 --sdp"])
    func `is no file for a page or a description beside what is printed`(words: String) throws {
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let line = "'\(CommandRun.program)' \(words) \(name) | cat"
            let run = try CommandRun.tool("bash", "-o", "pipefail", "-c", line)
            #expect(run.code == 64 && run.out.isEmpty && run.err.contains("name"), "\(run.err)")
        }
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
