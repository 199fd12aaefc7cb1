import AudioDSP

/// The changes that can be undone, the newest at the end.
struct ControlHistory {
    struct Change {
        /// What was set before.
        var before: [(control: Int, value: ParameterValue)]
        /// The control, or what it is a part of, as a band of the equaliser: all that is moved of it in one go is one change.
        var whole: String
        var origin: ControlOrigin
        var nanoseconds: UInt64
    }

    private var changes: [Change] = []

    static let most = 100
    /// A fader rests as long before its next move is a change of its own.
    static let restNanoseconds: UInt64 = 500_000_000

    /// Keeps a change. All moves of one fader are one change, even if other faders move at the same time.
    mutating func add(_ change: Change) {
        if change.origin.isContinuous, let index = changes.lastIndex(where: { $0.whole == change.whole }),
            changes[index].origin == change.origin,
            change.nanoseconds < changes[index].nanoseconds + Self.restNanoseconds
        {
            changes[index].nanoseconds = change.nanoseconds
            let known = changes[index].before.map(\.control)
            changes[index].before += change.before.filter { !known.contains($0.control) }
            return
        }
        changes.append(change)
        if changes.count > Self.most { changes.removeFirst() }
    }

    mutating func popLast() -> Change? { changes.popLast() }
}
