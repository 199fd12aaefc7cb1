import AudioFigures

/// How much more a figure may be than in the run before: `p99+20%`, `p99+50us`, `xruns+0`.
///
/// Names are those of `Limit`. Without a mode in front of the name it holds for callback mode where there is one.
package struct Tolerance: Sendable, Equatable {
    /// As it was given.
    package let text: String
    let figure: Figure
    /// `nil` where none is named.
    package let mode: ModeReport.Mode?
    /// Of the figure before; `nil` where the tolerance is a difference.
    let share: Double?
    /// In the figure's own unit; where a time was given for frames, in nanoseconds.
    let difference: Double
    let unit: Limit.Unit

    /// What one may begin with, as shells offer it: `p99+`.
    package static let keys = Limit.Subject.allNames.map { "\($0)+" }

    /// - Parameter text: `NAME+VALUE`, where the value is a percentage of the figure before, or a difference with the unit that a
    ///   limit has.
    package init(_ text: String, of subject: Limit.Subject) throws(Limit.Malformed) {
        func malformed(_ reason: String) -> Limit.Malformed { Limit.Malformed(description: reason, unknownName: nil) }
        guard let plus = text.lastIndex(of: "+"), plus > text.startIndex, text.index(after: plus) < text.endIndex else {
            throw malformed("a tolerance is NAME+VALUE, as in p99+20% or xruns+0, not \"\(text)\"")
        }
        let name = text[..<plus]
        let value = text[text.index(after: plus)...]
        let limit: Limit
        do throws(Limit.Malformed) {
            limit = try Limit("\(name)=0", of: subject)
        } catch {
            throw Limit.Malformed(
                description: "there is no figure \"\(name)\" to hold against the run before",
                unknownName: error.unknownName ?? String(name))
        }
        let digits = value.dropLast()
        // What else Swift reads, as hexadecimal digits, is no percentage.
        let isPercent = value.hasSuffix("%") && digits.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        let percent = isPercent ? Double(digits) : nil
        let absolute = value.hasSuffix("%") ? nil : try? Limit("\(name)=\(value)", of: subject)
        guard absolute != nil || percent?.isFinite == true else {
            throw malformed(
                "the tolerance of \(name) must be a percentage, as in \(name)+20%, or a difference with the unit of \(name), as "
                    + "in p99+50us or xruns+0, not \"\(value)\"")
        }
        self.text = text
        (figure, mode) = (limit.figure, limit.mode)
        share = percent.map { $0 / 100 }
        difference = absolute?.value ?? 0
        unit = absolute?.unit ?? .percent
    }

    /// Holds a change against it.
    ///
    /// - Parameters:
    ///   - row: `nil` where there is nothing to hold against it, which is a failure.
    ///   - place: the mode's name.
    /// - Returns: exceeded where the figure is greater by more than the tolerance and, where it has an interval, by more than
    ///   chance.
    func result(of row: RunComparison.Row?, in place: String, sampleRate: Int) -> LimitResult {
        func result(_ measured: Double?, _ unit: Limit.Unit, isMet: Bool) -> LimitResult {
            LimitResult(limit: text, mode: place, measured: measured, unit: unit.rawValue, isMet: isMet)
        }
        let shownUnit = unit == .none ? figure.unit.shownUnit : unit
        guard let row, let before = row.before, let after = row.after else {
            return result(nil, shownUnit, isMet: false)
        }
        let change = after - before
        let isChance = row.interval.map { $0.lowerBound <= 0 } ?? false
        let slack = figure.unit == .frames ? Limit.slackFrames : 0
        if let share {
            // Of nothing there is no share: whatever is more is too much.
            let isWithin = change <= before * share + slack
            let isMet = isWithin || isChance
            guard before > 0 else { return result(change, figure.unit.shownUnit, isMet: isMet) }
            return result(100 * change / before, .percent, isMet: isMet)
        }
        let scale = figure.unit == .frames && unit.nanoseconds != nil ? 1e9 / Double(max(1, sampleRate)) : 1
        let measured = change * scale
        return result(
            shownUnit.number(measured), shownUnit, isMet: measured <= difference + slack * scale || isChance)
    }
}
