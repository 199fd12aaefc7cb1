import AudioFigures

/// The latencies that the plug-ins of a run tell, and where they told others: a recording leaves out what they were late at its start,
/// and nothing more.
struct PluginLatencies {
    /// In the order of the path; of each the first ones.
    private(set) var changes: [[PluginReport.LatencyChange]]
    /// What the last change was, and when it was noted; `nil` where there was none.
    private(set) var last: (words: String, nanoseconds: UInt64)?
    private var latencies: [Int]

    /// - Parameter latencies: as they began.
    init(_ latencies: [Int]) {
        self.latencies = latencies
        changes = Array(repeating: [], count: latencies.count)
    }

    /// Notes that a plug-in tells another latency.
    ///
    /// - Parameters:
    ///   - place: in the path, from 0.
    ///   - frame: of its input.
    ///   - now: on the monotonic clock.
    /// - Returns: a sentence, where it is this one's first.
    mutating func note(_ place: Int, _ name: String, frame: Int, latencyFrames: Int, atNanoseconds now: UInt64)
        -> String?
    {
        let before = latencies[place]
        guard latencyFrames != before else { return nil }
        latencies[place] = latencyFrames
        let change = latencyFrames - before
        let sentence =
            "\(name), plug-in \(place + 1), is \(latencyFrames) frames late since frame \(frame) of its input, and was \(before) before: "
            + "what is recorded or sent from there on is \(abs(change)) frames \(change > 0 ? "later" : "earlier")"
        last = (sentence, now)
        if changes[place].count < PluginReport.LatencyChange.most {
            changes[place].append(PluginReport.LatencyChange(frame: frame, latencyFrames: latencyFrames))
        }
        return changes[place].count == 1 ? sentence : nil
    }
}
