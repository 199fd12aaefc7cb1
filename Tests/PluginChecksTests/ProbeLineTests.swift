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
}
