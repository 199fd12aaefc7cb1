/// The last values of a series; zeros stand for those before its beginning.
struct SlidingWindow {
    private var values: [Double]
    /// Where the next value goes, which is where the oldest one is.
    private var next = 0

    /// - Parameter count: 1 or more.
    init(count: Int) { values = [Double](repeating: 0, count: count) }

    mutating func append(_ value: Double) {
        values[next] = value
        next = (next + 1) % values.count
    }

    var mean: Double { values.reduce(0, +) / Double(values.count) }
    var highest: Double { values.reduce(0, max) }
}
