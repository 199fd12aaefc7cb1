/// The frame and the looks of the pages: one file that needs nothing from anywhere, in light, dark, print and on phones.
///
/// What goes into a page is XHTML: every element closed, every attribute quoted.
public enum PageStyle {
    /// A whole page around a body.
    ///
    /// - Parameters:
    ///   - title: plain text; markup in it is shown as text.
    ///   - body: markup.
    ///   - hasPictures: whether there are pictures of sound in it.
    ///   - looks: a style of its own, beside that of all pages.
    public static func page(title: String, body: String, hasPictures: Bool = false, looks own: String = "") -> String {
        // The policy makes the browser itself hold to it that the page fetches and runs nothing. An image is in its address.
        let images = hasPictures ? "; img-src data:" : ""
        let pictures = hasPictures ? DrawingInk.looks(in: "svg.sound") { "var(--\($0.rawValue))" } : ""
        return """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'\(images)"/>
            <meta name="color-scheme" content="light dark"/>
            <title>\(escaped(title))</title>
            <style>
            \(looks)
            \(pictures)\(own)</style>
            </head>
            <body>
            \(body)
            <footer>Measured and drawn by iounit. This page is complete in itself: it loads nothing and runs nothing.</footer>
            </body>
            </html>

            """
    }

    /// What a report is about: what is wrong with the run, what it comes to, the most important figures, and the facts.
    ///
    /// - Parameter verdict: clauses, of which the first is to be read at a glance.
    static func header(
        _ report: ReportFacts, _ facts: [(name: String, text: String)], verdict: String, tiles: [PageTile] = []
    ) -> String {
        let warning = report.warning.map {
            "<p class=\"warning\" role=\"alert\"><strong>\(escaped($0))</strong></p>\n"
        }
        return "<header>\n\(warning ?? "")<h1>\(escaped(report.command))</h1>\n\(sentences(verdict))"
            + "\(PageTile.row(tiles))\(PageParts.list(facts))</header>\n"
    }

    /// The first clause of a verdict in large letters, the others below it.
    static func sentences(_ verdict: String) -> String {
        let clauses = verdict.split(separator: "; ", maxSplits: 1)
        let first = clauses.first.map { String($0) + (clauses.count > 1 ? "." : "") } ?? ""
        var markup = "<p class=\"verdict\">\(escaped(first))</p>\n"
        if clauses.count > 1 {
            markup += "<p class=\"rest\">\(escaped(clauses[1].prefix(1).uppercased() + clauses[1].dropFirst()))</p>\n"
        }
        return markup
    }

    /// One meaning for each colour, over all plots and tables: blue, orange, teal and violet are modes, grey is the timer,
    /// red is what is bad, green a limit that was met. Inks and hues have a contrast of at least 4.5 : 1 with their ground in
    /// both themes. The four hues of the modes stay apart for people with protanopia and deuteranopia; from the fifth mode on
    /// dashes tell the lines apart. Each kind of late callback has a shape of its own.
    private static let looks = """
        :root {
            \(inks(isDark: false))
            --mode1: var(--wave); --mode2: #c2410c; --mode3: #0b7a68; --mode4: #a21caf; --timer: #545b66;
            --good: #0b7a4b; --bad: var(--clip);
        }
        @media screen and (prefers-color-scheme: dark) {
            :root {
                \(inks(isDark: true))
                --mode2: #f98b4b; --mode3: #2fc4a6; --mode4: #e07bee; --timer: #a6adb8;
                --good: #4fce93;
            }
        }
        * { box-sizing: border-box; }
        html { background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100%; }
        body {
            max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 3rem;
            font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
            overflow-wrap: break-word;
        }
        header { border-bottom: 1px solid var(--grid); padding-bottom: 1.25rem; }
        h1 { font-size: 1rem; font-weight: 600; color: var(--quiet); margin: 0 0 .75rem; }
        h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.75rem 0 .4rem; }
        h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; }
        p { margin: .4rem 0 .8rem; max-width: 44rem; }
        .verdict { font-size: 1.35rem; line-height: 1.4; font-weight: 600; margin: 0; max-width: none; }
        .rest { margin: .4rem 0 0; max-width: none; }
        .tiles {
            display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem;
            margin: 1.25rem 0; padding: 0; list-style: none;
        }
        .tiles li {
            background: var(--panel); border: 1px solid var(--grid); border-radius: 8px; padding: .7rem .9rem; min-width: 0;
        }
        .tiles li.bad { border-color: var(--bad); }
        .tiles span { display: block; font-weight: 400; }
        .tiles .name, .tiles .detail { font-size: .85rem; line-height: 1.45; color: var(--quiet); }
        .tiles .value { font-size: 1.6rem; line-height: 1.3; font-weight: 600; color: var(--ink); font-variant-numeric: tabular-nums; }
        .tiles .bad .name, .tiles .bad .value { color: var(--bad); } .tiles .good .name { color: var(--good); }
        .quiet { color: var(--quiet); font-size: .9rem; }
        .warning {
            border: 2px solid var(--bad); border-radius: 6px; padding: .6rem .9rem; margin: 0 0 1.25rem; max-width: none;
        }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: .9rem 0 0; }
        .facts dt { color: var(--quiet); }
        .facts dd { margin: 0; min-width: 0; }
        .word { display: inline-block; max-width: 100%; }
        .terms dt { font-weight: 600; margin-top: .8rem; }
        .terms dd { margin: 0; max-width: 44rem; }
        .good { color: var(--good); font-weight: 600; }
        .bad { color: var(--bad); font-weight: 600; }
        details { margin: 2.75rem 0 0; }
        summary { font-size: 1.2rem; font-weight: 600; cursor: pointer; }
        table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .8rem 0; }
        th, td { padding: .22rem .8rem .22rem 0; text-align: left; vertical-align: top; }
        thead th { border-bottom: 1px solid var(--quiet); vertical-align: bottom; }
        thead th svg { display: inline-block; width: 28px; height: 14px; margin-right: .4rem; vertical-align: -2px; }
        tbody th { min-width: 7.5rem; font-weight: 400; }
        tbody tr.group th { font-weight: 600; padding-top: .9rem; }
        .number { text-align: right; padding-left: .8rem; padding-right: 0; }
        :where(.number) + :is(td, th):not(.number, .unit) { padding-left: .8rem; }
        td.number, td.unit { white-space: nowrap; }
        td.unit { color: var(--quiet); padding-left: .4rem; }
        figure { margin: .8rem 0 0; }
        figcaption { color: var(--quiet); font-size: .9rem; max-width: 44rem; }
        svg { display: block; width: 100%; height: auto; overflow: visible; }
        svg.narrow { display: none; }
        figure > svg { margin-top: .6rem; }
        svg.store { position: absolute; width: 0; height: 0; }
        svg text {
            fill: var(--ink); font-family: inherit;
            paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round;
        }
        svg text, svg .quiet { font-size: 12px; }
        svg .quiet { fill: var(--quiet); }
        svg .strong { font-weight: 600; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .axis { stroke: var(--quiet); stroke-width: 1; }
        .nominal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 2; }
        .period { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 7 4; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .band { fill: var(--hue); fill-opacity: .4; stroke: var(--hue); stroke-width: .75; }
        .declared { fill: var(--ground); stroke: var(--ink); stroke-width: 1.5; }
        .whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
        .mark { --hue: var(--bad); stroke: var(--ground); stroke-width: 1; }
        .mode1 { --hue: var(--mode1); } .mode2 { --hue: var(--mode2); }
        .mode3 { --hue: var(--mode3); } .mode4 { --hue: var(--mode4); } .timer { --hue: var(--timer); }
        .drawn { stroke: var(--hue); } .filled { fill: var(--hue); }
        .key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0 0; padding: 0; list-style: none; font-size: .9rem; }
        .key li { display: flex; align-items: center; gap: .4rem; }
        .key svg { width: 28px; height: 14px; flex: none; }
        footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--grid); color: var(--quiet); font-size: .85rem; }
        @media (max-width: 560px) {
            body { padding: 1.25rem .9rem 2rem; }
            .verdict { font-size: 1.15rem; }
            .facts { grid-template-columns: 1fr; gap: 0; }
            .facts dd { margin-bottom: .45rem; }
            svg.wide { display: none; }
            svg.narrow { display: block; }
            .tiles li { padding: .6rem .65rem; } .tiles .detail { font-size: .8rem; }
            .number { padding-left: .5rem; } tbody th { min-width: 0; padding-right: .3rem; }
            .blocks, .blocks thead, .blocks tbody { display: block; }
            .blocks thead { display: none; }
            .blocks tr {
                display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0 1rem;
                padding: .45rem 0; border-top: 1px solid var(--grid);
            }
            .blocks tr.group { border-top-color: var(--quiet); }
            .blocks tbody th, .blocks tr.group th { grid-column: 1 / -1; padding: 0; min-width: 0; }
            .blocks td, .blocks td.number { padding: 0; text-align: left; }
            .blocks td::before { content: attr(data-label) " "; color: var(--quiet); font-weight: 400; }
            .blocks td.unit::before { content: "in "; }
            .blocks td.unit:empty { display: none; }
        }
        @media print {
            :root { --panel: #ffffff; --grid: #c2c7cf; --ink: #000000; --quiet: #444a53; }
            @page { margin: 15mm; }
            body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
            h2, h3 { break-after: avoid; }
            figure, tr, .terms div { break-inside: avoid; }
            tr.group { break-after: avoid; }
            details::details-content { content-visibility: visible; height: auto; }
            table { font-size: 8pt; }
            svg.wide { display: block; }
            svg.narrow { display: none; }
        }
        """

    /// The colours of pictures, which are also those of the page.
    private static func inks(isDark: Bool) -> String {
        DrawingInk.allCases.map { "--\($0.rawValue): \($0.hexadecimal(isDark: isDark));" }.joined(separator: " ")
    }
}
