/// How large a jitter buffer must be, from what was measured: large at once where packets come late, smaller again only after
/// they have been early for long.
///
/// Of the last packets, 30 s and 2000 at the most, all but half a percent must come in time, with a tenth on top.
struct DelayWindow: Sendable {
    /// What is never gone below, and never beyond, in seconds.
    let range: ClosedRange<Double>
    /// What the buffer is to be, in seconds.
    private(set) var target: Double
    private var delays: [(time: Double, delay: Double)] = []
    private var lastLook = -Double.infinity
    /// Whether one has come since then that was later than the buffer holds.
    private var hasLate = false
    /// Since when a smaller one would do.
    private var ampleSince: Double?

    private static let seconds = 30.0
    private static let count = 2000
    private static let share = 0.995
    private static let lookSeconds = 0.25
    /// After a late packet the sound has a hole anyway: growing the buffer now makes that longer, growing it later makes a second one.
    private static let lateLookSeconds = 0.02
    /// How long a smaller one must do.
    private static let patience = 20.0

    init(_ range: ClosedRange<Double>, first: Double) {
        self.range = range
        target = max(range.lowerBound, min(first, range.upperBound))
    }

    /// Takes the delay of a packet behind the time at which it was due, in seconds; negative where it was early.
    mutating func add(_ delay: Double, at time: Double) {
        delays.append((time, delay))
        if delay > target { hasLate = true }
        guard time >= lastLook + (hasLate ? Self.lateLookSeconds : Self.lookSeconds) else { return }
        (lastLook, hasLate) = (time, false)
        let recent = delays.suffix(Self.count).drop { $0.time < time - Self.seconds }
        delays.removeFirst(delays.count - recent.count)
        look(at: time)
    }

    private mutating func look(at time: Double) {
        let sorted = delays.map(\.delay).sorted()
        let late = sorted[min(sorted.count - 1, Int(Double(sorted.count) * Self.share))]
        let needed = max(range.lowerBound, min(late * 1.1, range.upperBound))
        if needed > target {
            target = needed
            ampleSince = nil
        } else if needed < target * 0.8 - 0.001 {
            let since = ampleSince ?? time
            ampleSince = since
            if time - since > Self.patience {
                target = needed
                ampleSince = nil
            }
        } else {
            ampleSince = nil
        }
    }
}
