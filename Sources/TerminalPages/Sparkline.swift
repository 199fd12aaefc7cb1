import AudioReports
import Glibc

/// A figure's last values, taken at a steady pace, to be drawn as a row of bars.
package struct Sparkline {
    let name: String
    let unit: String
    /// Of the values: what lies at the bottom, and the least that fills the height.
    private let floor: Double
    private let ceiling: Double
    private let digits: Int
    private let isLogarithmic: Bool
    /// The newest at the end; what was not known is no number.
    private var values: [Double] = []

    private static let capacity = 600
    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let plainBars = Array("_.-=+*#@")
    private static let nameWidth = 10

    /// - Parameter isLogarithmic: whether each tenfold is as high as the next; then the floor is more than 0.
    package init(
        _ name: String, unit: String, from floor: Double, to ceiling: Double, digits: Int, isLogarithmic: Bool = false
    ) {
        (self.name, self.unit, self.floor, self.ceiling, self.digits) = (name, unit, floor, ceiling, digits)
        self.isLogarithmic = isLogarithmic
    }

    package mutating func add(_ value: Double) {
        if values.count == Self.capacity { values.removeFirst() }
        values.append(value)
    }

    /// As many of the last seconds as fit; nothing where there are none, or hardly any would be seen.
    package func line(on page: Page) -> [String] {
        let known = values.filter(\.isFinite)
        guard let newest = values.last, !known.isEmpty else { return [] }
        var line = page.line()
        let head = "  " + name + String(repeating: " ", count: max(1, Self.nameWidth - name.count))
        // As wide at any value.
        let tail = "  \(figure(newest))  max \(figure(known.max() ?? newest)) \(unit)"
        let room = page.columns - 1 - head.count - columns(of: tail)
        guard room >= 10 else { return [] }
        let shown = values.suffix(room)
        let top = max(ceiling, shown.filter(\.isFinite).max() ?? ceiling)
        let symbols = page.hasUnicode ? Self.bars : Self.plainBars
        let bars = shown.map { value -> Character in
            guard value.isFinite, value > floor else { return symbols[0] }
            let height =
                isLogarithmic ? log(value / floor) / log(top / floor) : (value - floor) / (top - floor)
            return symbols[min(symbols.count - 1, Int(height * Double(symbols.count)))]
        }
        line.add(head, .dim)
        line.add(String(repeating: " ", count: room - shown.count) + String(bars), .cyan)
        line.add(tail, .dim)
        return [line.text]
    }

    private func figure(_ value: Double) -> String { alignedRight(value.isFinite ? fixed(value, digits) : "-", 7) }
}
