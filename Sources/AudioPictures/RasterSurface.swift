import AudioReports

/// A picture as pixels, with letters of its own.
package struct RasterSurface: DrawingSurface {
    package let width: Int
    package let height: Int
    /// Rows of red, green and blue, 8 bits each, from the top.
    package private(set) var pixels: [UInt8]
    private let isDark: Bool
    /// Pixels of a dot of a letter.
    private let scale: Int

    package init(width: Int, height: Int, isDark: Bool) {
        self.width = width
        self.height = height
        self.isDark = isDark
        scale = width >= 900 ? 2 : 1
        pixels = Array(repeating: 0, count: 3 * width * height)
    }

    package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ ink: DrawingInk) {
        let (left, top) = (Int(x.rounded()), Int(y.rounded()))
        let (right, bottom) = (max(left + 1, Int((x + width).rounded())), max(top + 1, Int((y + height).rounded())))
        for row in max(0, top)..<max(0, top, min(self.height, bottom)) {
            for column in max(0, left)..<max(0, left, min(self.width, right)) { set(column, row, ink) }
        }
    }

    package func width(of text: String) -> Double { Double((6 * text.unicodeScalars.count - 1) * scale) }

    package mutating func text(_ text: String, _ x: Double, _ y: Double, _ anchor: DrawingAnchor, _ ink: DrawingInk) {
        let symbols = text.unicodeScalars.map { RasterFont.rows[$0] ?? RasterFont.unknown }
        let length = Int(width(of: text))
        var left = Int(x.rounded())
        switch anchor {
        case .start: break
        case .middle: left -= length / 2
        case .end: left -= length
        }
        let top = Int(y.rounded()) - 7 * scale
        for symbol in symbols {
            for (row, bits) in symbol.enumerated() {
                for column in 0..<5 where bits & (0x10 >> UInt8(column)) != 0 {
                    rectangle(
                        Double(left + column * scale), Double(top + row * scale), Double(scale), Double(scale), ink)
                }
            }
            left += 6 * scale
        }
    }

    package mutating func columns(_ columns: [(x: Double, top: Double, bottom: Double)], _ ink: DrawingInk) {
        for column in columns { rectangle(column.x, column.top, 1, max(1, column.bottom - column.top), ink) }
    }

    package mutating func image(_ x: Double, _ y: Double, _ pixels: [UInt8], width: Int, height: Int) {
        let (left, top) = (Int(x.rounded()), Int(y.rounded()))
        for row in 0..<height where top + row >= 0 && top + row < self.height {
            for column in 0..<width where left + column >= 0 && left + column < self.width {
                let (from, to) = (3 * (row * width + column), 3 * ((top + row) * self.width + left + column))
                for part in 0..<3 { self.pixels[to + part] = pixels[from + part] }
            }
        }
    }

    private mutating func set(_ column: Int, _ row: Int, _ ink: DrawingInk) {
        let color = ink.color(isDark: isDark)
        let place = 3 * (row * width + column)
        for part in 0..<3 {
            let shift = UInt32(16 - 8 * part)
            let value = Int(color >> shift & 0xff)
            let below = Int(pixels[place + part])
            pixels[place + part] = UInt8(ink == .gap ? (35 * value + 65 * below) / 100 : value)
        }
    }
}
