import Glibc

/// Frequencies from left to right, each octave as wide as the next.
package struct FrequencyAxis {
    let low: Double
    let high: Double
    /// In columns, or dots.
    let width: Int

    package init(_ range: ClosedRange<Double>, width: Int) {
        low = range.lowerBound
        high = range.upperBound
        self.width = max(1, width)
    }

    /// In columns from the left, as a fraction.
    package func place(_ hertz: Double) -> Double { Double(width) * log(hertz / low) / log(high / low) }

    /// In hertz: one more than there are columns.
    package var edges: [Double] { (0...width).map { low * pow(high / low, Double($0) / Double(width)) } }

    /// A line of names below it: 50 100 200 500 1k and so on, as many as find room.
    package var labels: String {
        var marks = [Character](repeating: " ", count: width)
        var end = 0
        for hertz in [20.0, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000] where hertz >= low && hertz <= high {
            let name = Array(hertz < 1000 ? "\(Int(hertz))" : "\(Int(hertz / 1000))k")
            let start = max(0, min(width - name.count, Int(place(hertz)) - name.count / 2))
            guard start >= end, start + name.count <= width else { continue }
            marks.replaceSubrange(start..<start + name.count, with: name)
            end = start + name.count + 1
        }
        return String(marks)
    }
}
