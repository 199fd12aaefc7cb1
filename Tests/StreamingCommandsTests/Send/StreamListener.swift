import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// A foreign program that waits at a TCP port for a stream, and what it got.
final class StreamListener {
    let port: Int
    private let run: CommandRun
    private let path: String
    /// Nothing is said to it: as long as it is open, a listener that stalls does.
    private let standardInput = Pipe()

    private let address: String

    var target: String { "tcp://\(address):\(port)" }

    /// - Parameters:
    ///   - port: a certain one, where another has listened before.
    ///   - stalls: whether it takes the connection and reads nothing.
    ///   - cable: where it listens on the far machine.
    init(in folder: TemporaryFolder, port: Int = 0, stalls: Bool = false, at cable: Cable? = nil) throws {
        address = cable == nil ? "127.0.0.1" : Cable.farAddress
        let name = UUID().uuidString
        path = folder("stream-\(name)")
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let portFile = folder("port-\(name)")
        let words =
            ["/usr/bin/python3", receiverScript("listen.py"), "--port-file", portFile, "--port", "\(port)"]
            + ["--address", address] + (stalls ? ["--stall"] : [])
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let input = standardInput.fileHandleForReading
        run =
            try cable?.start(words, at: .far, input: input, output: output)
            ?? CommandRun(words, program: "/usr/bin/env", input: input, output: output)
        try run.wait(until: "it listens") { FileManager.default.fileExists(atPath: portFile) }
        self.port = try #require(Int(String(contentsOfFile: portFile, encoding: .utf8)))
    }

    /// That have come so far.
    var bytes: Int { bytesOnDisk(path) }

    func kill() { run.send(SIGKILL) }

    /// What came until the sender closed the connection, as ffmpeg reads it.
    func heard(in folder: TemporaryFolder, _ location: SourceLocation = #_sourceLocation) throws -> SoundFile {
        #expect(try run.end(location) == 0, sourceLocation: location)
        return try decoded(path, in: folder, location)
    }
}

/// A script that receives.
func receiverScript(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../AudioStreamingTests/Receivers/\(name)").path
}

/// A stream without a length in its header, as ffmpeg reads it.
func decoded(
    _ path: String, in folder: TemporaryFolder, _ location: SourceLocation = #_sourceLocation
) throws -> SoundFile {
    let whole = folder("\(UUID().uuidString).wav")
    let run = try CommandRun.tool("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-c:a", "pcm_f32le", whole)
    try #require(run.code == 0, "\(run.err)", sourceLocation: location)
    return try SoundFile(reading: whole, location)
}
