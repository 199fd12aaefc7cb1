import AudioIO
import AudioPlugins
import AudioReports

/// Which plug-in's `run` took the time when the unit was late: a pure function of the longest runs and of the count of losses.
struct PluginLateness {
    /// How often each was named, in the order of the path.
    private(set) var counts: [Int]
    /// Who was named last; `nil` where nobody was.
    private(set) var last: Culprit?
    /// Before the last look: JACK tells of a late cycle some time after it.
    private var earlier: [PluginRunTime?]
    private var known: UnitLateness
    /// As of the look before the last one.
    private var earlierInterruptions: UInt64?

    /// A plug-in that was named.
    struct Culprit {
        /// In the path, from 0.
        var place: Int
        /// In wall time: whatever took the processor from it meanwhile counts as its own.
        var run: PluginRunTime
        /// Whether something may have.
        var mayBeInterrupted: Bool
        /// When it was named, on the monotonic clock.
        var nanoseconds: UInt64

        /// A sentence.
        ///
        /// - Parameter name: the plug-in's.
        func words(_ name: String) -> String {
            "the unit was late: \(name), plug-in \(place + 1), took \(fixed(Double(run.nanoseconds) / 1e6, 1)) ms "
                + "of a period of \(fixed(Double(run.periodNanoseconds) / 1e6, 1)) ms"
                + "\(mayBeInterrupted ? ", or was interrupted meanwhile" : ""); use a longer period, or leave it out"
        }
    }

    /// Who took less of a period has not made the unit late.
    private static let leastShare = 0.5

    /// - Parameter known: how often the unit was late before.
    init(count: Int, _ known: UnitLateness = .none) {
        self.known = known
        earlierInterruptions = known.interruptions
        counts = Array(repeating: 0, count: count)
        earlier = Array(repeating: nil, count: count)
    }

    /// Looks at what has happened since the last call, a tenth of a second ago or so.
    ///
    /// - Parameters:
    ///   - runs: the longest of each since then.
    ///   - unit: how often it was late so far.
    ///   - now: on the monotonic clock.
    /// - Returns: the plug-in that is named now; `nil` where the unit was not late, or none of them took the time.
    mutating func note(_ runs: [PluginRunTime], _ unit: UnitLateness, atNanoseconds now: UInt64) -> Culprit? {
        let isLate = unit.count > known.count
        let mayBeInterrupted = !unit.isRealtime || unit.interruptions ?? 0 > earlierInterruptions ?? .max
        earlierInterruptions = known.interruptions
        known = unit
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
        last = Culprit(place: place, run: window[place], mayBeInterrupted: mayBeInterrupted, nanoseconds: now)
        return last
    }
}
