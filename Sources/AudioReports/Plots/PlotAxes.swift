import AudioFigures

/// What tells a reader what a plot shows: what each axis measures, and how long a period is on it.
extension PlotCanvas {
    /// Above a plot's upper edge there is so much room for the title of the axis that goes up.
    static let titleHeight = 22.0
    /// Below its lower edge, for the labels of the axis across and its title.
    static let labelHeight = 42.0

    /// Quantity and unit of both axes; `nil` for one that says so itself.
    ///
    /// - Parameter bottom: the lower edge of the plot.
    mutating func titles(across: String, up: String?, bottom: Double) {
        if let up { text(up, 0, 12, .start) }
        text(across, width / 2, bottom + 36, .middle)
    }

    /// Lines at the round values of an axis across, with labels below.
    mutating func axisAcross(
        _ scale: PlotScale, spacing: Double, top: Double, bottom: Double, label: (Double) -> String
    ) {
        for tick in scale.ticks(spacing: spacing) {
            let x = scale.position(tick)
            line(x, top, x, bottom, "grid")
            let label = label(tick)
            text(label, labelCentre(x, label), bottom + 16, .middle, "quiet")
        }
        line(scale.start, bottom, scale.end, bottom, "axis")
    }

    /// About, in letters of twelve pixels.
    static func width(of label: String) -> Double { Double(label.count) * 6.8 }

    /// Where a label has room beside the edge.
    func labelCentre(_ x: Double, _ label: String) -> Double {
        let half = Self.width(of: label) / 2
        return min(max(x, half), width - half)
    }

    /// Lines at the round values of an axis that goes up, with labels before it.
    ///
    /// - Parameter isWhole: whether there is nothing between whole values.
    mutating func axisUp(
        _ scale: PlotScale, spacing: Double, across: PlotScale, isWhole: Bool = false, label: (Double) -> String
    ) {
        for tick in scale.ticks(spacing: spacing) where !isWhole || tick == tick.rounded() {
            let y = scale.position(tick)
            line(across.start, y, across.end, y, "grid")
            text(label(tick), across.start - 8, y + 4, .end, "quiet")
        }
    }

    /// A period, where deviations go up: one as long means that a whole cycle is missing.
    mutating func periodAcross(_ nanoseconds: Double, _ across: PlotScale, _ up: PlotScale) {
        let y = up.position(nanoseconds)
        line(across.start, y, across.end, y, "period")
        // Beside the title, where no curve is.
        let label = "period \(duration(nanoseconds, significantDigits: 4))"
        let start = across.end - Self.width(of: label) - 6
        line(start - 28, 8, start, 8, "period")
        text(label, across.end, 12, .end)
    }

    /// The same of all modes in one plot, which may have been measured on servers of different periods.
    mutating func periodsAcross(_ periods: [Double], _ across: PlotScale, _ up: PlotScale) {
        if let period = periods.first, periods.count == 1 { return periodAcross(period, across, up) }
        for nanoseconds in periods {
            let y = up.position(nanoseconds)
            line(across.start, y, across.end, y, "period")
            // Each at its own line, for beside the title nobody could tell whose it is.
            text("period \(duration(nanoseconds, significantDigits: 4))", across.start + 6, y - 5, .start)
        }
    }

    /// A period, where times or frames go to the right.
    ///
    /// - Parameter top: of the line, below its label.
    mutating func periodUp(_ value: Double, _ label: String, _ scale: PlotScale, top: Double, bottom: Double) {
        let x = scale.position(value)
        line(x, top, x, bottom, "period")
        text(label, labelCentre(x, label), top - 5, .middle)
    }
}

extension ServerFacts {
    /// How long a period lasts; `nil` where the report does not tell.
    var periodNanoseconds: Double? { periodSeconds > 0 ? periodSeconds * 1e9 : nil }
}

extension ModeReport {
    /// How long a period of the server lasted that it was measured on, at the beginning; `nil` where the report does not tell.
    var periodNanoseconds: Double? {
        periodFrames > 0 && sampleRate > 0 ? Double(periodFrames) * 1e9 / Double(sampleRate) : nil
    }
}

extension Report {
    /// How long the periods of all modes lasted in nanoseconds, each once: those of `compare --preset seed` had two servers.
    /// Where no mode tells, that of the server.
    var periods: [Double] {
        let told = Set(modes.compactMap(\.periodNanoseconds))
        return told.isEmpty ? [server.periodNanoseconds].compactMap(\.self) : told.sorted()
    }
}

/// The time of a run as an axis: in the unit that its length suggests.
struct RunTime {
    /// Of one unit of the axis.
    let seconds: Double
    let symbol: String

    init(length seconds: Double) {
        (self.seconds, symbol) =
            switch seconds {
            // Labels have three digits after the point.
            case ..<2e-5: (1e-6, "µs")
            case ..<0.02: (1e-3, "ms")
            case ..<180: (1, "s")
            case ..<(3 * 3600): (60, "min")
            default: (3600, "h")
            }
    }

    /// A place of the axis, without its unit.
    func label(_ value: Double) -> String { withoutZeros(fixed(value, 3)) }

    /// A moment for people: to the millisecond at any length.
    func moment(_ nanoseconds: Double) -> String {
        let total = nanoseconds / 1e9
        return seconds > 1 ? clock(total) : "\(fixed(total, 3)) s"
    }
}
