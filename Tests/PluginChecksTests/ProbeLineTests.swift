import Testing

@testable import PluginChecks

@Suite("Lines of the probe") struct ProbeLineTests {
    @Test func `counts that a plug-in has made up itself are cut, and their sums too`() throws {
        let line = #"t {"kind":"finding","finding":"lock","phase":"steady","subject":"f","count":1e300,"blocks":-5}"#
        let text = Array(repeating: line, count: 20_000).joined(separator: "\n")
        let findings = ProbeLine.lines(Array(text.utf8), token: "t").compactMap { PluginFinding($0, failing: []) }
        let merged = findings.merged
        #expect(findings.count == 20_000 && merged.count == 1)
        #expect(merged.first?.count == 1_000_000_000_000_000 && merged.first?.blocks == 0)
        #expect(ProbeLine.lines(Array(text.utf8), token: "u").isEmpty)
    }

    /// Each compared with each other one, these would take hours.
    @Test func `as many different findings as a report can have are merged in their order`() {
        func findings(_ kind: String) -> [PluginFinding] {
            (0..<100_000).compactMap { number in
                let frame = ProbeLine.Frame(library: "/x.so", libraryOffset: Double(number))
                return PluginFinding(
                    ProbeLine(kind: .finding, phase: "\(number)", finding: kind, subject: "f", frames: [frame]),
                    failing: FindingKind.failures)
            }
        }
        let locks = findings("lock")
        let merged = (locks + findings("wait") + locks).merged
        #expect(merged.count == 200_000 && merged.prefix(100_000).allSatisfy { $0.count == 2 })
        #expect(merged.prefix(3).map(\.phase) == ["0", "1", "2"])
        #expect(merged.suffix(100_000).allSatisfy { $0.finding == .wait && $0.count == 1 })
    }
}
