import func Glibc.log
import func Glibc.pow

/// What a parameter is: its name, what it takes, and how a fader or knob covers it. Declared once, and asked by all that sets
/// or shows it: properties, options, keys, OSC, MIDI, pages, sessions, reports.
public struct ParameterInfo: Sendable, Equatable {
    /// As in `gain` or `eq/1/hertz`: lower case, parts divided by slashes.
    public var name: String
    /// For people, without a full stop.
    public var summary: String
    /// What it takes.
    public var kind: Kind
    /// What it is set to where nobody has set it.
    public let initial: ParameterValue
    /// Of a number that stands only at the multiples of it, as 1 for whole numbers; `nil` for any other parameter.
    public private(set) var step: Double?
    /// Whether an undo takes a change of it back: of what is done to the sound, not of what is recorded.
    public let isUndoable: Bool

    /// What a parameter takes.
    public enum Kind: Sendable, Equatable {
        /// - Parameters:
        ///   - range: what it may be set to.
        ///   - unit: of the number, as "dB"; empty where it has none.
        ///   - span: the part of the range that a fader or knob covers.
        case number(range: ClosedRange<Double>, unit: String, span: ClosedRange<Double>, taper: Taper)
        /// One of these words.
        case choice([String])
        /// On or off.
        case flag
        /// Something that is done, and has no value: to set it is to do it.
        case action
    }

    /// How the way of a fader or knob is divided.
    public enum Taper: Sendable {
        /// Equal ways are equal differences.
        case linear
        /// Equal ways are equal ratios. The span lies above 0.
        case logarithmic
    }

    private init(_ name: String, _ summary: String, _ kind: Kind, _ initial: ParameterValue, isUndoable: Bool) {
        (self.name, self.summary, self.kind) = (name, summary, kind)
        (self.initial, self.isUndoable) = (initial, isUndoable)
    }

    /// - Parameters:
    ///   - range: what it may be set to.
    ///   - unit: of the number, as "dB"; empty where it has none.
    ///   - span: the part of the range that a fader or knob covers; `nil` for all of it.
    ///   - taper: logarithmic where the span lies above 0; the program ends here where it does not.
    ///   - step: where it stands only at the multiples of it; `nil` for any number in the range. Above 0; the program ends here
    ///     where it is not.
    public static func number(
        _ name: String, _ summary: String, _ range: ClosedRange<Double>, unit: String = "",
        span: ClosedRange<Double>? = nil, taper: Taper = .linear, step: Double? = nil, initial: Double = 0,
        isUndoable: Bool = true
    ) -> ParameterInfo {
        let span = (span ?? range).clamped(to: range)
        precondition(taper == .linear || span.lowerBound > 0, "the logarithmic span of \(name) lies above 0")
        precondition(step.map { $0 > 0 } ?? true, "the step of \(name) is above 0")
        let kind = Kind.number(range: range, unit: unit, span: span, taper: taper)
        var info = ParameterInfo(name, summary, kind, .number(initial), isUndoable: isUndoable)
        info.step = step
        return info
    }

    /// - Parameters:
    ///   - words: what it may be set to.
    ///   - initial: one of them.
    public static func choice(
        _ name: String, _ summary: String, _ words: [String], initial: String, isUndoable: Bool = true
    ) -> ParameterInfo {
        ParameterInfo(name, summary, .choice(words), .choice(initial), isUndoable: isUndoable)
    }

    /// - Parameter initial: whether it is on where nobody has set it.
    public static func flag(
        _ name: String, _ summary: String, initial: Bool = false, isUndoable: Bool = true
    ) -> ParameterInfo {
        ParameterInfo(name, summary, .flag, .flag(initial), isUndoable: isUndoable)
    }

    /// Nothing takes back what was done.
    public static func action(_ name: String, _ summary: String) -> ParameterInfo {
        ParameterInfo(name, summary, .action, .action, isUndoable: false)
    }

    /// Whether a value is of the parameter's kind and within its range.
    public func accepts(_ value: ParameterValue) -> Bool {
        switch (kind, value) {
        case (.number(let range, _, _, _), .number(let number)): range.contains(number)
        case (.choice(let words), .choice(let word)): words.contains(word)
        case (.flag, .flag), (.action, .action): true
        default: false
        }
    }

    /// What it can be set to, for people.
    public var takes: String {
        switch kind {
        case .number(let range, let unit, _, _):
            "a number from \(range.words)" + (unit.isEmpty ? "" : " \(unit)")
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .flag: "1 (on) or 0 (off)"
        case .action: "no value"
        }
    }
}

// Numbers and positions.
extension ParameterInfo {
    /// What a number means to it: itself, on where it is not 0, or the word of that number, from 0. Not checked.
    public func value(_ number: Double) -> ParameterValue {
        switch kind {
        case .number: .number(number)
        case .flag: .flag(number != 0)
        case .choice(let words):
            .choice(Int(exactly: number).flatMap { words.indices.contains($0) ? words[$0] : nil } ?? "")
        case .action: .action
        }
    }

    /// A number that is out of the range, moved to its nearest end; any other value as it is.
    package func nearest(_ value: ParameterValue) -> ParameterValue {
        guard case .number(let range, _, _, _) = kind, case .number(let number) = value, number.isFinite else {
            return value
        }
        return .number(min(max(number, range.lowerBound), range.upperBound))
    }

    /// The nearest multiple of the step in the range; the nearest number in it where it has none. Without a step the number itself.
    package func stepped(_ number: Double) -> Double {
        guard let step, case .number(let range, _, _, _) = kind else { return number }
        let least = (range.lowerBound / step).rounded(.up) * step
        let most = (range.upperBound / step).rounded(.down) * step
        let steps = least <= most ? least...most : range
        return min(max((number / step).rounded() * step, steps.lowerBound), steps.upperBound)
    }

    /// What the position of a fader, knob or button means to it.
    ///
    /// - Parameter position: 0…1; what lies outside is moved to the nearest end.
    public func value(atPosition position: Double) -> ParameterValue {
        let position = min(max(position.isNaN ? 0 : position, 0), 1)
        switch kind {
        case .number(_, _, let span, .linear):
            let number = span.lowerBound + position * (span.upperBound - span.lowerBound)
            return .number(stepped(min(number, span.upperBound)))
        case .number(_, _, let span, .logarithmic):
            let number = span.lowerBound * pow(span.upperBound / span.lowerBound, position)
            return .number(stepped(min(number, span.upperBound)))
        case .choice(let words): return .choice(words[min(Int(position * Double(words.count)), words.count - 1)])
        case .flag: return .flag(position >= 0.5)
        case .action: return .action
        }
    }

    /// Where a fader, knob or lamp stands at a value, 0…1: the inverse of `value(atPosition:)`.
    public func position(of value: ParameterValue) -> Double {
        switch (kind, value) {
        case (.number(_, _, let span, let taper), .number(let number)):
            // A plug-in's port may have a single value.
            guard span.upperBound > span.lowerBound else { return 0 }
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

    /// Where an encoder takes a number. The part that a fader covers it does not leave; a number outside of that part moves by
    /// steps of the same size, back to the fader's part or on to the end of the range. Where the parameter has a step, it moves by
    /// one at least.
    ///
    /// - Parameter part: of a fader's whole way; below 0 down.
    public func turned(_ number: Double, byPart part: Double) -> Double {
        guard case .number(let range, _, let span, let taper) = kind else { return number }
        let turned =
            switch taper {
            case .linear: number + part * (span.upperBound - span.lowerBound)
            case .logarithmic: number * pow(span.upperBound / span.lowerBound, part)
            }
        let lowest = number < span.lowerBound ? range.lowerBound : span.lowerBound
        let highest = number > span.upperBound ? range.upperBound : span.upperBound
        guard let step, part != 0 else { return min(max(turned, lowest), highest) }
        let far = part > 0 ? max(turned, number + step) : min(turned, number - step)
        return stepped(min(max(far, lowest), highest))
    }
}

extension ClosedRange<Double> {
    /// As in "-120 to 60".
    package var words: String { "\(shortest(lowerBound)) to \(shortest(upperBound))" }
}

/// A number without needless zeros.
package func shortest(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}

extension Float {
    /// The same as a decimal fraction: 0.1, and not 0.10000000149. What comes as a `Float` is in a range of such numbers then.
    package var decimal: Double { Double("\(self)") ?? Double(self) }
}
