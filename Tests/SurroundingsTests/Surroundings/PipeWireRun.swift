import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// A run of `iounit monitor` on PipeWire that records a source of its own.
final class PipeWireRun {
    let run: CommandRun
    let folder: TemporaryFolder

    /// - Parameter source: as the command has it.
    init(on server: PipeWireServer, source: String = "tone", _ words: [String] = []) throws {
        folder = try TemporaryFolder()
        run = try server.iounit(
            ["monitor", "--json", "--source", source, "--record", folder("take.wav"), "--gaps", "cut"] + words)
        try waitForSound()
    }

    /// Of all segments, as far as the disk knows.
    private var bytes: Int {
        folder.names.filter { $0.hasSuffix(".wav") }.reduce(0) { $0 + bytesOnDisk(folder($1)) }
    }

    var recordedBytes: Int { bytes }

    /// Waits until half a second more has been recorded: enough to tell a pitch by.
    func waitForSound(_ location: SourceLocation = #_sourceLocation) throws {
        let before = bytes
        try run.wait(until: "it records", location) { bytes > before + 8 * 24_000 }
    }

    /// Waits until it has told something so often.
    func wait(until text: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) throws {
        try run.wait(until: text, location) { run.err.components(separatedBy: text).count > times }
    }

    /// Ends it; returns what it says of the run, and the recorded files in order.
    func end(_ location: SourceLocation = #_sourceLocation) throws -> (report: [String: Any], files: [SoundFile]) {
        run.send(SIGINT)
        #expect(try run.end(location) == -SIGINT, "\(run.err)", sourceLocation: location)
        let report = try object(run.out, location)
        let recorded = try #require(report["recorded"] as? [String: Any], sourceLocation: location)
        let files = try segments(of: report, location)
        #expect(files.reduce(0) { $0 + $1.frames } == recorded["frames"] as? Int, sourceLocation: location)
        return (report, files)
    }
}
