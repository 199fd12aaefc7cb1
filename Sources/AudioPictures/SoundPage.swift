import AudioReports

import func Glibc.log10

/// A sound file or a recording as one page: a file that needs nothing else, in light, dark, print and on phones.
package struct SoundPage {
    /// Where sound is missing, and how much, which is not always what was filled in.
    package typealias Gap = (seconds: Double, lostSeconds: Double, cause: String)

    /// In pixels, of the wide picture and of the narrow one.
    package static let sizes = (wide: (width: 780, height: 460), narrow: (width: 340, height: 400))
    /// A list that goes on for ever is read by nobody.
    private static let mostGaps = 1000

    /// XHTML-conformant HTML.
    package let text: String

    /// - Parameters:
    ///   - wide, narrow: both pictures of a sound, of which the page shows the one that its width has room for.
    ///   - facts: behind the title.
    ///   - encode: makes an address that holds an image, of pixels, width and height.
    package init(
        wide: OverviewFigures, narrow: OverviewFigures, facts: [(name: String, text: String)], gaps: [Gap],
        encode: @escaping ([UInt8], Int, Int) -> String
    ) {
        let title = escaped(wide.title)
        var body = "<header>\n<h1>iounit picture</h1>\n<p class=\"verdict\">\(title): \(escaped(wide.facts))</p>\n"
        body +=
            PageTile.row(Self.tiles(wide, gaps)) + PageParts.list(facts)
            + "</header>\n<h2>\(Self.heading(wide))</h2>\n<figure>\n"
        body += "<figcaption>\(escaped(Self.caption(wide)))</figcaption>\n"
        for (figures, size, style) in [
            (wide, Self.sizes.wide, "sound wide"), (narrow, Self.sizes.narrow, "sound narrow"),
        ] {
            var surface = VectorSurface(width: size.width, height: size.height, encode: encode)
            let drawing = OverviewDrawing(figures, width: size.width, height: size.height, hasTitle: false)
            drawing.draw(on: &surface)
            body += surface.canvas.svg(style, says: drawing.description)
        }
        body += "</figure>\n" + Self.list(gaps)
        text = PageStyle.page(title: "iounit picture: \(wide.title)", body: body, hasPictures: true)
    }

    private static func tiles(_ figures: OverviewFigures, _ gaps: [Gap]) -> [PageTile] {
        let length = "\(fixed(figures.seconds, 2)) s"
        var tiles = [PageTile(name: "length", value: clock(figures.seconds), details: [length])]
        if !figures.columns.isEmpty {
            let peak = figures.columns.map { max(abs($0.lowest), abs($0.highest)) }.max() ?? 0
            let isClipped = figures.columns.contains(where: \.isClipped)
            tiles.append(
                PageTile(
                    name: "peak", value: peak > 0 ? "\(fixed(20 * log10(Double(peak)), 1)) dB" : "silent",
                    details: [isClipped ? "clipped" : "of full scale"], state: isClipped ? .bad : .plain))
        }
        let missing = gaps.reduce(0) { $0 + $1.lostSeconds }
        tiles.append(
            PageTile(
                name: "gaps", value: "\(gaps.count)",
                details: gaps.isEmpty ? [] : ["\(fixed(missing, 3)) s missing"], state: gaps.isEmpty ? .plain : .bad))
        return tiles
    }

    private static func heading(_ figures: OverviewFigures) -> String {
        if figures.levels.isEmpty { return "Waveform" }
        return figures.columns.isEmpty ? "Spectrogram" : "Waveform and spectrogram"
    }

    private static func caption(_ figures: OverviewFigures) -> String {
        var parts: [String] = []
        if !figures.columns.isEmpty {
            parts.append(
                "The waveform reaches from the lowest to the highest sample of all channels; 1.0 is full scale, and clipped "
                    + "samples are red.")
        }
        if !figures.levels.isEmpty {
            parts.append(
                "The spectrogram is that of the mean of all channels, from -100 dB (dark) to 0 dB (bright).")
        }
        if !figures.gaps.isEmpty { parts.append("Where sound is missing, a red band lies over it.") }
        return parts.joined(separator: " ")
    }

    private static func list(_ gaps: [Gap]) -> String {
        let rows = gaps.prefix(mostGaps).map { gap in
            [
                PageParts.Cell(gap.cause), PageParts.Cell(fixed(gap.seconds, 3), isNumber: true),
                PageParts.Cell(fixed(gap.lostSeconds, 3), isNumber: true),
            ]
        }
        let markup = PageParts.section("Gaps", PageParts.table(["cause", "at, s", "missing, s"], rows))
        let rest = gaps.count - mostGaps
        return rest > 0 ? markup + "<p class=\"quiet\">\(rest) more are not listed.</p>\n" : markup
    }
}
