import AudioReports

/// The check as text for a terminal.
package struct PluginTable: Sendable {
    package let text: String

    /// - Parameter isVerbose: whether to list safe plug-ins, warnings and every place too.
    package init(_ report: PluginCheckReport, isVerbose: Bool) {
        let isOne = report.plugins.count == 1
        var lines: [String] = []
        for verdict in PluginVerdict.worstFirst {
            let results = report.worstFirst.filter { $0.verdict == verdict }
            guard !results.isEmpty, verdict != .safe || isVerbose || isOne else { continue }
            lines.append("\(verdict.inWords):")
            for result in results { lines += Self.lines(result, isVerbose: isVerbose || isOne) }
            lines.append("")
        }
        lines.append(report.verdict + ".")
        if report.plugins.contains(where: { !$0.rawCallsAreSeen && $0.verdict != .notJudged }) {
            lines.append("This kernel or processor does not show system calls that no function of the C library makes.")
        }
        if report.plugins.contains(where: \.lockingWasRefused) {
            lines.append("Memory could not be locked here, so page faults under locked memory were not looked for.")
        }
        lines += wrapped(PluginCheckReport.caution, width: 100)
        text = lines.joined(separator: "\n")
    }

    private static func lines(_ result: PluginResult, isVerbose: Bool) -> [String] {
        let claim = result.breaksClaim ? " (claims hardRTCapable)" : ""
        var lines = ["  \(shown(result.name))  \(shown(result.uri))\(claim)"]
        if !result.reason.isEmpty { lines.append("      \(shown(result.reason))") }
        // The first of each kind; all of them where that is asked for.
        var kinds: Set<FindingKind> = []
        for finding in result.failures where isVerbose || kinds.insert(finding.finding).inserted {
            lines.append("      \(shown(finding.inWords))")
        }
        guard isVerbose else { return lines }
        for finding in result.warnings { lines.append("      warning: \(shown(finding.inWords))") }
        if let latency = result.latency.value, latency.declaredFrames != 0 || (latency.measuredFrames.value ?? 0) != 0 {
            let measured =
                latency.measuredFrames.value.map { "measured \(rounded($0, significantDigits: 6))" } ?? "not measured"
            lines.append(
                "      latency: declared \(rounded(latency.declaredFrames, significantDigits: 6)) frames, \(measured)")
        }
        return lines
    }
}
