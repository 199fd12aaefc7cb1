import AudioRealtime

/// Notices that each cycle of the server takes many periods, one after the other.
///
/// In sync mode jackd waits in each cycle, for twenty periods, for a client that nobody wakes up. Where libjack was not
/// told that a client had left, it keeps that client's semaphore for the next one of its number and wakes nobody by it;
/// the process that has to leave is then this one, for libjack forgets its semaphores with the process's last client. Where
/// another client is the cause a leave does not help: so the next one is not called for before ten seconds have passed,
/// then twenty, forty and so on. A pure function of its arguments.
struct LimpWatch {
    /// In so many periods a sound server begins a cycle, however busy the machine is, at least once in three seconds.
    private static let periods = 10.0
    private static let leastCycles: UInt64 = 4
    /// Where another client stands still for a while there is nothing to be gained by a leave.
    private static let leastNanoseconds: UInt64 = 3_000_000_000
    private static let shortestPause: UInt64 = 10_000_000_000

    private var mark: (cycles: UInt64, nanoseconds: UInt64)?
    private var pause = LimpWatch.shortestPause
    private var nextCall: UInt64 = 0

    /// The unit has joined a server. Those from before say nothing of it.
    mutating func begin() { mark = nil }

    /// The server is another one than that which was left.
    mutating func forgive() {
        pause = Self.shortestPause
        nextCall = 0
    }

    /// Looks once more; returns whether to leave the server and join it again.
    ///
    /// - Parameters:
    ///   - cycles: how many the unit has had.
    ///   - periodSeconds: the server's period.
    ///   - now: the time of the monotonic clock.
    ///   - recent: the records of the last cycles, in order; called only where their number is suspicious.
    mutating func isLimping(
        cycles: UInt64, periodSeconds: Double, atNanoseconds now: UInt64, recent: () -> [CycleRecord]
    ) -> Bool {
        guard let mark else {
            self.mark = (cycles, now)
            return false
        }
        let (count, passed) = (cycles - mark.cycles, now - mark.nanoseconds)
        guard count >= Self.leastCycles, passed >= Self.leastNanoseconds else { return false }
        self.mark = (cycles, now)
        let least = Self.periods * periodSeconds * 1e9
        guard now >= nextCall, Double(passed) > Double(count) * least else { return false }
        let entries = recent().suffix(Int(clamping: count)).map(\.entryNanoseconds)
        guard entries.count >= Self.leastCycles else { return false }
        guard zip(entries, entries.dropFirst()).allSatisfy({ Double($1 &- $0) > least }) else { return false }
        nextCall = now + pause
        pause *= 2
        return true
    }
}
