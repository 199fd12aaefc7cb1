import AudioFigures
import AudioReports
import Foundation
import Testing

@testable import iounit

@Suite("The fields of iounit.latency/1")
struct LatencyFieldsTests {
    /// What all reports have.
    private static let common = ["schema", "end", "seconds", "server", "host", "limits[]", "verdict"]

    private static let documented: Set<String> = {
        let shared = FigureHelp.fields.map(\.path).filter { path in
            common.contains { path == $0 || path.hasPrefix("\($0).") }
        }
        let all = shared + FigureHelp.latencyFields.map(\.path)
        // What has fields of its own is known by them.
        return Set(all.filter { path in !all.contains { $0.hasPrefix("\(path).") } })
    }()

    private static var report: LatencyReport {
        var report = LatencyReport(
            finding: .measured(
                LatencyEstimate(
                    frames: 64, errorFrames: 0.001, isInverted: false, levelDecibels: 0, signalToNoiseDecibels: 100)),
            end: .done, seconds: 5,
            server: ServerFacts(
                name: "a", backend: nil, sampleRate: 48000, periodFrames: 64, sync: nil, realtime: true),
            host: HostFacts(cpu: nil, cores: 2, kernel: "6", preemption: nil, governor: nil, scheduling: nil),
            send: "a:in", return: "a:out", blocks: 6, discarded: 0, restarts: 0, peakDecibels: nil,
            longestFrames: 32768, declaredFrames: nil, expected: nil)
        report.limits = [LimitResult(limit: "error=1", mode: "latency", measured: 0.001, unit: "frames", isMet: true)]
        return report
    }

    private static func paths(_ value: Any, _ path: String) -> Set<String> {
        switch value {
        case let fields as [String: Any]:
            return fields.reduce(into: []) {
                $0.formUnion(paths($1.value, path.isEmpty ? $1.key : "\(path).\($1.key)"))
            }
        case let values as [Any]:
            return values.isEmpty ? ["\(path)[]"] : values.reduce(into: []) { $0.formUnion(paths($1, "\(path)[]")) }
        default: return [path]
        }
    }

    @Test func `are explained, all of them and no others`() throws {
        let written = Self.paths(try object(encodeJSON(Self.report)), "")
        #expect(written.subtracting(Self.documented).isEmpty, "written and not explained")
        #expect(Self.documented.subtracting(written).isEmpty, "explained and not written")
    }

    @Test func `and its limits are in iounit help figures`() throws {
        let help = try CommandRun.run("help", "figures")
        #expect(help.code == 0)
        for name in FigureHelp.latencyFields.map(\.path) + Figure.ofLatency.map(\.name) {
            #expect(help.out.contains("\n  \(name) "), "\(name)")
        }
    }
}
