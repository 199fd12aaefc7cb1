import AudioFigures
import AudioReports

/// What `iounit plugin check --json` prints.
package struct PluginCheckReport: ReportDocument, Decodable {
    /// How many plug-ins have each verdict.
    package struct Counts: Reported, Codable, Equatable {
        package var plugins: Int
        package var safe: Int
        package var safeAfterFirstBlock: Int
        package var notSafe: Int
        package var notJudged: Int
        package var claims: Int
        package var brokenClaims: Int
        package var left: Int

        package static let fields: [ReportField<Self>] = [
            .field("plugins", "how many were checked", \.plugins),
            .field("safe", "of these, real-time safe", \.safe),
            .field("safeAfterFirstBlock", "of these, safe but for first blocks", \.safeAfterFirstBlock),
            .field("notSafe", "of these, not real-time safe", \.notSafe),
            .field("notJudged", "of these, those that could not be judged", \.notJudged),
            .field("claims", "those that claim to be fit for an audio thread (lv2:hardRTCapable)", \.claims),
            .field("brokenClaims", "of these, those that were seen to break it", \.brokenClaims),
            .field("left", "those that were not checked any more, because a signal ended the check", \.left),
        ]
    }

    package static let kind = document("plugin-check", 1, note: "Of iounit plugin check.")
    package static let fields: [ReportField<Self>] = [
        .field("sampleRate", "of the check", unit: .hertz, \.sampleRate),
        .field("blockFrames", "of its usual blocks", unit: .frames, \.blockFrames),
        .group("counts", \.counts),
        .field("isFit", "whether the exit code is 0", \.isFit),
        .field("seconds", "what the check took", unit: .seconds, \.seconds),
        .group("plugins", \.plugins),
    ]

    package var sampleRate = 48000
    package var blockFrames = 256
    package var counts: Counts
    package var isFit: Bool
    package var seconds: Double
    package var plugins: [PluginResult]

    /// - Parameters:
    ///   - left: how many were not checked, because a signal ended the check.
    ///   - allowsFirstBlock: whether what only first blocks do is fine.
    package init(_ results: [PluginResult], left: Int = 0, seconds: Double, allowsFirstBlock: Bool = false) {
        plugins = results
        self.seconds = seconds
        func count(_ verdict: PluginVerdict) -> Int { results.count { $0.verdict == verdict } }
        counts = Counts(
            plugins: results.count, safe: count(.safe), safeAfterFirstBlock: count(.safeAfterFirstBlock),
            notSafe: count(.notSafe), notJudged: count(.notJudged), claims: results.count(where: \.claimsHardRealTime),
            brokenClaims: results.count(where: \.breaksClaim), left: left)
        isFit = left == 0 && counts.safe + (allowsFirstBlock ? counts.safeAfterFirstBlock : 0) == counts.plugins
    }

    /// One sentence.
    package var verdict: String {
        var parts = ["\(counts.safe) of \(counts.plugins) real-time safe"]
        // Not safe as the check judges by itself.
        let passed = plugins.filter { $0.verdict == .safe && $0.judged(failing: FindingKind.failures).verdict != .safe }
        let kinds = FindingKind.allCases.filter { kind in
            FindingKind.failures.contains(kind) && passed.contains { $0.warnings.contains { $0.finding == kind } }
        }
        if !kinds.isEmpty {
            let words = kinds.map(\.inWords).listed("and")
            parts.append("\(passed.count) of these because \(words) \(kinds.count == 1 ? "is" : "are") let pass")
        }
        if counts.safeAfterFirstBlock > 0 { parts.append("\(counts.safeAfterFirstBlock) after the first block") }
        if counts.notSafe > 0 { parts.append("\(counts.notSafe) not") }
        if counts.notJudged > 0 { parts.append("\(counts.notJudged) could not be judged") }
        if counts.brokenClaims > 0 {
            parts.append("\(counts.brokenClaims) of \(counts.claims) that claim hardRTCapable break it")
        }
        if counts.left > 0 { parts.append("\(counts.left) not checked, because a signal ended the check") }
        return parts.joined(separator: ", ")
    }

    /// What may not be forgotten when one reads it.
    static let caution =
        "Seen at 48 kHz in the phases that are named, on this machine; what was not seen may still be there, and a lock that "
        + "nobody else takes is harmless."

    /// Worst first, then by name.
    var worstFirst: [PluginResult] {
        PluginVerdict.worstFirst.flatMap { verdict in
            plugins.filter { $0.verdict == verdict }.sorted {
                ($0.name.lowercased(), $0.uri) < ($1.name.lowercased(), $1.uri)
            }
        }
    }
}
