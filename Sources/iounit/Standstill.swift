/// Notices that no cycle comes any more, though nobody has said that the server is gone.
struct Standstill {
    private var cycles: UInt64 = 0
    private var lastProgress: UInt64?
    private var now: UInt64 = 0

    /// How long there has been no cycle, if that is no mere stall: 2 s or more.
    var seconds: Int? {
        guard let lastProgress, now - lastProgress >= 2_000_000_000 else { return nil }
        return Int((now - lastProgress) / 1_000_000_000)
    }

    /// - Parameters:
    ///   - cycles: how many there have been.
    ///   - nanoseconds: the time of the monotonic clock.
    mutating func update(cycles: UInt64, nanoseconds: UInt64) {
        now = nanoseconds
        if lastProgress == nil || cycles != self.cycles {
            self.cycles = cycles
            lastProgress = nanoseconds
        }
    }
}
