import AudioFigures

/// The most that a figure may be: `p99=200us`, `lost=0`, `queued.dropped=0`.
///
/// Without a mode in front of the name, a limit holds for callback mode where there is one.
public struct Limit: Sendable, Equatable {
    /// As it was given.
    public let text: String
    /// The figure's name, without the mode.
    public var name: String { figure.limit ?? "" }
    let figure: Figure
    /// `nil` where the limit names none.
    public let mode: ModeReport.Mode?
    /// In the figure's own unit; where a time was given for frames, in nanoseconds.
    let value: Double
    let unit: Unit

    /// What limits can be set on.
    public enum Subject: Sendable {
        /// A mode that was measured.
        case mode
        /// The latency of a path.
        case latency

        /// What can be limited of it.
        package var figures: [Figure] {
            switch self {
            case .mode: Report.figures.limitable
            case .latency: FigureTable.latency.limitable
            }
        }

        /// The one of this name. Without a distribution before it, a statistic is the deviation's: `p99` is `deviation.p99`.
        /// Names of version 0.1.0 go on to be understood.
        package func figure(named name: String) -> Figure? {
            let figures = figures
            let present = FormerLimits.present(name)
            return [name, "deviation.\(name)", present, "deviation.\(present)"].lazy.compactMap { name in
                figures.first { $0.limit == name }
            }.first
        }

        /// Statistics of the deviation, which may be named alone.
        package var shortNames: [String] {
            let distribution = "deviation."
            return names.filter { $0.hasPrefix(distribution) }.map { String($0.dropFirst(distribution.count)) }
        }

        /// As `Limit.name` has them.
        package var names: [String] { figures.compactMap(\.limit) }

        /// What a limit may begin with, the short names first, as shells offer it: `p99=`.
        package var keys: [String] { (shortNames + names).map { "\($0)=" } }

        /// Of all that was measured, whatever it is, each once; the short names too.
        package static let allNames: [String] = {
            let known = Set(mode.names)
            return mode.names + mode.shortNames + latency.names.filter { !known.contains($0) }
        }()
    }

    enum Unit: String {
        case nanoseconds = "ns"
        case microseconds = "us"
        case milliseconds = "ms"
        case seconds = "s"
        case frames
        case percent = "%"
        case none = ""

        /// In nanoseconds; `nil` for what is no time.
        var nanoseconds: Double? {
            TimeUnit.allCases.first { $0.symbol.replacing("µ", with: "u") == rawValue }?.rawValue
        }

        /// A number of it, as a limit is held: times in nanoseconds, a percentage as a share.
        func value(_ number: Double) -> Double { self == .percent ? number / 100 : number * (nanoseconds ?? 1) }

        /// The other way round.
        func number(_ value: Double) -> Double { self == .percent ? value * 100 : value / (nanoseconds ?? 1) }
    }

    /// Why a text is no limit, in one sentence.
    public struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
        /// The word that names no figure, for a suggestion.
        public let unknownName: String?
    }

    /// - Parameters:
    ///   - text: `NAME=VALUE`, where the value is a number of 0 or more with a unit: ns, us, ms, s for times; frames,
    ///     which may be left out; %.
    ///   - subject: what will be held against it.
    public init(_ text: String, of subject: Subject = .mode) throws(Malformed) {
        func malformed(_ reason: String) -> Malformed { Malformed(description: reason, unknownName: nil) }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else {
            throw malformed("a limit is NAME=VALUE, as in p99=200us, not \"\(text)\"")
        }
        let modes: [ModeReport.Mode] = subject == .mode ? [.callback, .queued] : []
        let mode = modes.first { parts[0].hasPrefix("\($0.rawValue).") }
        let name = mode.map { String(parts[0].dropFirst($0.rawValue.count + 1)) } ?? parts[0]
        guard let figure = subject.figure(named: name) else {
            throw Malformed(description: "there is no figure \"\(parts[0])\" to limit", unknownName: parts[0])
        }
        let example = "\(figure.limit ?? "")=\(figure.unit.limit.example)"
        let word = parts[1].replacing("µ", with: "u").replacing("μ", with: "u")
        let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "+" || $0 == "-") }
        // What is finite as it was written may be beyond all numbers in nanoseconds, and would be met by anything.
        guard let number = Double(digits), number >= 0, let unit = Unit(rawValue: String(word.dropFirst(digits.count))),
            unit.value(number).isFinite
        else {
            throw malformed(
                "the limit of \(parts[0]) must be a number of 0 or more, as in \(example), not \"\(parts[1])\""
            )
        }
        guard Self.permits(unit, figure.unit, number) else {
            throw malformed(
                "the limit of \(parts[0]) needs \(figure.unit.limit.needs), as in \(example), not \"\(parts[1])\""
            )
        }
        self.text = text
        self.figure = figure
        self.mode = mode
        self.unit = unit
        value = unit.value(number)
    }

    private static func permits(_ unit: Unit, _ figure: Figure.Unit, _ number: Double) -> Bool {
        switch figure {
        case .nanoseconds: unit.nanoseconds != nil || (unit == .none && number == 0)
        case .frames: unit.nanoseconds != nil || unit == .frames || unit == .none
        case .share: unit == .none || unit == .percent
        default: unit == .none
        }
    }

    /// A latency of whole frames comes out as a hair more or less.
    static let slackFrames = 0.001

    /// Holds a measured value against the limit.
    ///
    /// - Parameters:
    ///   - measured: in the figure's own unit; `nil` where there is nothing to hold against it.
    ///   - place: the mode's name, or of what else it is a figure.
    ///   - sampleRate: in hertz.
    public func result(of measured: Double?, in place: String, sampleRate: Int) -> LimitResult {
        var measured = measured
        var slack = ["latency", "extra"].contains(name) ? Self.slackFrames : 0
        if figure.unit == .frames && unit.nanoseconds != nil {
            let nanosecondsPerFrame = 1e9 / Double(max(1, sampleRate))
            measured = measured.map { $0 * nanosecondsPerFrame }
            slack *= nanosecondsPerFrame
        }
        let shownUnit = unit == .none ? figure.unit.shownUnit : unit
        return LimitResult(
            limit: text, mode: place, measured: measured.map(shownUnit.number), unit: shownUnit.rawValue,
            isMet: measured.map { $0 <= value + slack } ?? false)
    }
}

extension Figure.Unit {
    /// Of what is held against a limit that names no unit.
    var shownUnit: Limit.Unit {
        switch self {
        case .nanoseconds: .nanoseconds
        case .frames: .frames
        default: .none
        }
    }

    /// What the value of a limit must be, in words, and one that is.
    fileprivate var limit: (needs: String, example: String) {
        switch self {
        case .nanoseconds: ("a unit of time (ns, us, ms, s)", "200us")
        case .frames: ("frames or a unit of time", "64")
        case .share: ("a share or a percentage", "50%")
        default: ("a plain number", "0")
        }
    }
}

extension Report {
    /// Holds the modes against limits: each against those it names, or against callback mode, or where there is none
    /// against all.
    public mutating func check(_ limits: [Limit]) {
        for limit in limits {
            let named = limit.mode ?? .callback
            let held = modes.contains { $0.mode == named } ? modes.filter { $0.mode == named } : modes
            guard limit.mode == nil || modes.contains(where: { $0.mode == named }), !held.isEmpty else {
                self.limits.append(limit.result(of: nil, in: named.rawValue, sampleRate: server.sampleRate))
                continue
            }
            for mode in held {
                // Of frames that were counted all the run long nobody knows the rate, where that changed: they are held to
                // the time that they last at most.
                let rate = limit.name == "latency" ? mode.latencyRate : mode.leastSampleRate
                self.limits.append(limit.result(of: limit.figure.value(mode), in: mode.name, sampleRate: rate))
            }
        }
    }

    /// The limits that were not met.
    public var exceeded: [LimitResult] { limits.filter { !$0.isMet } }
}

/// What limits were called in version 0.1.0, before tables, JSON and limits had one name for each figure.
enum FormerLimits {
    private static let names = [
        "telemetry": "lost-records", "load": "load.max", "long": "long-intervals", "error": "latency.error",
    ]
    /// Of a distribution, and of a statistic.
    private static let prefixes = ["time.": "callback-time."]
    private static let suffixes = ["p99.9": "p999", "p99.99": "p9999", ".deviation": ".standard-deviation"]

    /// The present name of a figure; the name itself where it has not changed.
    static func present(_ name: String) -> String {
        if let present = names[name] { return present }
        var name = name
        for (old, new) in prefixes where name.hasPrefix(old) { name = new + name.dropFirst(old.count) }
        for (old, new) in suffixes where name.hasSuffix(old) { name = name.dropLast(old.count) + new }
        return name
    }
}
