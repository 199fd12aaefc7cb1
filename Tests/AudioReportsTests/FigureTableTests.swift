import AudioFigures
import AudioReports
import Foundation
import Testing

@Suite("The table of figures") struct FigureTableTests {
    /// With everything that a report can have, and no two numbers of one kind alike.
    private static var measured: Report {
        var report = SampleReport.jitter
        report.modes[0].parts = [PeriodPart(frames: 64, sampleRate: 48000, startNanoseconds: 0)]
        report.modes[0].blame.value = SampleReport.blame(own: 21, upstream: 22, wakeup: 23, unknown: 24)
        (report.modes[0].droppedFrames, report.modes[0].insertedFrames, report.modes[0].lostRecords) = (31, 32, 33)
        (report.modes[0].lost.longIntervals, report.modes[0].overruns) = (34, 35)
        report.limits = SampleReport.compare.limits
        report.published = SampleReport.compare.published
        report.provenance.value = SampleReport.provenance
        return report
    }

    private static let measurement = FigureTable.measurement.flatMap(\.figures)

    private static var latency: LatencyReport {
        var report = LatencyReport(
            finding: .measured(
                LatencyEstimate(
                    frames: 64.25, errorFrames: 0.001, isInverted: false, levelDecibels: -3,
                    signalToNoiseDecibels: 100, falseAlarmProbability: 1e-9)),
            end: .done, seconds: 5, server: SampleReport.server, host: SampleReport.host, send: "a:in", return: "a:out",
            blocks: 6, discarded: 2, restarts: 1, peakDecibels: nil, longestFrames: 32768,
            declared: DeclaredLatency(
                parts: [.init(port: "a:out", kind: .capture, frames: 80...80)], otherConnections: ["b:out"]),
            expected: nil, foreignConnections: [ForeignConnection(port: "p:in_1", other: "b:out", times: 3)])
        report.limits = SampleReport.compare.limits
        report.scheduling.value = SampleReport.scheduling
        report.provenance.value = SampleReport.provenance
        return report
    }

    private static func object(_ report: some Encodable) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
    }

    /// Of all that holds a value, an empty list or a distribution.
    private static func paths(_ value: Any, at path: String = "") -> Set<String> {
        switch value {
        case let object as [String: Any]:
            if Set(object.keys) == Set(Statistic.allCases.map(\.rawValue)) { return [path] }
            return object.reduce(into: []) { found, field in
                found.formUnion(paths(field.value, at: path.isEmpty ? field.key : "\(path).\(field.key)"))
            }
        case let list as [Any]:
            return list.isEmpty ? ["\(path)[]"] : list.reduce(into: []) { $0.formUnion(paths($1, at: "\(path)[]")) }
        default:
            return [path]
        }
    }

    /// What holds others is explained beside them, where it may be null.
    private static func paths(_ figures: [Figure]) -> Set<String> {
        let all = Set(figures.map(\.path))
        return all.filter { path in !all.contains { $0.hasPrefix("\(path).") } }
    }

    /// A number by its path, in the first of several; `nil` for null.
    private static func number(at path: String, in value: Any) throws -> Double? {
        guard let object = value as? [String: Any] else { return nil }
        if let number = object[path] { return (number as? NSNumber)?.doubleValue }
        let dot = try #require(path.firstIndex(of: "."), "the JSON has no \(path)")
        let key = String(path[..<dot]).replacing("[]", with: "")
        let inner = try #require(object[key], "the JSON has no \(key)")
        return try number(at: String(path[path.index(after: dot)...]), in: (inner as? [Any])?.first ?? inner)
    }

    /// `JSONSerialization` reads some numbers a last digit off.
    private static func isSame(_ one: Double?, _ other: Double) -> Bool {
        one.map { abs($0 - other) <= abs(other) * 1e-12 } ?? false
    }

    @Test func `has each key of the JSON of a latency, and no other`() throws {
        let written = Self.paths(try Self.object(Self.latency))
        let listed = Self.paths(LatencyReport.figures)
        #expect(written.subtracting(listed) == [], "written and not in the table")
        #expect(listed.subtracting(written) == [], "in the table and not written")
    }

    @Test func `leads from the name of a limit to the number that the JSON has`() throws {
        var report = Self.measured
        let json = try Self.object(report)
        let figures = Limit.Subject.mode.figures
        try #require(figures.count > 40)
        report.limits = []
        report.check(try figures.map { try Limit("\(#require($0.limit))=0") })
        for (figure, result) in zip(figures, report.limits) {
            // 7500 callbacks are too few for p9999: then neither has a number.
            let number = try Self.number(at: figure.path, in: json)
            #expect((number == nil) == figure.path.hasSuffix("p9999"), "\(figure.path)")
            let isSame = number.map { Self.isSame(result.measured.value, $0) } ?? (result.measured.value == nil)
            #expect(isSame, "\(result.limit) is not \(figure.path)")
        }
    }

    @Test func `leads from the name of a limit on a latency to the number that the JSON has`() throws {
        let json = try Self.object(Self.latency)
        for figure in Limit.Subject.latency.figures {
            let result = try Limit("\(#require(figure.limit))=0", of: .latency).result(Self.latency)
            let number = try #require(try Self.number(at: figure.path, in: json), "\(figure.path)")
            #expect(Self.isSame(result.measured.value, abs(number)), "\(result.limit) is not \(figure.path)")
        }
    }

    @Test func `has one entry for each key, and words for each`() {
        for figures in [Self.measurement, LatencyReport.figures] {
            #expect(Set(figures.map(\.path)).count == figures.count)
            #expect(figures.allSatisfy { !$0.meaning.isEmpty })
        }
    }
}
