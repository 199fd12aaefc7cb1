import Threads

/// A thing to be timed against others.
struct Contender {
    /// Does it that many times.
    let run: (Int) -> Void
    /// Clears up after a round, untimed.
    var rest: () -> Void = {}
}

/// Runs contenders in turn and in short rounds, so that what disturbs one disturbs all, and takes medians.
struct Race {
    /// Nanoseconds for once, one for each contender and round.
    private let rounds: [[Double]]

    /// - Parameters:
    ///   - roundNanoseconds: about how long a contender runs before it is the next one's turn; 0 for once.
    ///   - rounds: how often each has its turn.
    init(_ contenders: [Contender], roundNanoseconds: Double = 20_000, rounds: Int = 1500) {
        let counts = contenders.map { Self.count(for: $0, roundNanoseconds: roundNanoseconds) }
        var times = [[Double]](repeating: [], count: contenders.count)
        for round in 0..<rounds {
            // Back and forth: nobody always runs after the same one.
            let forth = Array(contenders.indices)
            for index in round % 2 == 0 ? forth : forth.reversed() {
                times[index].append(Self.time(contenders[index], count: counts[index]))
            }
        }
        self.rounds = times
    }

    /// The median time of a contender in nanoseconds.
    func nanoseconds(_ contender: Int) -> Double { rounds[contender].median }

    /// How many times as long the first takes as the second: the median over the rounds of their ratio in each.
    func ratio(_ first: Int, to second: Int) -> Double { zip(rounds[first], rounds[second]).map { $0 / $1 }.median }

    /// The median over the rounds of what is made of each contender's time in a round, in nanoseconds.
    func median(_ value: ([Double]) -> Double) -> Double {
        rounds[0].indices.map { round in value(rounds.map { $0[round] }) }.median
    }

    private static func time(_ contender: Contender, count: Int) -> Double {
        let start = MonotonicClock.nanoseconds()
        contender.run(count)
        let end = MonotonicClock.nanoseconds()
        contender.rest()
        return Double(end - start) / Double(count)
    }

    /// How often the contender must run to fill a round.
    private static func count(for contender: Contender, roundNanoseconds: Double) -> Int {
        guard roundNanoseconds > 0 else { return 1 }
        var count = 1
        while time(contender, count: count) * Double(count) < roundNanoseconds / 2 { count *= 2 }
        let times = (0..<9).map { _ in time(contender, count: count) }
        return max(1, Int(roundNanoseconds / times.median))
    }
}

extension [Double] {
    /// The value that this part of them does not exceed (nearest rank); 0 where there are none.
    func percentile(_ percent: Double) -> Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[Swift.min(sorted.count, Swift.max(1, Int(rank))) - 1]
    }

    var median: Double { percentile(50) }
}
