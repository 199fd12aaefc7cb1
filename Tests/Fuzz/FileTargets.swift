import AudioFigures
import AudioMeasurement
import AudioReports
import Foundation

@testable import AudioDSP
@testable import AudioRecording
@testable import CommandSyntax
@testable import FileCommands
@testable import MeasuringCommands

extension Target {
    /// A sound file as `--source` plays it, also at another rate.
    static let soundFile = Target(name: "soundfile") { bytes in
        do {
            try InputFile.with(bytes) { file in
                let source = try Source(.file(path: file.path), sampleRate: 48000, channels: 2)
                require(1...64 ~= source.channels && source.sampleRate ?? 0 > 0, "\(source.channels) channels")
                var signal = try source.open(sampleRate: 48000, channels: source.channels)
                var block = [Float](repeating: 0, count: 1024 * signal.channels)
                // A header may promise years.
                for _ in 0..<64 {
                    let count = try signal.read(1024, into: &block)
                    require(0...1024 ~= count, "\(count) frames of 1024")
                    if count == 0 { break }
                }
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    static let shapeTable = Target(name: "shapetable") { bytes in
        do {
            try InputFile.with(bytes) { file in
                let table = try ShapeTableFile(file.path).table
                require(table.first < table.last, "it does not lead to the right")
                let values = table.values
                require(values.allSatisfy { abs($0) <= ShapeTable.largestCoordinate }, "a value is out of range")
                let curve = TableCurve(table)
                var samples = [
                    -Float.greatestFiniteMagnitude, -1, -0.0, .leastNonzeroMagnitude, 1, table.first, table.last,
                ]
                samples += (0..<16).map { table.first + (table.last - table.first) * Float($0) / 16 }
                unsafe samples.withUnsafeMutableBufferPointer { samples in
                    guard let start = samples.baseAddress else { return }
                    // SAFETY: the samples live for the call.
                    unsafe curve.shape(Samples(start, count: samples.count), gain: Ramp(1))
                }
                let range = (values.min() ?? 0).nextDown...(values.max() ?? 0).nextUp
                require(samples.allSatisfy(range.contains), "it shapes beyond its values: \(samples)")
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }

    /// A log as `--from` reads it, and all that is made of it.
    static let cycles = Target(name: "cycles") { bytes in
        do {
            try InputFile.with(bytes) { file in
                let logged = try LoggedReport.read(file.path, schema: "iounit.jitter/2")
                let report = logged.judged([try Limit("p99=1us"), try Limit("lost=0")])
                for mode in report.modes {
                    let figures = [mode.nominalNanoseconds, mode.load.mean, mode.load.maximum, report.seconds]
                    require(figures.allSatisfy(\.isFinite), "a figure is not finite")
                    requireHarmless(PercentileFile(mode.deviationHistogram).text, lines: true, "percentiles")
                    let path = MeasurementOutputs.path("folder/run.hgrm", of: mode.name)
                    require(path.count { $0 == "/" } == 1, "a mode's name leads out of the folder: \(path)")
                }
                requireHarmless(try encodeJSON(report), "JSON")
                requireHarmless(ReportTable(report).text, lines: true, "a table")
                // A page takes milliseconds; that it is drawn at all depends on the figures.
                requireWellFormed(HTMLPage(report, json: try encodeJSON(report)).text, "a page")
                requireWellFormed(JUnitFile(report).text, "test cases")
            }
        } catch {
            requireSentence(error, about: bytes)
        }
    }
}
