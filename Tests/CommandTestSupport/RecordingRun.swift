import Foundation
import Jack
import TestSupport
import Testing

/// A run of `iounit monitor` that records, and what can be known of it from outside. Gaps are not filled, so that what
/// is in the file was heard.
package final class RecordingRun {
    package let run: CommandRun
    package let path: String
    private let folder: TemporaryFolder

    /// - Parameter server: one that is started by somebody else.
    package init(
        on server: String, _ words: [String] = ["--reconnect", "auto"], source: String? = "tone",
        environment: [String: String] = [:], errors: FileHandle? = nil
    ) throws {
        folder = try TemporaryFolder()
        path = folder("recording.wav")
        run = try CommandRun(
            ["monitor", "--server", server, "--json", "--record", path, "--gaps", "cut"]
                + (source.map { ["--source", $0] } ?? [])
                + words,
            environment: environment, errors: errors)
        try waitForSound()
        // The unit records before its source begins.
        if source == "tone" {
            try run.wait(until: "its source is recorded") {
                (try? Data(contentsOf: URL(fileURLWithPath: path)))?.suffix(4096).contains { $0 != 0 } == true
            }
        }
    }

    /// Of all segments, as far as the disk knows: each frame of two channels has eight bytes.
    package var bytes: Int {
        folder.names.filter { $0.hasSuffix(".wav") }.reduce(0) { $0 + bytesOnDisk(folder($1)) }
    }

    /// Waits until so many frames more have been recorded; a tenth of a second of them, where nothing is said.
    package func waitForSound(frames: Int = 4800, _ location: SourceLocation = #_sourceLocation) throws {
        let before = bytes
        try run.wait(until: "it records", location) { bytes > before + 8 * frames }
    }

    /// The list beside the recording, of its gaps and where the server freewheeled.
    package var sidecar: [String: Any] {
        get throws { try object(String(contentsOfFile: "\(path).json", encoding: .utf8)) }
    }

    /// Waits until it has told something. A line is told once; `times` of them have been.
    package func wait(until text: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) throws {
        try run.wait(until: text, location) { run.err.components(separatedBy: text).count > times }
    }

    /// Waits for the end with a code, and gives back the report, which the file agrees with to the last frame.
    package func end(_ code: Int32, _ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        #expect(try run.end(location) == code, "\(run.err)", sourceLocation: location)
        let report = try object(run.out, location)
        let recorded = try #require(report["recorded"] as? [String: Any], sourceLocation: location)
        let frames = try segments(of: report, location).reduce(0) { $0 + $1.frames }
        #expect(frames == recorded["frames"] as? Int, sourceLocation: location)
        #expect(recorded["droppedFrames"] as? Int == 0, sourceLocation: location)
        return report
    }

    package func end(by signal: Int32, _ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        run.send(signal)
        return try end(-signal, location)
    }
}

/// The files that a run has recorded, in their order, by its report.
package func segments(of report: [String: Any], _ location: SourceLocation = #_sourceLocation) throws -> [SoundFile] {
    let recorded = try #require(report["recorded"] as? [String: Any], sourceLocation: location)
    let paths = try #require(recorded["segments"] as? [String], sourceLocation: location)
    return try paths.map { try SoundFile(reading: $0, location) }
}

/// Each file holds the tone of 440 Hz at its own rate, in its latter half at least; and together
/// they last as long as what was heard of the run.
package func expectTone(
    in files: [SoundFile], _ report: [String: Any], _ location: SourceLocation = #_sourceLocation
) throws {
    for file in files {
        let late = SoundFile(
            sampleRate: file.sampleRate, channels: file.channels.map { Array($0.suffix($0.count / 2)) })
        #expect(abs(late.pitch - 440) < 5, "\(late.pitch) Hz at \(file.sampleRate)", sourceLocation: location)
    }
    let recorded = files.reduce(0) { $0 + Double($1.frames) / Double($1.sampleRate) }
    let lost = try #require(report["lostNanoseconds"] as? Double, sourceLocation: location) / 1e9
    let seconds = try #require(report["seconds"] as? Double, sourceLocation: location)
    #expect(abs(seconds - lost - recorded) < 0.1, sourceLocation: location)
}

/// The seconds of a report that neither frames nor losses account for.
package func unaccounted(_ report: [String: Any], sampleRate: Double = 48000) throws -> Double {
    func number(_ name: String) throws -> Double { try #require((report[name] as? NSNumber)?.doubleValue) }
    let missing = try number("lostNanoseconds") + number("absentNanoseconds")
    return try number("seconds") - number("frames") / sampleRate - missing / 1e9
}

/// What is connected to the ports of a client, seen by a client that is gone afterwards.
package func connections(_ client: String, on server: String) throws -> [String] {
    let watcher = try Client(name: "watcher", server: server)
    return try watcher.ports(PortQuery(pattern: "^\(client):")).flatMap { port in
        port.connections.map { "\(port.name) \($0)" }
    }.sorted()
}
