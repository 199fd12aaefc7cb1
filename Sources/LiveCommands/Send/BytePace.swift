/// How many bytes a second leave, of several that count.
struct BytePace {
    /// Of each, since the last look.
    private(set) var perSecond: [Double?]
    private var last: (nanoseconds: UInt64, bytes: [UInt64])?

    private static let paceNanoseconds: UInt64 = 1_000_000_000

    init(count: Int) { perSecond = Array(repeating: nil, count: count) }

    /// Looks, every second.
    mutating func update(_ bytes: [UInt64], atNanoseconds now: UInt64) {
        guard last.map({ now >= $0.nanoseconds + Self.paceNanoseconds }) ?? true else { return }
        defer { last = (now, bytes) }
        guard let last else { return }
        let seconds = Double(now - last.nanoseconds) / 1e9
        perSecond = zip(bytes, last.bytes).map { Double($0 - min($0, $1)) / seconds }
    }
}
