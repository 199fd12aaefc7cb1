import PluginChecks

/// What a check has found of one build of a plug-in, for runs that come later.
///
/// A build is known by its URI and by what is in its binary. The description is not looked at: with other ranges the same code
/// does what it did. Nor are other libraries: reports give the day of the check.
package struct KeptCheck: Codable, Sendable, Equatable {
    package var uri: String
    /// SHA-256 of the binary.
    package var hash: String
    /// `PluginCheck.edition` of the check.
    package var edition: Int
    package var verdict: PluginVerdict
    /// What was found, as `allocation (steady, silence)`; empty where nothing was.
    package var found: String
    /// Of the check, in UTC, as `2026-11-25T14:09:00Z`.
    package var date: String

    /// Whether a run that hosts it says so.
    var isWarning: Bool { verdict.isBad }

    /// As 2026-11-25.
    var day: String { String(date.prefix(10)) }

    /// Verdict and findings.
    package var inWords: String { verdict.inWords + (found.isEmpty ? "" : ": \(found)") }
}

extension KeptCheck {
    private static let mostFound = 300
    private static let mostURI = 1000

    /// - Returns: `nil` where the URI is longer than what is kept.
    init?(_ result: PluginResult, hash: String, date: String) {
        guard result.uri.utf8.count <= Self.mostURI else { return nil }
        // As every host has it, whatever this check let pass.
        let result = result.judged(failing: FindingKind.failures)
        uri = result.uri
        self.hash = hash
        edition = PluginCheck.edition
        verdict = result.verdict
        found = String(result.summary.prefix(Self.mostFound))
        self.date = date
    }
}

/// What is known of a plug-in as it is installed now.
package enum KeptStanding: Equatable {
    case notChecked
    /// It was, as another build or by an older check.
    case changed(KeptCheck)
    case checked(KeptCheck)
}
