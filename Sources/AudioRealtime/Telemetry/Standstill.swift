/// Notices that no cycle comes any more, though nobody has said that the server is gone.
package struct Standstill: Sendable {
    /// For how long there has been no cycle, as far as it was watched.
    package private(set) var nanoseconds: UInt64 = 0

    private let paceNanoseconds: UInt64
    private var cycles: UInt64?
    private var last: UInt64 = 0

    /// - Parameter paceMilliseconds: how far apart two looks are meant to be. What goes by beyond twice that is our own
    ///   sleep, as when the whole program was stopped, and says nothing of the server.
    package init(paceMilliseconds: Int) { paceNanoseconds = UInt64(paceMilliseconds) * 1_000_000 }

    /// Looks once more.
    ///
    /// - Parameters:
    ///   - cycles: how many there have been.
    ///   - now: the time of the monotonic clock.
    package mutating func update(cycles: UInt64, atNanoseconds now: UInt64) {
        nanoseconds = self.cycles == cycles ? nanoseconds + min(now &- last, 2 * paceNanoseconds) : 0
        self.cycles = cycles
        last = now
    }

    /// Whether that is no mere stall of the machine: half a second, or eight periods where those are longer.
    package func isStanding(periodSeconds: Double) -> Bool {
        Double(nanoseconds) >= max(0.5, 8 * periodSeconds) * 1e9
    }

    /// In whole seconds, from two on, or from two periods where those are longer: worth a word to people.
    package func seconds(periodSeconds: Double) -> Int? {
        Double(nanoseconds) < 2e9 * max(1, periodSeconds) ? nil : Int(nanoseconds / 1_000_000_000)
    }
}
