/// Finds the companions that the server runs no more, though it runs the unit.
///
/// A jackd to which many clients come at once may forget to run one of them. In sync mode each cycle then waits twenty
/// periods for it, so that time alone does not tell. A pure function of its arguments.
struct RunWatch {
    /// So many cycles of the unit, and so much time, a companion may be without a cycle.
    static let leastCycles: UInt64 = 8
    static let leastNanoseconds: UInt64 = 2_000_000_000

    private struct Sight {
        var cycles: UInt64
        var unitCycles: UInt64
        var nanoseconds: UInt64
    }

    private var sights: [ObjectIdentifier: Sight] = [:]

    /// Looks once more; returns those that were not run since they were last seen to be. They are then given as long again.
    ///
    /// - Parameters:
    ///   - unitCycles: how many the unit has had.
    ///   - now: the time of the monotonic clock.
    mutating func neglected(
        _ companions: [any Companion], unitCycles: UInt64, atNanoseconds now: UInt64
    ) -> [any Companion] {
        companions.filter { companion in
            let identifier = ObjectIdentifier(companion)
            guard let cycles = companion.cycles else {
                sights[identifier] = nil
                return false
            }
            let sight = Sight(cycles: cycles, unitCycles: unitCycles, nanoseconds: now)
            guard let last = sights[identifier], last.cycles == cycles else {
                sights[identifier] = sight
                return false
            }
            guard unitCycles >= last.unitCycles + Self.leastCycles, now >= last.nanoseconds + Self.leastNanoseconds
            else {
                return false
            }
            sights[identifier] = sight
            return true
        }
    }
}
