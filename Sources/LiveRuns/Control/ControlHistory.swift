import AudioDSP

/// The changes that can be undone, the newest at the end.
struct ControlHistory {
    /// What was set before: of one control, or of several that were set at once.
    struct Change {
        var before: [(control: Int, value: ParameterValue)]
        /// What the controls are parts of, as a band of the equaliser: all that is moved of it in one go is one change.
        var whole: String?
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
            let known = changes[index].before.map(\.control)
            changes[index].before += change.before.filter { !known.contains($0.control) }
            return
        }
        changes.append(change)
        if changes.count > Self.most { changes.removeFirst() }
    }

    /// The change to which a move belongs: the last one of the same controls, or of the same whole, if the same fader made it and
    /// has not rested since.
    private func indexOfMove(_ change: Change) -> Int? {
        let controls = change.before.map(\.control)
        func isOfSameWhole(_ other: Change) -> Bool { change.whole != nil && other.whole == change.whole }
        let found = changes.lastIndex { other in
            isOfSameWhole(other) || other.before.contains { controls.contains($0.control) }
        }
        guard let index = found else { return nil }
        let last = changes[index]
        let isMove =
            last.origin == change.origin && (isOfSameWhole(last) || last.before.map(\.control) == controls)
            && change.nanoseconds < last.nanoseconds + Self.restNanoseconds
        return isMove ? index : nil
    }

    mutating func popLast() -> Change? { changes.popLast() }
}
