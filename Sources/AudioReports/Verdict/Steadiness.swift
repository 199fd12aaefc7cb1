extension Verdict {
    /// How the deviation of one mode stands to that of others, as words before their names: `23 times steadier than`.
    ///
    /// - Parameters:
    ///   - own: the deviation of the mode that is spoken of, in nanoseconds.
    ///   - others: those of the ones it is held against.
    static func steadiness(_ own: Int64, against others: [Int64]) -> String {
        // Two equal clients in one graph differ by up to a tenth; half of that is surely nothing.
        let even = 0.95...1.05
        let ratios = others.map { other in
            own == other ? 1 : own == 0 ? Double.infinity : Double(other) / Double(own)
        }
        let least = ratios.min() ?? 1
        let most = ratios.max() ?? 1
        if least > even.upperBound { return times(least, most) + "steadier than" }
        if most < even.lowerBound { return times(1 / most, 1 / least) + "less steady than" }
        if even.contains(least) && even.contains(most) { return "as steady as" }
        let count = ratios.count { $0 > even.upperBound }
        return "steadier than \(count) and not steadier than \(ratios.count - count) of"
    }

    private static func times(_ least: Double, _ most: Double) -> String {
        // A deviation of nothing on one side has no ratio.
        guard least.isFinite && most.isFinite else { return "" }
        let (low, high) = (number(least), number(most))
        return low == high ? "\(low) times " : "\(low) to \(high) times "
    }

    private static func number(_ ratio: Double) -> String { fixed(ratio, ratio < 9.95 ? 1 : 0) }
}
