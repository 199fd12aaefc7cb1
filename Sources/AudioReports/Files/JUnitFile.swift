import AudioFigures

/// A report in the form that continuous integration reads: a test case for each limit.
///
/// A limit that is not met is a failure, and a run that did not come to its end an error. A report without limits has
/// one case, which fails where nothing was measured. The elements and attributes are those that GitLab, Jenkins and
/// the actions of GitHub read.
public struct JUnitFile: Sendable {
    /// A whole XML document.
    public let text: String

    private struct Case {
        enum Trouble: String {
            case failure, error
        }

        var name: String
        /// The mode, by which the readers group.
        var classname: String
        var trouble: (kind: Trouble, message: String)?
    }

    /// With a case for each limit.
    public init(_ report: Report) {
        let suite = report.schema.split(separator: "/").first.map(String.init) ?? "iounit"
        let cases = Self.cases(report, suite: suite)
        let seconds = fixed(max(0, report.seconds), 3)
        let failures = cases.count { $0.trouble?.kind == .failure }
        let errors = cases.count { $0.trouble?.kind == .error }
        let counts = "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"\(seconds)\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"iounit\" \(counts)>",
            "<testsuite name=\"\(escaped(suite))\" \(counts) skipped=\"0\">",
            "<properties>",
        ]
        lines += Self.properties(report).map { name, value in
            "<property name=\"\(escaped(name))\" value=\"\(escaped(value))\"/>"
        }
        lines.append("</properties>")
        lines += cases.map { Self.element($0, seconds) }
        lines.append("<system-out>\(escaped(Verdict.said(of: report)))</system-out>")
        text = (lines + ["</testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    private static func cases(_ report: Report, suite: String) -> [Case] {
        var cases = report.limits.map { result in
            Case(
                name: result.limit, classname: result.mode,
                trouble: result.isMet ? nil : (.failure, failure(result)))
        }
        if cases.isEmpty {
            let hasFigures = report.modes.contains { $0.interval.count > 0 }
            cases.append(
                Case(
                    name: "measured", classname: suite,
                    trouble: hasFigures ? nil : (.failure, "no interval was measured")))
        }
        if let warning = ReportFacts(report).warning {
            cases.append(Case(name: "complete", classname: suite, trouble: (.error, warning)))
        }
        return cases
    }

    private static func failure(_ result: LimitResult) -> String {
        guard let measured = result.measured.value else {
            return "\(result.limit) of \(result.mode) was not met: it was not measured"
        }
        let value = rounded(measured, significantDigits: 6) + result.unitAfterSpace
        return "\(result.limit) of \(result.mode) was not met: measured \(value)"
    }

    private static func element(_ item: Case, _ seconds: String) -> String {
        let head =
            "<testcase classname=\"\(escaped(item.classname))\" name=\"\(escaped(item.name))\" time=\"\(seconds)\""
        guard let (kind, message) = item.trouble else { return head + "/>" }
        let text = escaped(message)
        let type = kind == .failure ? "limit" : "incomplete"
        return head + "><\(kind) message=\"\(text)\" type=\"\(type)\">\(text)</\(kind)></testcase>"
    }

    /// The figures have the names that they have in the JSON; times are nanoseconds. What was not measured is left out.
    private static func properties(_ report: Report) -> [(name: String, value: String)] {
        var properties = ReportFacts(report).facts.map { (name: $0.name, value: $0.text) }
        for mode in report.modes {
            func add(_ name: String, _ value: String) { properties.append(("\(mode.name).\(name)", value)) }
            func addCount(_ name: String, _ count: UInt64?) { if let count { add(name, "\(count)") } }
            add("nominalNanoseconds", fixed(mode.nominalNanoseconds, 0))
            if mode.hasChangedPeriod { add("parts", Self.parts(mode)) }
            add("callbacks", "\(mode.cycles)")
            for statistic in [Statistic.p50, .p99, .max] {
                guard let value = statistic.value(of: mode.deviation) else { continue }
                add("deviation.\(statistic.rawValue)", fixed(value, 0))
            }
            add("overruns", "\(mode.overruns)")
            addCount("lostNanoseconds", mode.lost.nanoseconds)
            addCount("xruns", mode.lost.xruns)
            if let latency = mode.shownLatencyFrames { add("latencyFrames", fixed(latency, 3)) }
            if let rate = mode.latencySampleRate.value { add("latencySampleRate", "\(rate)") }
            guard mode.mode == .queued else { continue }
            addCount("droppedFrames", mode.droppedFrames)
            addCount("insertedFrames", mode.insertedFrames)
        }
        return properties
    }

    /// `64 frames at 48000 Hz from 0.000 s, 64 frames at 44100 Hz from 1.234 s`.
    private static func parts(_ mode: ModeReport) -> String {
        let told = mode.parts.map { part in
            "\(frames(Double(part.frames))) at \(part.sampleRate) Hz from "
                + "\(fixed(Double(part.startNanoseconds) / 1e9, 3)) s"
        }
        return (told + (mode.omittedParts > 0 ? ["and \(mode.omittedParts) more"] : [])).joined(separator: ", ")
    }
}
