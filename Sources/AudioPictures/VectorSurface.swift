import AudioReports

/// A picture as SVG, drawn as the plots of the pages are: a file that needs nothing from anywhere, or a part of a page.
package struct VectorSurface: DrawingSurface {
    private let encode: ([UInt8], Int, Int) -> String
    /// Of a page, it has the classes that `DrawingInk.looks` gives their colours.
    private(set) var canvas: PlotCanvas

    /// - Parameter encode: makes an address that holds an image, of pixels, width and height.
    package init(width: Int, height: Int, encode: @escaping ([UInt8], Int, Int) -> String) {
        canvas = PlotCanvas(width: Double(width), height: Double(height))
        self.encode = encode
    }

    package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ ink: DrawingInk) {
        canvas.rectangle(x, y, width, height, ink.rawValue)
    }

    package mutating func text(_ text: String, _ x: Double, _ y: Double, _ anchor: DrawingAnchor, _ ink: DrawingInk) {
        canvas.text(text, x, y, anchor, ink.rawValue)
    }

    /// In letters of 13 pixels, of which those of Asia are as wide as high.
    package func width(of text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 7.5 : 13) }
    }

    package mutating func columns(_ columns: [(x: Double, top: Double, bottom: Double)], _ ink: DrawingInk) {
        canvas.columns(columns, ink.rawValue)
    }

    package mutating func image(_ x: Double, _ y: Double, _ pixels: [UInt8], width: Int, height: Int) {
        canvas.image(x, y, width: width, height: height, address: encode(pixels, width, height))
    }

    /// A file, readable on light and dark ground.
    ///
    /// - Parameter title: what is seen, for those who do not see it.
    package func svg(says title: String) -> String {
        // Colours as such: many programs that show an SVG know no variables.
        canvas.file(
            """
            text { font: 13px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
            path { stroke-width: 1; }
            \(DrawingInk.looks { $0.hexadecimal(isDark: false) })@media (prefers-color-scheme: dark) {
            \(DrawingInk.looks { $0.hexadecimal(isDark: true) })}

            """, says: title)
    }
}
