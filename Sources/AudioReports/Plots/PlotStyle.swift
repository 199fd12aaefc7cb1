import AudioFigures

/// How the line or bar of one mode differs from those of the others.
struct PlotStyle {
    /// The class that sets the hue.
    let hue: String
    /// Lengths of strokes and gaps; empty is solid.
    let dashes: String

    static let timer = PlotStyle(hue: "timer", dashes: "1.5 4")

    /// A sample for a key.
    var sample: String {
        var canvas = PlotCanvas(width: 28, height: 14)
        canvas.polyline([(0, 7), (28, 7)], "line drawn \(hue)", dashes: dashes)
        return canvas.sample
    }
}

extension PlotStyle {
    init(mode index: Int) {
        // 4 and 7 have no divisor in common: 28 lines differ from one another.
        hue = "mode\(index % 4 + 1)"
        dashes = ["", "9 4", "9 3 2 3", "4 3", "16 4", "16 3 2 3 2 3", "2 3"][index % 7]
    }
}

extension PlotCanvas {
    /// The drawing where a text beside says what it is.
    var sample: String {
        svg("sample", says: "").replacing(" role=\"img\" aria-label=\"\"", with: " aria-hidden=\"true\"")
    }
}

extension Blame {
    var inWords: String {
        switch self {
        case .own: "our own callback"
        case .upstream: "a client before us"
        case .wakeup: "wake-up"
        case .unknown: "unknown"
        }
    }

    /// A form of its own for each, around the origin, so that nobody needs the hue.
    fileprivate var outline: String {
        switch self {
        case .own: "M-5,0A5,5 0 1 0 5,0A5,5 0 1 0 -5,0Z"
        case .upstream: "M0,-6L6,5L-6,5Z"
        case .wakeup: "M-4.5,-4.5H4.5V4.5H-4.5Z"
        case .unknown: "M-6,-3L-3,-6L0,-3L3,-6L6,-3L3,0L6,3L3,6L0,3L-3,6L-6,3L-3,0Z"
        }
    }

    /// The marks, to be put into a page once.
    static var store: String {
        "<svg class=\"store\" aria-hidden=\"true\"><defs>"
            + allCases.map { "<path id=\"mark-\($0.rawValue)\" d=\"\($0.outline)\"/>" }.joined()
            + "</defs></svg>\n"
    }

    /// For a key.
    var sample: String {
        "<svg viewBox=\"-14 -7 28 14\" aria-hidden=\"true\">"
            + "<use class=\"mark filled \(rawValue)\" href=\"#mark-\(rawValue)\"/></svg>"
    }
}
