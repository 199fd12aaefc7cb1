import AudioReports

extension PluginCheckReport {
    /// The check as text for a terminal.
    ///
    /// - Parameter isVerbose: whether to list safe plug-ins, warnings and every place too.
    package func table(isVerbose: Bool) -> String {
        let isOne = plugins.count == 1
        var lines: [String] = []
        for verdict in PluginVerdict.worstFirst {
            let results = worstFirst.filter { $0.verdict == verdict }
            guard !results.isEmpty, verdict != .safe || isVerbose || isOne else { continue }
            lines.append("\(verdict.inWords):")
            for result in results { lines += Self.lines(result, isVerbose: isVerbose || isOne) }
            lines.append("")
        }
        lines.append(verdict + ".")
        if plugins.contains(where: { !$0.rawCallsAreSeen && $0.verdict != .notJudged }) {
            lines.append("This kernel or processor does not show system calls that no function of the C library makes.")
        }
        if plugins.contains(where: \.lockingWasRefused) {
            lines.append("Memory could not be locked here, so page faults under locked memory were not looked for.")
        }
        lines += wrapped(Self.caution, width: 100)
        return lines.joined(separator: "\n")
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
        if let latency = result.latency, latency.declaredFrames != 0 || (latency.measuredFrames ?? 0) != 0 {
            let measured =
                latency.measuredFrames.map { "measured \(rounded($0, significantDigits: 6))" } ?? "not measured"
            lines.append(
                "      latency: declared \(rounded(latency.declaredFrames, significantDigits: 6)) frames, \(measured)")
        }
        return lines
    }

    /// The check as Markdown, for the summaries of jobs and for articles. Plug-ins that are safe are counted, not listed.
    package var markdown: String {
        let rows = worstFirst.filter { $0.verdict != .safe }.map { result in
            [result.name, result.uri, result.verdict.inWords, result.claimsHardRealTime ? "yes" : "no", result.summary]
        }
        var lines = ["### Plug-ins", "", MarkdownText.escaped(verdict) + ".", ""]
        if !rows.isEmpty {
            lines += MarkdownText.table(["plug-in", "URI", "verdict", "claims", "found"], rows)
            lines.append("")
        }
        lines += [MarkdownText.escaped(Self.caution), "", ""]
        return lines.joined(separator: "\n")
    }

    /// The check in the form that continuous integration reads (JUnit), a whole XML document: a test case for each plug-in, which
    /// fails where it is not safe, and is an error where it could not be judged. A check that a signal ended has one case more, an
    /// error.
    ///
    /// - Parameter allowsFirstBlock: whether what only first blocks do is fine.
    package func cases(allowsFirstBlock: Bool) -> String {
        let suite = "iounit.plugin"
        var cases = plugins.map { result -> JUnitFile.Case in
            let bundle = result.bundle.split(separator: "/").last.map(String.init) ?? "plug-in"
            let isFine = result.verdict == .safe || allowsFirstBlock && result.verdict == .safeAfterFirstBlock
            let trouble: JUnitFile.Trouble = (
                result.verdict == .notJudged ? .error : .failure, result.verdict.rawValue,
                "\(result.verdict.inWords): \(result.summary)", result.failures.map(\.inWords)
            )
            return (bundle, result.uri, result.seconds, isFine ? nil : trouble)
        }
        if counts.left > 0 {
            let message = "\(counts.left) not checked, because a signal ended the check"
            cases.append((suite, "complete", seconds, (.error, "incomplete", message, [])))
        }
        return JUnitFile(suite, seconds: seconds, cases, verdict: verdict).text
    }
}
