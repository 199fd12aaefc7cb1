/// An SVG in the making. Lengths are pixels of the drawing at its natural size, from its upper left corner.
package struct PlotCanvas {
    let width: Double
    let height: Double
    private var content = ""

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        content += "<line class=\"\(style)\" x1=\"\(pixel(x1))\" y1=\"\(pixel(y1))\""
        content += " x2=\"\(pixel(x2))\" y2=\"\(pixel(y2))\"/>\n"
    }

    /// A rectangle that is seen even where it has no extent.
    mutating func bar(
        from left: Double, to right: Double, middle: Double, height: Double, _ style: String, opacity: Double = 1
    ) {
        let width = max(right - left, 2)
        let x = (left + right) / 2 - width / 2
        content += "<rect class=\"\(style)\" x=\"\(pixel(x))\" y=\"\(pixel(middle - height / 2))\""
        content += " width=\"\(pixel(width))\" height=\"\(pixel(height))\""
        content += opacity < 1 ? " fill-opacity=\"\(fixed(opacity, 2))\"/>\n" : "/>\n"
    }

    /// A line through points.
    mutating func polyline(_ points: [(x: Double, y: Double)], _ style: String, dashes: String = "") {
        guard !points.isEmpty else { return }
        let dash = dashes.isEmpty ? "" : " stroke-dasharray=\"\(dashes)\""
        content += "<polyline class=\"\(style)\"\(dash) points=\"\(path(points))\"/>\n"
    }

    mutating func polygon(_ points: [(x: Double, y: Double)], _ style: String) {
        content += "<polygon class=\"\(style)\" points=\"\(path(points))\"/>\n"
    }

    package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String) {
        content += "<rect class=\"\(style)\" x=\"\(pixel(x))\" y=\"\(pixel(y))\" width=\"\(pixel(width))\""
        content += " height=\"\(pixel(height))\"/>\n"
    }

    /// Upright lines of one pixel, each from one height to another and a pixel long at least.
    package mutating func columns(_ columns: [(x: Double, top: Double, bottom: Double)], _ style: String) {
        guard !columns.isEmpty else { return }
        let path = columns.map { "M\(pixel($0.x + 0.5)) \(pixel($0.top))V\(pixel(max($0.bottom, $0.top + 1)))" }
            .joined()
        content += "<path class=\"\(style)\" d=\"\(path)\"/>\n"
    }

    /// - Parameter address: holds the image.
    package mutating func image(_ x: Double, _ y: Double, width: Int, height: Int, address: String) {
        content += "<image x=\"\(pixel(x))\" y=\"\(pixel(y))\" width=\"\(width)\" height=\"\(height)\""
        content += " preserveAspectRatio=\"none\" href=\"\(address)\"/>\n"
    }

    /// Plain text; `y` is its baseline.
    package mutating func text(_ text: String, _ x: Double, _ y: Double, _ anchor: DrawingAnchor, _ style: String = "")
    {
        let style = style.isEmpty ? "" : " class=\"\(style)\""
        content += "<text\(style) x=\"\(pixel(x))\" y=\"\(pixel(y))\" text-anchor=\"\(anchor.rawValue)\">"
        content += "\(escaped(text))</text>\n"
    }

    /// Two texts in one line, the first of them strong.
    mutating func heading(_ strong: String, _ quiet: String, _ x: Double, _ y: Double) {
        content += "<text x=\"\(pixel(x))\" y=\"\(pixel(y))\"><tspan class=\"strong\">"
        content += "\(escaped(strong))</tspan><tspan class=\"quiet\" dx=\"8\">\(escaped(quiet))</tspan></text>\n"
    }

    /// A mark of the page's store, with a word on what it stands for.
    mutating func mark(_ name: String, _ x: Double, _ y: Double, says title: String) {
        content += "<use class=\"mark filled \(name)\" href=\"#mark-\(name)\" x=\"\(pixel(x))\" y=\"\(pixel(y))\">"
        content += "<title>\(escaped(title))</title></use>\n"
    }

    /// A file of its own.
    ///
    /// - Parameters:
    ///   - looks: CSS.
    ///   - title: what is seen, for those who do not see it.
    package func file(_ looks: String, says title: String) -> String {
        let (width, height) = (pixel(width), pixel(height))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
            <title>\(escaped(title))</title>
            <style>
            \(looks)</style>
            \(content)</svg>

            """
    }

    /// - Parameter says: what is seen, for those who do not see it.
    package func svg(_ style: String, says title: String) -> String {
        """
        <svg class="\(style)" viewBox="0 0 \(pixel(width)) \(pixel(height))" role="img" aria-label="\(escaped(title))">
        \(content)</svg>

        """
    }

    private func path(_ points: [(x: Double, y: Double)]) -> String {
        points.map { "\(pixel($0.x)),\(pixel($0.y))" }.joined(separator: " ")
    }

    private func pixel(_ length: Double) -> String { withoutZeros(fixed(length, 1)) }
}

/// A drawing that can be had for a wide and for a narrow page.
protocol Plot {
    /// What is seen, for those who do not see it.
    var description: String { get }
    /// What its lines are: samples, which are markup, and plain text. Empty where nobody has to be told.
    var key: [(sample: String, text: String)] { get }
    func canvas(width: Double) -> PlotCanvas
}

extension Plot {
    var key: [(sample: String, text: String)] { [] }

    /// Both drawings, of which the page shows the one that its width has room for: scaled down, a wide one's labels
    /// could not be read on a phone.
    var markup: String {
        canvas(width: 780).svg("wide", says: description) + canvas(width: 340).svg("narrow", says: description)
    }
}
