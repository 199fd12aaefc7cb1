import AudioPlugins

/// Which plug-in's `run` took the time when the unit was late: a pure function of the longest runs and of the count of losses.
package struct PluginLateness {
    /// How often each was named, in the order of the path.
    package private(set) var counts: [Int]
    /// Who was named last, by its place, and its run.
    package private(set) var last: (place: Int, run: PluginRunTime)?
    /// Before the last look: JACK tells of a late cycle some time after it.
    private var earlier: [PluginRunTime?]
    private var knownLosses: UInt64

    /// Who took less of a period has not made the unit late.
    private static let leastShare = 0.5

    /// - Parameter losses: how often the unit was late before.
    init(count: Int, losses: UInt64 = 0) {
        knownLosses = losses
        counts = Array(repeating: 0, count: count)
        earlier = Array(repeating: nil, count: count)
    }

    /// Looks at what has happened since the last call, a tenth of a second ago or so.
    ///
    /// - Parameters:
    ///   - runs: the longest of each since then.
    ///   - losses: how often the unit was late so far.
    /// - Returns: the place of the plug-in that is named now; `nil` where the unit was not late, or none of them took the time.
    mutating func note(_ runs: [PluginRunTime], losses: UInt64) -> Int? {
        let isLate = losses > knownLosses
        knownLosses = losses
        let window = zip(earlier, runs).map { before, now in
            before.map { $0.share > now.share ? $0 : now } ?? now
        }
        earlier = runs
        guard isLate, let place = window.indices.max(by: { window[$0].share < window[$1].share }),
            window[place].share >= Self.leastShare
        else { return nil }
        // What explains this loss explains no later one.
        earlier = Array(repeating: nil, count: counts.count)
        counts[place] += 1
        last = (place, window[place])
        return place
    }
}
