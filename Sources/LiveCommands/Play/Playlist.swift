import Threads

/// The order in which files are played, round after round. A place counts from the first file of the first round on.
struct Playlist {
    /// Of files; at least 1.
    let count: Int
    /// Whether another round follows.
    var isLooping = false
    /// Where the order is random, what it comes of: a new one for each round.
    var seed: UInt64?

    /// The number of the file at a place, from 0.
    func file(at place: Int) -> Int { order(of: place / count)[place % count] }

    /// `nil` at the end of the list.
    func next(after place: Int) -> Int? {
        (place + 1) % count != 0 || isLooping ? place + 1 : nil
    }

    /// Whether a place is behind the end of a round, counted from that of another place.
    func isBehindRound(of current: Int, _ place: Int) -> Bool { place / count > current / count }

    private func order(of round: Int) -> [Int] {
        guard let order = shuffled(round) else { return Array(0..<count) }
        // What ended a round does not begin the next one. Of two files, that would leave one order.
        guard count > 2, round > 0, let last = shuffled(round - 1)?.last, order[0] == last else { return order }
        return [order[1], order[0]] + order[2...]
    }

    private func shuffled(_ round: Int) -> [Int]? {
        guard let seed else { return nil }
        var generator = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: round) &* 0xd1b5_4a32_d192_ed03)
        return (0..<count).shuffled(using: &generator)
    }
}
