import AudioDSP
import AudioReports
import CommandSyntax
import Threads

/// The controls of a live run: the one way by which keys, the page, and whatever else controls it change it.
///
/// Thread: control.
package final class ControlTable {
    package let all: [Control]
    private let places: [String: Int]
    /// What the observers know.
    private var told: [ParameterValue]
    private var observers: [Observer] = []
    private var history = ControlHistory()
    /// Why the last change failed, whether a key, MIDI, OSC or the page asked for it; `nil` if it did not fail. The views show it.
    package private(set) var refusal: String?

    /// Called with a control, its new value, and who changed it: `nil` where it changed by itself or by an undo.
    package typealias Observer = (Control, ParameterValue, ControlOrigin?) -> Void

    /// - Parameter controls: each name once. The action `undo` is added to them.
    package init(_ controls: [Control]) {
        // What undo does is the table's, which is not there yet: it is found by its name in `set`.
        all = controls + [Control.action(Self.undoName, "take the last change back") {}]
        places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })
        told = all.map { $0.get() }
    }

    private static let undoName = "undo"

    /// - Throws: `unknown`.
    func control(_ name: String) throws(ControlError) -> Control { all[try place(name)] }

    /// Sets a control, or does what an action is for. Observers are told of what has changed.
    ///
    /// - Throws: `unknown`, `wrongValue`, `refused`; nothing is changed then.
    func set(
        _ name: String, _ value: ParameterValue, by origin: ControlOrigin,
        atNanoseconds now: UInt64 = MonotonicClock.nanoseconds()
    ) throws(ControlError) {
        let place = try place(name)
        let control = all[place]
        guard control.info.accepts(value) else { throw .wrongValue(name, takes: control.info.takes) }
        refusal = nil
        defer { tell(by: origin) }
        guard name != Self.undoName else { return undo() }
        let old = control.get()
        try set(control, value)
        guard control.info.isUndoable, control.get() != old else { return }
        // The controls of a band of the equaliser, as eq/1, are one whole.
        let whole = name.hasPrefix("eq/") ? name.split(separator: "/").prefix(2).joined(separator: "/") : name
        history.add(.init(before: [(place, old)], whole: whole, origin: origin, nanoseconds: now))
    }

    /// - Throws: `refused`.
    private func set(_ control: Control, _ value: ParameterValue) throws(ControlError) {
        do {
            try control.set(value)
        } catch {
            let reason = ControlError.refused(control.name, reason: Failure.from(error).message)
            refusal = shown(reason.description)
            throw reason
        }
    }

    /// Moves a number by a step, to a multiple of it; at the end of its range it stays there.
    package func step(_ name: String, _ step: Double, by origin: ControlOrigin) throws(ControlError) {
        let control = try control(name)
        guard case .number(let range, _, _, _) = control.kind, case .number(let number) = control.get() else {
            throw .wrongValue(name, takes: control.info.takes)
        }
        let grid = abs(step)
        let next = (number / grid).rounded() * grid + step
        try set(name, .number(min(max(next, range.lowerBound), range.upperBound)), by: origin)
    }

    /// Switches a flag over, takes the next word of a choice, or does an action.
    package func advance(_ name: String, by origin: ControlOrigin) throws(ControlError) {
        let control = try control(name)
        switch (control.kind, control.get()) {
        case (.flag, .flag(let isOn)): try set(name, .flag(!isOn), by: origin)
        case (.choice(let words), .choice(let word)):
            try set(name, .choice(words[((words.firstIndex(of: word) ?? -1) + 1) % words.count]), by: origin)
        case (.action, _): try set(name, .action, by: origin)
        default: throw .wrongValue(name, takes: control.info.takes)
        }
    }

    /// Takes the last change back, and at the next call the one before it.
    private func undo() {
        guard let change = history.popLast() else { return }
        for (place, value) in change.before {
            // What was set before is right. What cannot be set now stays as it is, and why is kept.
            try? set(all[place], value)
        }
        tell(by: nil)
    }

    /// Has a closure called at each change of a control.
    package func observe(_ observer: @escaping Observer) { observers.append(observer) }

    /// Tells the observers of what has changed by itself since, as a recording that ended. To be called now and then.
    func tell() { tell(by: nil) }

    private func tell(by origin: ControlOrigin?) {
        for (place, control) in all.enumerated() {
            let value = control.get()
            guard value != told[place] else { continue }
            told[place] = value
            for observer in observers { observer(control, value, origin) }
        }
    }

    private func place(_ name: String) throws(ControlError) -> Int {
        if let place = places[name] { return place }
        throw .unknown(name, near: nearest(to: name, among: all.map(\.name)))
    }
}
