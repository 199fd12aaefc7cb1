import AudioReports

/// The check in the form that continuous integration reads (JUnit): a test case for each plug-in, which fails where it is not
/// safe, and is an error where it could not be judged.
package struct PluginCases: Sendable {
    /// A whole XML document.
    package let text: String

    /// - Parameter allowsFirstBlock: whether what only first blocks do is fine.
    package init(_ report: PluginCheckReport, allowsFirstBlock: Bool = false) {
        let failures = report.counts.notSafe + (allowsFirstBlock ? 0 : report.counts.safeAfterFirstBlock)
        let time = fixed(report.seconds, 3)
        let counts =
            "tests=\"\(report.counts.plugins)\" failures=\"\(failures)\" errors=\"\(report.counts.notJudged)\" time=\"\(time)\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"iounit\" \(counts)>",
            "<testsuite name=\"iounit.plugin\" \(counts) skipped=\"0\">",
        ]
        lines += report.plugins.map { Self.element($0, allowsFirstBlock: allowsFirstBlock) }
        lines.append("<system-out>\(escaped(report.verdict))</system-out>")
        text = (lines + ["</testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    private static func element(_ result: PluginResult, allowsFirstBlock: Bool) -> String {
        let bundle = result.bundle.split(separator: "/").last.map(String.init) ?? "plug-in"
        let head =
            "<testcase classname=\"\(escaped(bundle))\" name=\"\(escaped(result.uri))\" time=\"\(fixed(result.seconds, 3))\""
        let isFine = result.verdict == .safe || allowsFirstBlock && result.verdict == .safeAfterFirstBlock
        guard !isFine else { return head + "/>" }
        let kind = result.verdict == .notJudged ? "error" : "failure"
        let message = escaped("\(result.verdict.inWords): \(result.summary)")
        let places = result.failures.map { escaped($0.inWords) }.joined(separator: "\n")
        return head
            + "><\(kind) message=\"\(message)\" type=\"\(result.verdict.rawValue)\">\(places)</\(kind)></testcase>"
    }
}
