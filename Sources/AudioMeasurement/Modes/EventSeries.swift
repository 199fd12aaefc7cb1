import AudioFigures

/// The late callbacks of a run of any length: all of them while there is room, then of each stretch of the run, and of each
/// who was late, the latest one. A stretch gets twice as long whenever there is no room again.
struct EventSeries: Sendable {
    private let capacity: Int
    /// In the order of time.
    private(set) var events: [Series.Event] = []
    private var stretchNanoseconds: Int64 = 1_000_000

    /// - Parameter capacity: how many there may be, 16 or more.
    init(capacity: Int) { self.capacity = capacity }

    mutating func add(_ event: Series.Event) {
        events.append(event)
        guard events.count > capacity else { return }
        thin()
        // By half, so that it does not happen with each event.
        while events.count > capacity / 2 && stretchNanoseconds < .max {
            stretchNanoseconds = stretchNanoseconds > .max / 2 ? .max : stretchNanoseconds * 2
            thin()
        }
    }

    private mutating func thin() {
        var kept: [Series.Event] = []
        /// Where the present stretch begins in these.
        var start = 0
        for event in events {
            if let first = kept[start...].first,
                first.nanoseconds / stretchNanoseconds != event.nanoseconds / stretchNanoseconds
            {
                start = kept.count
            }
            if let twin = kept[start...].firstIndex(where: { $0.blame == event.blame }) {
                if kept[twin].lateNanoseconds < event.lateNanoseconds {
                    kept.remove(at: twin)
                    kept.append(event)
                }
            } else {
                kept.append(event)
            }
        }
        events = kept
    }
}
