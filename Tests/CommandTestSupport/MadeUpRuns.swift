import Foundation
import TestSupport
import Testing

/// Logs and reports of runs that were never made, whose figures are known.
package struct MadeUpRuns {
    package let folder: TemporaryFolder
    package init() throws { folder = try TemporaryFolder() }

    /// A log of callbacks whose intervals deviate by up to so much, each as likely.
    ///
    /// - Parameters:
    ///   - facts: lines for the head.
    /// - Returns: its path.
    package func log(
        _ name: String, seed: UInt64, deviation nanoseconds: Int64, cycles: Int = 2500, period: Int = 64,
        facts: [String] = []
    ) throws -> String {
        var random = SeededGenerator(seed: seed)
        var lines = ["# iounit.cycles/1"] + facts.map { "# \($0)" }
        lines.append("# mode callback: kind=callback sampleRate=48000 periodFrames=\(period) startNanoseconds=0")
        lines.append("mode,entry_ns,exit_ns,frame_time,frames,position,lost_records,sample_rate")
        var entry: Int64 = 1_000_000_000_000
        for cycle in 0..<cycles {
            lines.append("callback,\(entry),\(entry + 20_000),\(cycle * period),\(period),\(cycle * period),0,48000")
            entry += Int64(period) * 1_000_000 / 48 + Int64.random(in: -nanoseconds...nanoseconds, using: &random)
        }
        try write(lines.joined(separator: "\n") + "\n", name)
        return folder(name)
    }

    /// The report of a log, as of a run at a time.
    @discardableResult
    package func report(_ name: String, of log: String, date: String? = nil, host: String = "stage") throws -> String {
        let run = try CommandRun.run("jitter", "--from", log, "--json")
        var report = try object(run.out)
        if let date {
            report["provenance"] = ["date": date, "version": "0.1.0", "host": host, "command": "iounit jitter"]
        }
        try JSONSerialization.data(withJSONObject: report).write(to: URL(fileURLWithPath: folder(name)))
        return folder(name)
    }

    package func write(_ text: String, _ name: String) throws {
        let path = URL(fileURLWithPath: folder(name))
        try FileManager.default.createDirectory(
            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: path)
    }

    package func text(_ name: String) throws -> String { try String(contentsOfFile: folder(name), encoding: .utf8) }
}
