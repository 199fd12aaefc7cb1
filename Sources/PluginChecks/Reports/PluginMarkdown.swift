import AudioReports

/// The check as Markdown, for the summaries of jobs and for articles.
package struct PluginMarkdown: Sendable {
    package let text: String

    /// Plug-ins that are safe are counted, not listed.
    package init(_ report: PluginCheckReport) {
        let rows = report.worstFirst.filter { $0.verdict != .safe }.map { result in
            [result.name, result.uri, result.verdict.inWords, result.claimsHardRealTime ? "yes" : "no", result.summary]
        }
        var lines = ["### Plug-ins", "", MarkdownText.escaped(report.verdict) + ".", ""]
        if !rows.isEmpty {
            lines += MarkdownText.table(["plug-in", "URI", "verdict", "claims", "found"], rows)
            lines.append("")
        }
        lines += [MarkdownText.escaped(PluginCheckReport.caution), "", ""]
        text = lines.joined(separator: "\n")
    }
}
