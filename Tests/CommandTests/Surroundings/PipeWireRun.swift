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
        folder.names.filter { $0.hasSuffix(".wav") }.reduce(0) { sum, name in
            sum + ((try? FileManager.default.attributesOfItem(atPath: folder(name))[.size] as? Int) ?? 0)
        }
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
        #expect(try run.end(location) == 130, "\(run.err)", sourceLocation: location)
        let report = try object(run.out, location)
        let recorded = try #require(report["recorded"] as? [String: Any], sourceLocation: location)
        let segments = try #require(recorded["segments"] as? [String], sourceLocation: location)
        let files = try segments.map { try SoundFile(reading: $0, location) }
        #expect(files.reduce(0) { $0 + $1.frames } == recorded["frames"] as? Int, sourceLocation: location)
        return (report, files)
    }
}

extension SoundFile {
    /// The pitch of the first channel in Hz of the file's own rate: the median of its periods, so that neither a gap nor
    /// the silence of a source that joins again matters.
    var pitch: Double {
        guard let samples = channels.first else { return 0 }
        let crossings = samples.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }.map { index in
            // Between two samples.
            Double(index) - Double(samples[index] / (samples[index] - samples[index - 1]))
        }
        let periods = zip(crossings, crossings.dropFirst()).map { $1 - $0 }.sorted()
        return periods.isEmpty ? 0 : Double(sampleRate) / periods[periods.count / 2]
    }
}
