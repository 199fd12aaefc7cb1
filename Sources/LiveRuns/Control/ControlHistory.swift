import AudioDSP

/// The changes that can be undone, the newest at the end.
struct ControlHistory {
    /// What was set before: of one control, or of several that were set at once.
    struct Change {
        var before: [(control: Int, value: ParameterValue)]
        var origin: ControlOrigin
        var nanoseconds: UInt64
    }

    private var changes: [Change] = []

    static let most = 100
    /// A fader rests as long before its next move is a change of its own.
    static let restNanoseconds: UInt64 = 500_000_000

    /// Keeps a change. The moves of one fader are one change.
    mutating func add(_ change: Change) {
        if let last = changes.last, change.origin.isContinuous, last.origin == change.origin,
            last.before.map(\.control) == change.before.map(\.control),
            change.nanoseconds < last.nanoseconds + Self.restNanoseconds
        {
            changes[changes.count - 1].nanoseconds = change.nanoseconds
            return
        }
        changes.append(change)
        if changes.count > Self.most { changes.removeFirst() }
    }

    mutating func popLast() -> Change? { changes.popLast() }
}
