import AudioFigures

/// A report in the form that continuous integration reads: a test case for each limit.
///
/// A limit that is not met is a failure, and a run that did not come to its end an error. A report without limits has
/// one case, which fails where nothing was measured. The elements and attributes are those that GitLab, Jenkins and
/// the actions of GitHub read.
public struct JUnitFile: Sendable {
    /// A whole XML document.
    public let text: String

    package enum Kind: String {
        case failure, error
    }

    /// - Parameter details: a line each.
    package typealias Trouble = (kind: Kind, type: String, message: String, details: [String])
    /// - Parameter classname: by which the readers group.
    package typealias Case = (classname: String, name: String, seconds: Double, trouble: Trouble?)

    /// With a case for each limit.
    public init(_ report: Report) {
        let suite = report.schema.split(separator: "/").first.map(String.init) ?? "iounit"
        let properties = Self.properties(report).map { name, value in
            "<property name=\"\(escaped(name))\" value=\"\(escaped(value))\"/>"
        }
        self.init(
            suite, seconds: max(0, report.seconds), properties: ["<properties>"] + properties + ["</properties>"],
            Self.cases(report, suite: suite), verdict: Verdict.said(of: report))
    }

    /// - Parameters:
    ///   - properties: elements of the suite, before its cases.
    ///   - verdict: of all cases.
    package init(_ suite: String, seconds: Double, properties: [String] = [], _ cases: [Case], verdict: String) {
        let failures = cases.count { $0.trouble?.kind == .failure }
        let errors = cases.count { $0.trouble?.kind == .error }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"\(fixed(seconds, 3))\""
        let head = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"iounit\" \(counts)>",
            "<testsuite name=\"\(escaped(suite))\" \(counts) skipped=\"0\">",
        ]
        let end = ["<system-out>\(escaped(verdict))</system-out>", "</testsuite>", "</testsuites>", ""]
        text = (head + properties + cases.map(Self.element) + end).joined(separator: "\n")
    }

    private static func cases(_ report: Report, suite: String) -> [Case] {
        let seconds = max(0, report.seconds)
        func trouble(_ kind: Kind, _ message: String) -> Trouble {
            (kind, kind == .failure ? "limit" : "incomplete", message, [message])
        }
        var cases: [Case] = report.limits.map { result in
            (result.mode, result.limit, seconds, result.isMet ? nil : trouble(.failure, failure(result)))
        }
        if cases.isEmpty {
            let hasFigures = report.modes.contains { $0.interval.count > 0 }
            cases.append(
                (suite, "measured", seconds, hasFigures ? nil : trouble(.failure, "no interval was measured")))
        }
        if let warning = ReportFacts(report).warning {
            cases.append((suite, "complete", seconds, trouble(.error, warning)))
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

    private static func element(_ item: Case) -> String {
        let time = fixed(item.seconds, 3)
        let head = "<testcase classname=\"\(escaped(item.classname))\" name=\"\(escaped(item.name))\" time=\"\(time)\""
        guard let (kind, type, message, details) = item.trouble else { return head + "/>" }
        let lines = details.map(escaped).joined(separator: "\n")
        return head + "><\(kind) message=\"\(escaped(message))\" type=\"\(type)\">\(lines)</\(kind)></testcase>"
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
