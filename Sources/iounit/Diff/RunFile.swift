import AudioFigures
import AudioMeasurement
import AudioReports
import Foundation

/// A file that tells of a measurement: a log of cycles (`--csv`) or a report (`--json`).
enum RunFile {
    /// What is longer is no report.
    private static let mostBytes = 64 << 20

    /// - Throws: a sentence, where the file cannot be read or is neither.
    static func read(_ path: String) throws -> MeasuredRun {
        try beginning(of: path, 1).first == UInt8(ascii: "#") ? log(path) : report(path)
    }

    /// - Throws: `cannotRead`.
    private static func beginning(of path: String, _ count: Int) throws(FileError) -> Data {
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            return try file.read(upToCount: count) ?? Data()
        } catch {
            var isFolder: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let reason =
                !exists ? "there is no such file" : isFolder.boolValue ? "it is a folder" : "it may not be read"
            throw .cannotRead(path: path, reason: reason)
        }
    }

    /// A report that `--json` has printed.
    static func report(_ path: String) throws -> MeasuredRun {
        let data = try beginning(of: path, mostBytes + 1)
        guard !data.isEmpty else { throw Failure(.badInput, "\(shown(path)) is empty") }
        guard data.count <= mostBytes, let value = try? JSONDecoder().decode(ReportValue.self, from: data) else {
            throw Failure(.badInput, "\(shown(path)) is neither a log of cycles (--csv) nor a report (--json)")
        }
        guard let run = MeasuredRun(name: path, report: value) else {
            throw Failure(.badInput, "\(shown(path)) is no report of iounit jitter, compare or latency")
        }
        return run
    }

    /// A log, analysed again: its report is read as any other.
    private static func log(_ path: String) throws -> MeasuredRun {
        let log = try CycleFile.contents(of: path, keepsSamples: true)
        // Whether of jitter or compare, a log does not tell.
        let report = LoggedReport.report(of: log, path, schema: "iounit.log")
        let value: ReportValue? = decodeJSON(try encodeJSON(report))
        guard let value, var run = MeasuredRun(name: path, report: value) else {
            throw Failure(.badInput, "\(shown(path)): nothing can be made of this log")
        }
        for index in run.parts.indices {
            guard let mode = report.modes.firstIndex(where: { $0.name == run.parts[index].name }) else { continue }
            run.parts[index].samples = log.analyses[mode].samples
            run.parts[index].curve = report.modes[mode].deviationCurve
        }
        return run
    }
}
