/// Who is sent what without asking each time, and until when. Each lease runs out unless it is renewed.
struct OSCSubscriptions<Peer: Hashable> {
    enum Topic: String, CaseIterable {
        /// Each change of a control, at once.
        case controls
        /// The levels, at an interval.
        case meters
        /// The figures, at an interval.
        case figures
    }

    struct Subscription {
        let peer: Peer
        let topic: Topic
        var intervalNanoseconds: UInt64
        var endNanoseconds: UInt64
        var nextNanoseconds: UInt64
        /// Whether it has had nothing yet.
        var isNew = true
    }

    private(set) var all: [Subscription] = []

    /// So many there can be at once, each of one peer to one topic.
    static var most: Int { 32 }
    /// In milliseconds.
    static var intervals: ClosedRange<Int> { 10...10_000 }
    static var usualInterval: Int { 100 }
    /// In seconds.
    static var leases: ClosedRange<Int> { 1...60 }
    static var usualLease: Int { 10 }

    /// Adds one, or renews it.
    ///
    /// - Returns: whether there was room.
    mutating func add(
        _ peer: Peer, _ topic: Topic, intervalMilliseconds: Int, leaseSeconds: Int, atNanoseconds now: UInt64
    ) -> Bool {
        expire(atNanoseconds: now)
        let interval = UInt64(intervalMilliseconds) * 1_000_000
        let end = now + UInt64(leaseSeconds) * 1_000_000_000
        if let place = all.firstIndex(where: { $0.peer == peer && $0.topic == topic }) {
            all[place].intervalNanoseconds = interval
            all[place].endNanoseconds = end
            all[place].nextNanoseconds = min(all[place].nextNanoseconds, now + interval)
            return true
        }
        guard all.count < Self.most else { return false }
        all.append(
            Subscription(
                peer: peer, topic: topic, intervalNanoseconds: interval, endNanoseconds: end, nextNanoseconds: now))
        return true
    }

    /// - Parameter topic: `nil` for all.
    mutating func remove(_ peer: Peer, _ topic: Topic?) {
        all.removeAll { $0.peer == peer && (topic == nil || $0.topic == topic) }
    }

    mutating func expire(atNanoseconds now: UInt64) { all.removeAll { $0.endNanoseconds <= now } }

    /// The new subscribers to the controls: they are sent all values, once.
    mutating func takeNewcomers() -> [Peer] {
        let places = all.indices.filter { all[$0].topic == .controls && all[$0].isNew }
        for place in places { all[place].isNew = false }
        return places.map { all[$0].peer }
    }

    /// The peers that subscribe to changes of controls.
    func listeners() -> [Peer] { all.filter { $0.topic == .controls }.map(\.peer) }

    /// Whose time has come. What was missed, because the run was late, is left out.
    mutating func takeDue(atNanoseconds now: UInt64) -> [Subscription] {
        expire(atNanoseconds: now)
        var due: [Subscription] = []
        for place in all.indices where all[place].topic != .controls && all[place].nextNanoseconds <= now {
            due.append(all[place])
            all[place].nextNanoseconds = max(all[place].nextNanoseconds + all[place].intervalNanoseconds, now)
        }
        return due
    }

    /// When something is due next; `nil` where nothing is.
    var nextNanoseconds: UInt64? { all.filter { $0.topic != .controls }.map(\.nextNanoseconds).min() }
}
