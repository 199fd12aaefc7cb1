import AudioReports

/// What was found of one plug-in.
package struct PluginResult: Reported, Codable {
    package struct Latency: Reported, Codable, Equatable {
        package var declaredFrames: Double
        package var measuredFrames: Double?

        package static let fields: [ReportField<Self>] = [
            .field("declaredFrames", "what it declares", unit: .frames, \.declaredFrames),
            .field(
                "measuredFrames", "by correlation; null where its output resembles no input", unit: .frames,
                \.measuredFrames),
        ]
    }

    package static let fields: [ReportField<Self>] = [
        .field("uri", "of the plug-in", \.uri),
        .field("name", "in its description", \.name),
        .field("bundle", "the folder with its description", \.bundle),
        .field("binary", "the library with its code; empty where the description names none", \.binary),
        .field("category", "its class, as Equaliser Plugin; empty where it is not known", \.category),
        .field("claimsHardRealTime", "whether it claims to be fit for an audio thread", \.claimsHardRealTime),
        .field("verdict", "what the check comes to", \.verdict),
        .field("reason", "why it did not come to its end; empty where it did", \.reason),
        .group("findings", \.findings),
        .field("skippedPhases", "those that there was no time for", \.skippedPhases),
        .field("stackBytes", "the deepest that its stack was in use, in bytes", \.stackBytes),
        .field("latency", "null where it declares none", \.latency),
        .field(
            "rawCallsAreSeen", "whether system calls are seen that no function of the C library makes",
            \.rawCallsAreSeen),
        .field(
            "lockingWasRefused", "whether memory could not be locked, so that page faults were a warning at most",
            \.lockingWasRefused),
        .field("seconds", "what its check took", unit: .seconds, \.seconds),
        .field("memoryBytes", "the most memory that its process had at once, in bytes", \.memoryBytes),
    ]

    package var uri: String
    package var name: String
    package var bundle: String
    package var binary: String
    package var category: String
    /// `lv2:hardRTCapable`.
    package var claimsHardRealTime: Bool
    package var verdict: PluginVerdict
    package var reason: String
    package var findings: [PluginFinding]
    package var skippedPhases: [String]
    package var stackBytes: Int
    package var latency: Latency?
    package var rawCallsAreSeen: Bool
    package var lockingWasRefused: Bool
    package var seconds: Double
    package var memoryBytes: Int

    /// It says that it may run on an audio thread, and may not.
    package var breaksClaim: Bool { claimsHardRealTime && verdict.isBad }

    package var failures: [PluginFinding] { findings.filter(\.isFailure) }
    package var warnings: [PluginFinding] { findings.filter { !$0.isFailure } }

    /// The kinds of what it must not do, each once, in the order of their list; of a plug-in without, and of one that could not
    /// be judged, the reason.
    package var summary: String {
        guard verdict != .notJudged, !failures.isEmpty else { return reason }
        return FindingKind.allCases.filter { kind in failures.contains { $0.finding == kind } }.map { kind in
            let found = failures.filter { $0.finding == kind }
            var phases: [String] = []
            for finding in found where phases.count < 3 && !phases.contains(finding.phase) {
                phases.append(finding.phase)
            }
            let told = phases.prefix(2).joined(separator: ", ") + (phases.count > 2 ? ", …" : "")
            return "\(kind.inWords) (\(told))"
        }.joined(separator: "; ")
    }

    init(_ plugin: InstalledPlugin, _ answer: PluginProbe.Answer, failing: Set<FindingKind>) {
        let lines = answer.lines
        (uri, name, bundle) = (plugin.uri, plugin.name, plugin.bundle)
        (binary, category, claimsHardRealTime) = (plugin.binary, plugin.category, plugin.claimsHardRealTime)
        findings = lines.filter { $0.kind == .finding }.compactMap { PluginFinding($0, failing: failing) }.merged
        skippedPhases = lines.filter { $0.kind == .skipped }.compactMap(\.phase)
        stackBytes = (lines.last { $0.kind == .stack }?.bytes ?? 0).asCount
        latency = lines.last { $0.kind == .latency }.map {
            Latency(declaredFrames: $0.declared ?? 0, measuredFrames: $0.measured)
        }
        rawCallsAreSeen = lines.contains { $0.rawCallsAreSeen == true }
        lockingWasRefused = lines.contains { $0.memoryIsLocked == false }
        seconds = answer.outcome.seconds
        memoryBytes = answer.outcome.memoryBytes
        reason = Self.reason(answer)
        let lost = lines.filter { $0.kind == .further }.compactMap(\.count).reduce(0, +).asCount
        if reason.isEmpty, lost > 0 { reason = "there were too many findings: \(lost) are not listed" }
        if reason.isEmpty, !skippedPhases.isEmpty {
            reason = "there was no time for: \(skippedPhases.joined(separator: ", "))"
        }
        verdict = Self.verdict(of: findings, isWhole: reason.isEmpty)
    }

    /// A failure in a block other than a first one decides, however the check has ended; nothing else does before all phases
    /// were gone through.
    private static func verdict(of findings: [PluginFinding], isWhole: Bool) -> PluginVerdict {
        let failures = findings.filter(\.isFailure)
        if failures.contains(where: { !$0.isOfFirstBlocks }) { return .notSafe }
        guard isWhole else { return .notJudged }
        return failures.isEmpty ? .safe : .safeAfterFirstBlock
    }

    /// The same, where other findings count as failures.
    package func judged(failing: Set<FindingKind>) -> PluginResult {
        var result = self
        for index in findings.indices { result.findings[index].isFailure = findings[index].fails(failing) }
        result.verdict = Self.verdict(of: result.findings, isWhole: reason.isEmpty)
        return result
    }

    /// Why the run did not come to its end; empty where it did.
    static func reason(_ answer: PluginProbe.Answer) -> String {
        let lines = answer.lines
        let phase = lines.last { $0.kind == .phase }?.phase ?? "start"
        if let line = lines.first(where: { $0.kind == .cannot }) {
            let detail = line.detail ?? ""
            return switch line.reason {
            case "load": "its binary cannot be loaded: \(detail)"
            case "feature": "it needs a feature that is not offered: \(detail)"
            default: detail
            }
        }
        if let line = lines.last(where: { $0.kind == .ended }) {
            return switch line.by {
            case "crash": "it crashes in \(phase)"
            case "hang": "it hangs in \(phase)"
            case "deadline": "its time was over in \(phase)"
            default: "it ends the host's process in \(phase)"
            }
        }
        guard lines.last?.kind != .end else { return "" }
        return "\(answer.outcome.end.inWords), in \(phase)"
    }
}

/// What findings have in common that are one.
private struct FindingKey: Hashable {
    var finding: FindingKind
    var phase: String
    var subject: String
    var frames: [PluginFinding.Place]
}

extension [PluginFinding] {
    /// The same place in the same phase of several instances is one finding.
    var merged: [PluginFinding] {
        var result: [PluginFinding] = []
        // By a table: a plug-in that writes such lines itself may make hundreds of thousands of them.
        var places: [FindingKey: Int] = [:]
        for finding in self {
            let key = FindingKey(
                finding: finding.finding, phase: finding.phase, subject: finding.subject, frames: finding.frames)
            if let known = places[key] {
                // However many such a plug-in says that there were.
                result[known].count = (Double(result[known].count) + Double(finding.count)).asCount
                result[known].blocks = (Double(result[known].blocks) + Double(finding.blocks)).asCount
                result[known].amount = Swift.max(result[known].amount, finding.amount)
            } else {
                places[key] = result.count
                result.append(finding)
            }
        }
        return result
    }
}

/// What the check of one plug-in comes to.
package enum PluginVerdict: String, Codable, CaseIterable, Sendable {
    /// Nothing was seen that is not allowed on an audio thread.
    case safe
    /// The same, but for the first block of an instance, or the first after a reset.
    case safeAfterFirstBlock
    case notSafe
    /// It cannot be loaded, or did not come to its end.
    case notJudged

    package static let worstFirst: [PluginVerdict] = [.notSafe, .safeAfterFirstBlock, .notJudged, .safe]

    /// Whether it was seen to do what is not allowed on an audio thread.
    package var isBad: Bool { self == .notSafe || self == .safeAfterFirstBlock }

    package var inWords: String {
        switch self {
        case .safe: "real-time safe"
        case .safeAfterFirstBlock: "safe after the first block"
        case .notSafe: "not real-time safe"
        case .notJudged: "could not be judged"
        }
    }
}
