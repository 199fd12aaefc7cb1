import AudioReports
import CommandSyntax
import Foundation

/// Something of a live run that can be changed while it runs. Thread: control.
struct Control {
    /// As in `gain` or `eq/1/hertz`: lower case, parts divided by slashes.
    let name: String
    /// For people, without a full stop.
    let summary: String
    let kind: Kind
    /// Whether `undo` takes a change of it back: of what is done to the sound, not of what is recorded.
    let isUndoable: Bool
    /// Reads it. Numbers are rounded to thousandths, so that equal settings compare as equal.
    let get: () -> ControlValue
    /// Sets a value that `check` has let through. What it throws is the reason why it cannot be now.
    let set: (ControlValue) throws -> Void

    /// How a fader's or knob's way is divided.
    enum Taper: Sendable {
        case linear
        case logarithmic
    }

    enum Kind: Sendable {
        /// - Parameters:
        ///   - range: what it may be set to.
        ///   - unit: of the number, as "dB"; empty where it has none.
        ///   - span: the part of the range that a fader or knob covers.
        case number(range: ClosedRange<Double>, unit: String, span: ClosedRange<Double>, taper: Taper)
        case choice([String])
        case flag
        case action
    }

    init(
        _ name: String, _ summary: String, _ kind: Kind, isUndoable: Bool = true, get: @escaping () -> ControlValue,
        set: @escaping (ControlValue) throws -> Void
    ) {
        (self.name, self.summary, self.kind, self.isUndoable) = (name, summary, kind, isUndoable)
        (self.get, self.set) = (get, set)
    }

    static func number(
        _ name: String, _ summary: String, _ range: ClosedRange<Double>, _ unit: String,
        span: ClosedRange<Double>? = nil, taper: Taper = .linear, get: @escaping () -> Double,
        set: @escaping (Double) -> Void
    ) -> Control {
        Control(name, summary, .number(range: range, unit: unit, span: span ?? range, taper: taper)) {
            .number((get() * 1000).rounded() / 1000)
        } set: {
            if case .number(let number) = $0 { set(number) }
        }
    }

    static func choice(
        _ name: String, _ summary: String, _ words: [String], get: @escaping () -> String,
        set: @escaping (String) -> Void
    ) -> Control {
        Control(name, summary, .choice(words)) {
            .choice(get())
        } set: {
            if case .choice(let word) = $0 { set(word) }
        }
    }

    static func flag(
        _ name: String, _ summary: String, isUndoable: Bool = true, get: @escaping () -> Bool,
        set: @escaping (Bool) throws -> Void
    ) -> Control {
        Control(name, summary, .flag, isUndoable: isUndoable) {
            .flag(get())
        } set: {
            if case .flag(let isOn) = $0 { try set(isOn) }
        }
    }

    static func action(_ name: String, _ summary: String, _ perform: @escaping () throws -> Void) -> Control {
        Control(name, summary, .action, isUndoable: false) {
            .action
        } set: { _ in
            try perform()
        }
    }

    /// Checks that a value is of the control's kind and within its range.
    func check(_ value: ControlValue) throws(ControlError) {
        switch (kind, value) {
        case (.number(let range, _, _, _), .number(let number)) where range.contains(number): return
        case (.choice(let words), .choice(let word)) where words.contains(word): return
        case (.flag, .flag), (.action, .action): return
        default: throw .wrongValue(name, takes: takes)
        }
    }

    /// What it can be set to, for people.
    var takes: String {
        switch kind {
        case .number(let range, let unit, _, _):
            "a number from \(shortest(range.lowerBound)) to \(shortest(range.upperBound))"
                + (unit.isEmpty ? "" : " \(unit)")
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .flag: "1 (on) or 0 (off)"
        case .action: "no value"
        }
    }

    /// What a number means to it: itself, on where it is not 0, or the word of that number, from 0. Not checked.
    func value(_ number: Double) -> ControlValue {
        switch kind {
        case .number: .number(number)
        case .flag: .flag(number != 0)
        case .choice(let words):
            .choice(Int(exactly: number).flatMap { words.indices.contains($0) ? words[$0] : nil } ?? "")
        case .action: .action
        }
    }

    /// What the position of a fader, knob or button means to it.
    ///
    /// - Parameter position: 0…1; what lies outside is moved to the nearest end.
    func value(atPosition position: Double) -> ControlValue {
        let position = min(max(position.isNaN ? 0 : position, 0), 1)
        switch kind {
        case .number(_, _, let span, .linear):
            return .number(span.lowerBound + position * (span.upperBound - span.lowerBound))
        case .number(_, _, let span, .logarithmic):
            return .number(min(span.lowerBound * pow(span.upperBound / span.lowerBound, position), span.upperBound))
        case .choice(let words): return .choice(words[min(Int(position * Double(words.count)), words.count - 1)])
        case .flag: return .flag(position >= 0.5)
        case .action: return .action
        }
    }

    /// Where an encoder takes a number. The part that a fader covers it does not leave; a number outside of that part moves by steps
    /// of the same size, back to the fader's part or on to the end of the range.
    ///
    /// - Parameter part: of a fader's whole way; below 0 down.
    func turned(_ number: Double, byPart part: Double) -> Double {
        guard case .number(let range, _, let span, let taper) = kind else { return number }
        let turned =
            switch taper {
            case .linear: number + part * (span.upperBound - span.lowerBound)
            case .logarithmic: number * pow(span.upperBound / span.lowerBound, part)
            }
        let lowest = number < span.lowerBound ? range.lowerBound : span.lowerBound
        let highest = number > span.upperBound ? range.upperBound : span.upperBound
        return min(max(turned, lowest), highest)
    }

    /// Where a fader, knob or lamp stands at a value, 0…1: the inverse of `value(atPosition:)`.
    func position(of value: ControlValue) -> Double {
        switch (kind, value) {
        case (.number(_, _, let span, let taper), .number(let number)):
            let number = min(max(number, span.lowerBound), span.upperBound)
            switch taper {
            case .linear: return (number - span.lowerBound) / (span.upperBound - span.lowerBound)
            case .logarithmic: return log(number / span.lowerBound) / log(span.upperBound / span.lowerBound)
            }
        case (.choice(let words), .choice(let word)):
            // In the middle of its part of the way, so that it is found again in spite of rounding.
            return words.firstIndex(of: word).map { (Double($0) + 0.5) / Double(words.count) } ?? 0
        case (_, .flag(let isOn)): return isOn ? 1 : 0
        default: return 0
        }
    }
}

/// A number without needless zeros.
func shortest(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}
