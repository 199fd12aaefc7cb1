import CommandTestSupport
import Foundation
import Jack
import TestSupport
import Testing

@Suite("Files that cannot be read or written")
struct FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func monitor(_ words: String...) throws -> CommandRun {
        try CommandRun(["monitor", "--dummy", "--seconds", "1"] + words)
    }

    private func refused(
        _ run: CommandRun, _ code: Int32, _ says: String, _ location: SourceLocation = #_sourceLocation
    )
        throws
    {
        #expect(try run.end() == code, "\(run.err)", sourceLocation: location)
        #expect(run.out.isEmpty, sourceLocation: location)
        #expect(run.err.split(separator: "\n").count == 1, "\(run.err)", sourceLocation: location)
        #expect(run.err.contains(says), "\(run.err)", sourceLocation: location)
    }

    @Test func `a source that is not there, not a file, not sound, empty or cut short is named and refused`() throws {
        try refused(monitor("--source", folder("none.wav")), 66, "none.wav")
        let directory = try monitor("--source", folder("."))
        #expect([65, 66].contains(try directory.end()))
        try Data("not a sound".utf8).write(to: URL(fileURLWithPath: folder("text.wav")))
        try refused(monitor("--source", folder("text.wav")), 65, "text.wav")
        try Data().write(to: URL(fileURLWithPath: folder("empty.wav")))
        try refused(monitor("--source", folder("empty.wav")), 65, "empty.wav")
        try SoundFile(sampleRate: 48000, channels: [[]]).write(folder("zero.wav"))
        try refused(monitor("--source", folder("zero.wav")), 65, "zero.wav")
        try SoundFile(sampleRate: 48000, channels: [[Float](repeating: 0.1, count: 9000)]).write(
            folder("whole.wav"))
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder("whole.wav")))
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: folder("cut.wav")))
        try refused(monitor("--source", folder("cut.wav")), 65, "cut.wav")
        let many = SoundFile(sampleRate: 48000, channels: Array(repeating: [0, 0, 0], count: 200))
        try many.write(folder("many.wav"))
        try refused(monitor("--source", folder("many.wav")), 65, "200")
    }

    @Test func `a recording that cannot be made is refused before anything starts`() throws {
        try refused(monitor("--record", folder("missing/x.wav")), 73, "x.wav")
        try FileManager.default.createDirectory(atPath: folder("folder.wav"), withIntermediateDirectories: true)
        try refused(monitor("--record", folder("folder.wav")), 73, "folder.wav")
        try refused(monitor("--record", folder("noextension")), 64, "extension")
        try refused(monitor("--record", folder("x.xyz")), 64, "xyz")
    }

    @Test func `an existing file is kept unless the user insists`() throws {
        let path = folder("keep.wav")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        try refused(monitor("--record", path), 73, "--force")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
        // Nothing is replaced until all else is prepared, and the server lets us in.
        try refused(
            monitor("--record", path, "--force", "--send", "ws://127.0.0.1:1/a", "--token", "file:\(folder("none"))"),
            66, "token")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
        #expect(folder.names == ["keep.wav"])
        let run = try monitor("--record", path, "--force")
        #expect(try run.end() == 0)
        #expect(try SoundFile(reading: path).frames > 0)
    }

    @Test func `a disk that fills up leaves a readable file and an exit code that says so`() throws {
        let path = folder("full.wav")
        let server = try Server()
        defer { server.stop() }
        // The limit on a file's size, in blocks of 512 bytes, stands for the disk.
        let command = "'\(CommandRun.program)' monitor --server \(server.name) --source tone --seconds 2 --json"
        let run = try CommandRun(
            ["-c", "ulimit -f 200; exec \(command) --record '\(path)'"], program: "/bin/sh")
        #expect(try run.end() == 74)
        #expect(run.err.contains("full.wav"), "\(run.err)")
        let report = try object(run.out)
        let recorded = try #require(report["recorded"] as? [String: Any])
        #expect(try #require(recorded["droppedFrames"] as? Int) > 0, "what is missing is counted")
        let frames = try SoundFile(reading: path).frames
        #expect(frames > 1000 && frames < 20000)
    }
}
