/// A picture as SVG: a file that needs nothing from anywhere, readable on light and dark ground.
package struct VectorSurface: DrawingSurface {
    private let width: Int
    private let height: Int
    private let encode: ([UInt8], Int, Int) -> String
    private var content = ""

    /// - Parameter encode: makes an address that holds an image, of pixels, width and height.
    package init(width: Int, height: Int, encode: @escaping ([UInt8], Int, Int) -> String) {
        self.width = width
        self.height = height
        self.encode = encode
    }

    package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ ink: DrawingInk) {
        content += "<rect class=\"\(ink.rawValue)\" x=\"\(pixel(x))\" y=\"\(pixel(y))\" width=\"\(pixel(width))\""
        content += " height=\"\(pixel(height))\"/>\n"
    }

    package mutating func text(_ text: String, _ x: Double, _ y: Double, _ anchor: DrawingAnchor, _ ink: DrawingInk) {
        content += "<text class=\"\(ink.rawValue)\" x=\"\(pixel(x))\" y=\"\(pixel(y))\""
        content += " text-anchor=\"\(anchor.rawValue)\">\(escaped(text))</text>\n"
    }

    package mutating func columns(_ columns: [(x: Double, top: Double, bottom: Double)], _ ink: DrawingInk) {
        guard !columns.isEmpty else { return }
        let path = columns.map { "M\(pixel($0.x + 0.5)) \(pixel($0.top))V\(pixel(max($0.bottom, $0.top + 1)))" }
            .joined()
        content += "<path class=\"\(ink.rawValue)\" d=\"\(path)\"/>\n"
    }

    package mutating func image(_ x: Double, _ y: Double, _ pixels: [UInt8], width: Int, height: Int) {
        content += "<image x=\"\(pixel(x))\" y=\"\(pixel(y))\" width=\"\(width)\" height=\"\(height)\""
        content += " preserveAspectRatio=\"none\" href=\"\(encode(pixels, width, height))\"/>\n"
    }

    /// - Parameter says: what is seen, for those who do not see it.
    package func svg(says title: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img">
        <title>\(escaped(title))</title>
        <style>
        text { font: 13px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
        path { fill: none; stroke-width: 1; }
        .gap { fill-opacity: 0.35; }
        \(rules(isDark: false))@media (prefers-color-scheme: dark) {
        \(rules(isDark: true))}
        </style>
        \(content)</svg>

        """
    }

    private func rules(isDark: Bool) -> String {
        DrawingInk.allCases.map { ink in
            let digits = String(ink.color(isDark: isDark), radix: 16)
            let color = "#" + String(repeating: "0", count: 6 - digits.count) + digits
            return ".\(ink.rawValue) { fill: \(color); } path.\(ink.rawValue) { fill: none; stroke: \(color); }\n"
        }.joined()
    }

    private func pixel(_ length: Double) -> String {
        let text = fixed(length, 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
