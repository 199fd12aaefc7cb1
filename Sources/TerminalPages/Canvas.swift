/// A picture made of cells of text, for a live view. Each cell has a character or eight dots of Braille, and a colour.
///
/// A picture of a large window has ten thousand cells, thirty times a second: lines are put together byte by byte.
package struct Canvas {
    let columns: Int
    package let rows: Int
    private var symbols: [UInt32]
    private var tints: [Page.Tint]

    private static let space: UInt32 = 0x20
    private static let noDots: UInt32 = 0x2800
    /// The dots of a Braille character, from the left to the right and from the top to the bottom.
    private static let dotBits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

    package init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        symbols = Array(repeating: Self.space, count: self.columns * self.rows)
        tints = Array(repeating: .plain, count: self.columns * self.rows)
    }

    /// In dots.
    var width: Int { 2 * columns }
    package var height: Int { 4 * rows }

    /// Sets a dot; one that lies outside is left out.
    ///
    /// - Parameters:
    ///   - x: from the left, in dots.
    ///   - y: from the top, in dots.
    package mutating func dot(_ x: Int, _ y: Int, _ tint: Page.Tint) {
        guard x >= 0, x < width, y >= 0, y < height else { return }
        let cell = y / 4 * columns + x / 2
        let isNew = symbols[cell] & ~0xff != Self.noDots
        if isNew { symbols[cell] = Self.noDots }
        symbols[cell] |= Self.dotBits[y % 4 * 2 + x % 2]
        // A cell has one colour: red, which marks what is wrong, stays.
        if isNew || tints[cell] != .red { tints[cell] = tint }
    }

    /// Sets all dots of a column between two places; what lies outside is left out.
    package mutating func dots(_ x: Int, from first: Int, to last: Int, _ tint: Page.Tint) {
        let (top, bottom) = (max(0, min(first, last)), min(height - 1, max(first, last)))
        guard top <= bottom else { return }
        for y in top...bottom { dot(x, y, tint) }
    }

    package mutating func put(_ column: Int, _ row: Int, _ symbol: UnicodeScalar, _ tint: Page.Tint) {
        guard column >= 0, column < columns, row >= 0, row < rows else { return }
        symbols[row * columns + column] = symbol.value
        tints[row * columns + column] = tint
    }

    /// Puts the same into several columns of a row; what lies outside is left out.
    package mutating func fill(_ range: ClosedRange<Int>, _ row: Int, _ symbol: UnicodeScalar, _ tint: Page.Tint) {
        guard range.overlaps(0...columns - 1), row >= 0, row < rows else { return }
        let inside = range.clamped(to: 0...columns - 1)
        for cell in row * columns + inside.lowerBound...row * columns + inside.upperBound {
            symbols[cell] = symbol.value
            tints[cell] = tint
        }
    }

    package mutating func text(_ column: Int, _ row: Int, _ text: String, _ tint: Page.Tint) {
        for (index, symbol) in text.unicodeScalars.enumerated() { put(column + index, row, symbol, tint) }
    }

    /// As lines, as a page can show them: no wider than that, and without Unicode a cell of dots is one of `'`, `.`, `:` and `|`.
    package func lines(for page: Page) -> [String] {
        let width = min(columns, max(0, page.columns - 1))
        return (0..<rows).map { row in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(4 * columns)
            var tint = Page.Tint.plain
            for cell in row * columns..<row * columns + width {
                let symbol = page.hasUnicode ? symbols[cell] : Self.ascii(symbols[cell])
                let wanted = symbol == Self.space ? .plain : tints[cell]
                if page.hasColor, wanted != tint {
                    bytes += tint.change(to: wanted).utf8
                    tint = wanted
                }
                Self.append(symbol, to: &bytes)
            }
            bytes += tint.change(to: .plain).utf8
            while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// In UTF-8.
    private static func append(_ symbol: UInt32, to bytes: inout [UInt8]) {
        bytes += UnicodeScalar(symbol).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter
    }

    private static func ascii(_ symbol: UInt32) -> UInt32 {
        guard symbol >= 0x80 else { return symbol }
        guard symbol & ~0xff == noDots else { return UnicodeScalar("#").value }
        let (top, bottom) = (symbol & 0x1b != 0, symbol & 0xe4 != 0)
        let isFull = (symbol & 0xff).nonzeroBitCount >= 6
        return UnicodeScalar(isFull ? "|" : top && bottom ? ":" : top ? "'" : ".").value
    }
}
