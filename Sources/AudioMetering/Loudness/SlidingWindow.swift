/// The last values of a series that is nowhere negative.
struct SlidingWindow {
    private var values: [Double]
    /// Where the next value goes, which is where the oldest one is.
    private var next = 0
    private var isFull = false

    /// - Parameter count: 1 or more.
    init(count: Int) { values = [Double](repeating: 0, count: count) }

    mutating func append(_ value: Double) {
        values[next] = value
        next = (next + 1) % values.count
        if next == 0 { isFull = true }
    }

    /// 0 until there are enough values.
    var mean: Double { isFull ? values.reduce(0, +) / Double(values.count) : 0 }
    var highest: Double { values.reduce(0, max) }
}
