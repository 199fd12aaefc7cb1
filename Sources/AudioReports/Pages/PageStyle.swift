/// The frame and the looks of the pages: one file that needs nothing from anywhere, in light, dark, print and on phones.
///
/// What goes into a page is XHTML: every element closed, every attribute quoted.
public enum PageStyle {
    /// A whole page around a body.
    ///
    /// - Parameters:
    ///   - title: plain text; what is markup in it is shown as text.
    ///   - body: markup.
    ///   - hasPictures: whether there are pictures of sound in it.
    public static func page(title: String, body: String, hasPictures: Bool = false) -> String {
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
            \(pictures)</style>
            </head>
            <body>
            \(body)
            <footer>Measured and drawn by iounit. This page is complete in itself: it loads nothing and runs nothing.</footer>
            </body>
            </html>

            """
    }

    /// What a report is about, behind what is wrong with the run.
    static func header(
        _ report: ReportFacts, _ facts: [(name: String, text: String)], verdict: String
    ) -> String {
        let warning = report.warning.map {
            "<p class=\"warning\" role=\"alert\"><strong>\(escaped($0))</strong></p>\n"
        }
        return "<header>\n\(warning ?? "")<h1>\(escaped(report.command))</h1>\n"
            + "<p class=\"verdict\">\(escaped(verdict))</p>\n\(list(facts))</header>\n"
    }

    static func list(_ entries: [(name: String, text: String)]) -> String {
        "<dl class=\"facts\">\n"
            + entries.map { "<dt>\(escaped($0.name))</dt><dd>\(escaped($0.text))</dd>\n" }.joined() + "</dl>\n"
    }

    /// Inks and hues have a contrast of at least 4.5 : 1 with their ground in both themes. The four hues of the modes
    /// stay apart for people with protanopia and deuteranopia; from the fifth mode on dashes tell the lines apart.
    /// Each kind of event has a shape of its own besides its hue.
    private static let looks = """
        :root {
            \(inks(isDark: false))
            --mode1: var(--wave); --mode2: #c2410c; --mode3: #0b7a68; --mode4: #a21caf; --timer: #545b66;
            --own: #c8102e; --upstream: #b45309; --wakeup: #1d5fbf; --unknown: #5f6673;
            --good: #0b7a4b; --bad: var(--clip);
        }
        @media (prefers-color-scheme: dark) {
            :root {
                \(inks(isDark: true))
                --mode2: #f98b4b; --mode3: #2fc4a6; --mode4: #e07bee; --timer: #a6adb8;
                --own: #ff6b78; --upstream: #f0a13a; --wakeup: #6aa9ff; --unknown: #a2a9b6;
                --good: #4fce93;
            }
        }
        @media print {
            :root {
                \(inks(isDark: false))
                --panel: #ffffff; --grid: #c2c7cf; --ink: #000000; --quiet: #444a53;
                --mode2: #c2410c; --mode3: #0b7a68; --mode4: #a21caf; --timer: #545b66;
                --own: #c8102e; --upstream: #b45309; --wakeup: #1d5fbf; --unknown: #5f6673;
                --good: #0b7a4b;
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
        .quiet { color: var(--quiet); font-size: .9rem; }
        .warning {
            border: 2px solid var(--bad); border-radius: 6px; padding: .6rem .9rem; margin: 0 0 1.25rem; max-width: none;
        }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: .9rem 0 0; }
        .facts dt { color: var(--quiet); }
        .facts dd { margin: 0; min-width: 0; }
        .terms dt { font-weight: 600; margin-top: .8rem; }
        .terms dd { margin: 0; max-width: 44rem; }
        .good { color: var(--good); font-weight: 600; }
        .bad { color: var(--bad); font-weight: 600; }
        .broad { overflow-x: auto; margin: .8rem 0; }
        table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
        th, td { padding: .22rem .8rem .22rem 0; text-align: left; vertical-align: top; }
        thead th { border-bottom: 1px solid var(--quiet); vertical-align: bottom; }
        td { white-space: nowrap; }
        tbody th { min-width: 8.5rem; overflow-wrap: normal; font-weight: 400; position: sticky; left: 0; background: var(--ground); }
        tbody tr.group th { font-weight: 600; padding-top: .9rem; position: static; }
        td.number, th.number { text-align: right; white-space: nowrap; padding-left: .8rem; padding-right: 0; }
        td.unit { color: var(--quiet); padding-left: .4rem; }
        figure { margin: .8rem 0 0; }
        figcaption { color: var(--quiet); font-size: .9rem; max-width: 44rem; }
        svg { display: block; width: 100%; height: auto; overflow: visible; }
        svg.narrow { display: none; }
        svg.store { position: absolute; width: 0; height: 0; }
        svg text { fill: var(--ink); font-family: inherit; }
        svg text, svg .quiet { font-size: 12px; }
        svg .quiet { fill: var(--quiet); }
        svg .strong { font-weight: 600; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .axis { stroke: var(--quiet); stroke-width: 1; }
        .nominal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 2 2; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .band { fill: var(--quiet); fill-opacity: .35; stroke: var(--quiet); stroke-width: .75; }
        .declared { fill: var(--ground); stroke: var(--ink); stroke-width: 1.5; }
        .whisker { fill: none; stroke: var(--ink); stroke-width: 1.5; }
        .mark { stroke: var(--ground); stroke-width: 1; }
        .mode1 { --hue: var(--mode1); } .mode2 { --hue: var(--mode2); }
        .mode3 { --hue: var(--mode3); } .mode4 { --hue: var(--mode4); } .timer { --hue: var(--timer); }
        .own { --hue: var(--own); } .upstream { --hue: var(--upstream); }
        .wakeup { --hue: var(--wakeup); } .unknown { --hue: var(--unknown); }
        .drawn { stroke: var(--hue); } .filled { fill: var(--hue); }
        .dashed { stroke-dasharray: 7 4; } .dotted { stroke-dasharray: 2 4; stroke-linecap: round; }
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
        }
        @media print {
            @page { margin: 15mm; }
            body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
            h2, h3 { break-after: avoid; }
            figure, tr, .terms div { break-inside: avoid; }
            tr.group { break-after: avoid; }
            .broad { overflow: visible; }
            table { font-size: 8pt; }
            tbody th { position: static; }
            svg.wide { display: block; }
            svg.narrow { display: none; }
        }
        """

    /// The colours of pictures, which are also those of the page.
    private static func inks(isDark: Bool) -> String {
        DrawingInk.allCases.map { "--\($0.rawValue): \($0.hexadecimal(isDark: isDark));" }.joined(separator: " ")
    }
}
