import AudioReports
import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite("iounit help figures, and the fields of the JSON")
struct FiguresTests {
    private static let distribution: Set = [
        "count", "min", "mean", "standardDeviation", "p50", "p90", "p99", "p999", "p9999", "max",
    ]

    /// The paths that the help names, without what is said of distributions once for all.
    private func documented() throws -> Set<String> {
        let help = try CommandRun.run("help", "figures").out
        let fields = try #require(help.components(separatedBy: "Fields of the JSON.").last)
        // Between the sentences about distributions and the table of the fields there is an empty line.
        let gap = try #require(fields.firstRange(of: "\n\n"))
        // What follows behind the next one is of iounit latency.
        let table = try #require(fields[gap.upperBound...].components(separatedBy: "\n\n").first)
        for key in Self.distribution {
            #expect(fields[..<gap.lowerBound].contains(key), "\(key) is not explained")
        }
        return Set(rows(of: table).compactMap { $0.split(separator: " ").first.map(String.init) })
    }

    /// The lines that a row of a table begins on: the further ones begin below the words.
    private func rows(of table: String) -> [Substring] {
        table.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
    }

    /// The paths of all that is printed. A distribution is one.
    private func paths(_ value: Any, at path: String = "") -> Set<String> {
        switch value {
        case let object as [String: Any]:
            if Set(object.keys) == Self.distribution { return [path] }
            let inner = object.map { paths($1, at: path.isEmpty ? $0 : "\(path).\($0)") }
            return inner.reduce(into: path.isEmpty ? [] : [path]) { $0.formUnion($1) }
        case let list as [Any]:
            return list.reduce(into: []) { $0.formUnion(paths($1, at: "\(path)[]")) }
        default:
            return [path]
        }
    }

    @Test func `every field that is printed is explained, and every field that is explained is printed`() throws {
        let bundle = try ProbeBundle.folder()
        let jitter = try CommandRun.run(
            "jitter", "--dummy", "--seconds", "0.3", "--warmup", "0.1", "--json", "--baseline", "--blame", "--plugin",
            "probe/probe", environment: ["LV2_PATH": bundle.path])
        let compare = try CommandRun.run(
            "compare", "--dummy", "--preset", "seed", "--seconds", "0.5", "--warmup", "0", "--json", "--limit",
            "lost=1s")
        try SchemaCheck.expect("jitter", describes: jitter.out)
        try SchemaCheck.expect("compare", describes: compare.out)
        let printed = paths(try object(jitter.out)).union(paths(try object(compare.out)))
        let documented = try documented()
        // What only holds other fields needs no words of its own.
        let holders = printed.filter { path in printed.contains { $0.hasPrefix("\(path).") } }
        #expect(printed.subtracting(documented).subtracting(holders) == [])
        // A plug-in that does nothing wrong shows none of these.
        let wrongs = documented.filter { $0.hasPrefix("plugins[].latencyChanges[]") || $0 == "plugins[].refusals[]" }
        #expect(wrongs.count == 3 && documented.subtracting(printed) == wrongs)
    }

    @Test func `what was not measured is null and not left out`() throws {
        let run = try CommandRun.run("jitter", "--dummy", "--seconds", "0.2", "--warmup", "0", "--json")
        let report = try object(run.out)
        #expect(report["baseline"] is NSNull)
        let mode = try #require((report["modes"] as? [[String: Any]])?.first)
        for field in ["blame", "bufferFrames", "bufferCount", "format"] {
            #expect(mode[field] is NSNull, "\(field)")
        }
        for field in ["limits", "published"] { #expect((report[field] as? [Any])?.isEmpty == true, "\(field)") }
    }

    @Test func `each name of a limit that the help has can be limited, and each that can be is in the help`() throws {
        let help = try CommandRun.run("help", "figures").out
        let table = try #require(help.components(separatedBy: "Fields of the JSON.").first)
        let rows = rows(of: table)
        let statistics = ["min", "mean", "p50", "p90", "p99", "p999", "p9999", "max", "standard-deviation"]
        for statistic in statistics { #expect(table.contains("\(statistic)"), "\(statistic) is not named") }
        let names = rows.compactMap { $0.split(separator: " ").first.map(String.init) }.flatMap { name in
            name.hasSuffix("STATISTIC") ? statistics.map { name.dropLast(9) + $0 } : [name]
        }
        #expect(names.sorted() == Limit.Subject.mode.names.sorted())
        // Outputs are read after the limits: so all of these were understood.
        let run = try CommandRun(["jitter"] + names.flatMap { ["--limit", "\($0)=0"] } + ["--html", ""])
        #expect(try run.end() == 64)
        #expect(run.err.contains("--html"), "\(run.err)")
    }
}
