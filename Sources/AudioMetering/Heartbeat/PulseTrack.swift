import Glibc

/// The beats of one period in a series: the path through it that passes the highest values at nearly even distances.
///
/// Dynamic programming after D. P. W. Ellis, "Beat Tracking by Dynamic Programming" (2007): a beat is worth its value, and
/// costs ½ (ln(distance / period) / 0.1)² for its distance from the one before.
struct PulseTrack {
    /// In steps of the series; rising.
    let beats: [Int]

    /// In the logarithm of a distance over the period: what costs half a standard deviation of the series.
    private static let tolerance = 0.1
    /// Distances from 0.65 to 1.35 of the period are looked at.
    private static let spread = 0.35

    /// - Parameters:
    ///   - series: with mean 0 and standard deviation 1.
    ///   - period: in steps, 3 or more.
    init(_ series: [Double], period: Double) {
        let shortest = max(1, Int(period * (1 - Self.spread)))
        let longest = Int((period * (1 + Self.spread)).rounded(.up))
        let costs = (shortest...longest).map { distance -> Double in
            let deviation = log(Double(distance) / period) / Self.tolerance
            return deviation * deviation / 2
        }
        var worth = series
        var before = [Int](repeating: -1, count: series.count)
        for place in series.indices where place >= shortest {
            var best = 0.0
            for (index, cost) in costs.enumerated() {
                let other = place - shortest - index
                guard other >= 0 else { break }
                guard worth[other] - cost > best else { continue }
                best = worth[other] - cost
                before[place] = other
            }
            worth[place] += best
        }
        var beats: [Int] = []
        let tail = max(0, series.count - longest)..<series.count
        var place = tail.max { worth[$0] < worth[$1] } ?? -1
        while place >= 0 {
            beats.append(place)
            place = before[place]
        }
        self.beats = beats.reversed()
    }
}
