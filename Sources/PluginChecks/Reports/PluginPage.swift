import AudioReports

extension PluginCheckReport {
    /// The check as one page of XHTML-conformant HTML, which sorts and filters without a program in it: choices are radio buttons,
    /// and the style does the rest.
    package var page: String {
        let tiles = [
            PageTile(name: "real-time safe", value: "\(counts.safe)", details: ["of \(counts.plugins)"], state: .good),
            PageTile(name: "after the first block", value: "\(counts.safeAfterFirstBlock)"),
            PageTile(name: "not real-time safe", value: "\(counts.notSafe)", state: counts.notSafe > 0 ? .bad : .plain),
            PageTile(name: "could not be judged", value: "\(counts.notJudged)"),
            PageTile(
                name: "broken claims", value: "\(counts.brokenClaims)", details: ["of \(counts.claims) hardRTCapable"],
                state: counts.brokenClaims > 0 ? .bad : .plain),
        ]
        var body = "<header>\n<h1>iounit plugin check</h1>\n"
        body += "<p class=\"verdict\">\(escaped(verdict)).</p>\n\(PageTile.row(tiles))"
        body += "<p class=\"rest\">\(escaped(Self.caution))</p>\n</header>\n"
        body += Self.choices(
            "show",
            [("all", "all")] + PluginVerdict.worstFirst.map { ($0.rawValue, $0.inWords) } + [
                ("claims", "broken claims")
            ])
        body += Self.choices(
            "sort", [("worst", "worst first"), ("name", "by name"), ("uri", "by URI"), ("seconds", "by time")])
        body += list
        body += PageParts.section("What the findings mean")
        body += PageParts.list(FindingKind.allCases.map { ($0.inWords, $0.meaning) })
        return PageStyle.page(title: "iounit plugin check", body: body, looks: Self.looks)
    }

    private static func choices(_ name: String, _ choices: [(value: String, text: String)]) -> String {
        "<fieldset class=\"choices\"><legend>\(name)</legend>"
            + choices.enumerated().map { number, choice in
                "<label><input type=\"radio\" name=\"\(name)\" value=\"\(choice.value)\""
                    + (number == 0 ? " checked=\"checked\"" : "") + "/> \(escaped(choice.text))</label>"
            }.joined(separator: " ") + "</fieldset>\n"
    }

    private var list: String {
        let worst = worstFirst
        let name = Self.ranks(worst) { ($0.name.lowercased(), $0.uri) < ($1.name.lowercased(), $1.uri) }
        let uri = Self.ranks(worst) { $0.uri < $1.uri }
        let seconds = Self.ranks(worst) { ($1.seconds, $0.uri) < ($0.seconds, $1.uri) }
        let items = worst.enumerated().map { rank, result in
            let style = "--worst:\(rank);--name:\(name[rank]);--uri:\(uri[rank]);--seconds:\(seconds[rank])"
            return
                "<li class=\"\(result.verdict.rawValue)\(result.breaksClaim ? " claims" : "")\" style=\"\(style)\">\n"
                + "\(Self.item(result))</li>\n"
        }
        return "<ul class=\"plugins\">\n\(items.joined())</ul>\n"
    }

    /// The place of each in another order.
    private static func ranks(
        _ results: [PluginResult], _ isBefore: (PluginResult, PluginResult) -> Bool
    ) -> [Int] {
        let order = results.indices.sorted { isBefore(results[$0], results[$1]) }
        var ranks = Array(repeating: 0, count: results.count)
        for (rank, index) in order.enumerated() { ranks[index] = rank }
        return ranks
    }

    private static func item(_ result: PluginResult) -> String {
        let isGood = result.verdict == .safe
        var markup = "<p><span class=\"\(isGood ? "good" : result.verdict == .notSafe ? "bad" : "quiet")\">"
        markup +=
            "\(isGood ? "✓" : "✗") \(escaped(result.verdict.inWords))</span> <strong>\(escaped(result.name))</strong> "
        markup +=
            "<span class=\"quiet\">\(escaped(result.uri))\(result.breaksClaim ? ", claims hardRTCapable" : "")</span></p>\n"
        let facts = [result.reason].filter { !$0.isEmpty }
        let findings = result.failures.map(\.inWords) + result.warnings.map { "warning: \($0.inWords)" }
        guard !(facts + findings).isEmpty else { return markup }
        let lines = (facts + findings).map { "<li>\(escaped($0))</li>\n" }.joined()
        let title = result.summary.isEmpty ? counted(UInt64(findings.count), "warning") : result.summary
        return markup + "<details><summary>\(escaped(title))</summary><ul>\n\(lines)</ul></details>\n"
    }

    /// Which item is shown, and in which order, follows from the button that is pressed.
    private static var looks: String {
        let shown = PluginVerdict.worstFirst.map(\.rawValue) + ["claims"]
        let filters = shown.map {
            "body:has(input[name=show][value=\($0)]:checked) .plugins > li:not(.\($0)) { display: none; }"
        }
        let orders = ["name", "uri", "seconds"].map {
            "body:has(input[name=sort][value=\($0)]:checked) .plugins > li { order: var(--\($0)); }"
        }
        let base = """
            .choices { border: 1px solid var(--grid); border-radius: 8px; margin: 1rem 0 0; padding: .3rem .9rem .5rem; }
            .choices legend { color: var(--quiet); font-size: .85rem; }
            .choices label { display: inline-block; margin-right: 1rem; }
            .plugins { display: flex; flex-direction: column; list-style: none; margin: 1.2rem 0; padding: 0; }
            .plugins > li { order: var(--worst); border-top: 1px solid var(--grid); padding: .5rem 0; }
            .plugins p { margin: 0; max-width: none; }
            .plugins details { margin: .2rem 0 0; font-size: .9rem; }
            .plugins summary { font-size: .9rem; font-weight: 400; }
            .plugins ul { margin: .3rem 0; padding-left: 1.2rem; }
            @media print { .choices { display: none; } }
            """
        return ([base] + filters + orders).joined(separator: "\n")
    }
}
