/// What a picture is drawn on. Lengths are pixels from the upper left corner.
package protocol DrawingSurface {
    mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ ink: DrawingInk)
    /// Plain text; `y` is its baseline.
    mutating func text(_ text: String, _ x: Double, _ y: Double, _ anchor: DrawingAnchor, _ ink: DrawingInk)
    /// How long a text is; about, where only the reader's fonts tell.
    func width(of text: String) -> Double
    /// Columns of one pixel, each from one height to another.
    mutating func columns(_ columns: [(x: Double, top: Double, bottom: Double)], _ ink: DrawingInk)
    /// Rows of red, green and blue, 8 bits each, from the top.
    mutating func image(_ x: Double, _ y: Double, _ pixels: [UInt8], width: Int, height: Int)
}

package enum DrawingInk: String, CaseIterable, Sendable {
    case ground
    case panel
    case ink
    case quiet
    case grid
    case wave
    case clip
    /// Lets what is below it be seen.
    case gap

    /// Red, green and blue; a contrast of 4.5 : 1 with the ground for all that is read.
    package func color(isDark: Bool) -> UInt32 {
        switch self {
        case .ground: isDark ? 0x15171b : 0xffffff
        case .panel: isDark ? 0x1e2127 : 0xf5f6f8
        case .ink: isDark ? 0xe8eaed : 0x1b1f24
        case .quiet: isDark ? 0xa6adb8 : 0x545b66
        case .grid: isDark ? 0x3a3f48 : 0xd5d9df
        case .wave: isDark ? 0x6aa9ff : 0x1f6fd1
        case .clip, .gap: isDark ? 0xff6b78 : 0xc8102e
        }
    }

    /// As CSS has it.
    package func hexadecimal(isDark: Bool) -> String { "#" + zeroPadded(color(isDark: isDark), 6, radix: 16) }

    /// CSS for what a `VectorSurface` has drawn.
    ///
    /// - Parameters:
    ///   - container: selects where it was drawn.
    ///   - color: the colour of an ink.
    package static func looks(in container: String = "", color: (DrawingInk) -> String) -> String {
        let prefix = container.isEmpty ? "" : container + " "
        return allCases.map { ink in
            "\(prefix).\(ink.rawValue) { fill: \(color(ink)); stroke: none; }\n"
                + "\(prefix)path.\(ink.rawValue) { fill: none; stroke: \(color(ink)); }\n"
        }.joined() + "\(prefix).\(Self.gap.rawValue) { fill-opacity: 0.35; }\n"
    }
}

package enum DrawingAnchor: String, Sendable {
    case start, middle, end
}
