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

    /// Keeps a change. All moves of one fader are one change, even if other faders move at the same time.
    mutating func add(_ change: Change) {
        if change.origin.isContinuous, let index = indexOfMove(change) {
            changes[index].nanoseconds = change.nanoseconds
            return
        }
        changes.append(change)
        if changes.count > Self.most { changes.removeFirst() }
    }

    /// The change to which a move belongs: the last one of the same controls, if the same fader made it and has not rested since.
    private func indexOfMove(_ change: Change) -> Int? {
        let controls = change.before.map(\.control)
        guard let index = changes.lastIndex(where: { $0.before.contains { controls.contains($0.control) } }) else {
            return nil
        }
        let last = changes[index]
        let isMove =
            last.origin == change.origin && last.before.map(\.control) == controls
            && change.nanoseconds < last.nanoseconds + Self.restNanoseconds
        return isMove ? index : nil
    }

    mutating func popLast() -> Change? { changes.popLast() }
}
