import AudioFigures

/// The most that a figure may be: `p99=200us`, `lost=0`, `queued.dropped=0`.
///
/// Without a mode in front of the name, a limit holds for callback mode where there is one.
public struct Limit: Sendable, Equatable {
    /// As it was given.
    public let text: String
    /// The figure's name, without the mode.
    public let name: String
    /// `nil` where the limit names none.
    public let mode: ModeReport.Mode?
    /// In the figure's own unit: nanoseconds, frames, a count, a share, decibels. `nil` where a time was given for
    /// frames, which takes a rate to compare.
    let value: Double
    let isTime: Bool
    let unit: Unit
    let dimension: Figure.Dimension

    enum Unit: String, CaseIterable {
        case nanoseconds = "ns"
        case microseconds = "us"
        case milliseconds = "ms"
        case seconds = "s"
        case frames
        case percent = "%"
        case decibels = "dB"
        case none = ""

        /// In nanoseconds; `nil` for what is no time.
        var nanoseconds: Double? {
            switch self {
            case .nanoseconds: 1
            case .microseconds: 1e3
            case .milliseconds: 1e6
            case .seconds: 1e9
            default: nil
            }
        }
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
    ///   - figures: those that there are.
    public init(_ text: String, figures: [Figure] = Figure.all) throws(Malformed) {
        func malformed(_ reason: String) -> Malformed { Malformed(description: reason, unknownName: nil) }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else {
            throw malformed("a limit is NAME=VALUE, as in p99=200us, not \"\(text)\"")
        }
        var name = parts[0]
        var mode: ModeReport.Mode?
        for candidate in [ModeReport.Mode.callback, .queued] {
            let prefix = "\(candidate.rawValue)."
            if name.hasPrefix(prefix) {
                mode = candidate
                name = String(name.dropFirst(prefix.count))
                break
            }
        }
        guard let figure = figures.first(where: { $0.name == name }) else {
            throw Malformed(description: "there is no figure \"\(parts[0])\" to limit", unknownName: parts[0])
        }
        let word = parts[1].replacing("µ", with: "u").replacing("μ", with: "u")
        let digits = word.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "+" || $0 == "-") }
        guard let number = Double(digits), number.isFinite, number >= 0,
            let unit = Unit(rawValue: String(word.dropFirst(digits.count)))
        else {
            throw malformed(
                "the limit of \(parts[0]) must be a number of 0 or more, as in \(Self.example(figure)), not \"\(parts[1])\""
            )
        }
        guard Self.permits(unit, figure.dimension, number) else {
            throw malformed(
                "the limit of \(parts[0]) needs \(Self.units(figure.dimension)), as in \(Self.example(figure)), not \"\(parts[1])\""
            )
        }
        self.text = text
        self.name = name
        self.mode = mode
        self.unit = unit
        dimension = figure.dimension
        isTime = unit.nanoseconds != nil
        value = unit == .percent ? number / 100 : number * (unit.nanoseconds ?? 1)
    }

    private static func permits(_ unit: Unit, _ dimension: Figure.Dimension, _ number: Double) -> Bool {
        switch dimension {
        case .time: unit.nanoseconds != nil || (unit == .none && number == 0)
        case .frames: unit.nanoseconds != nil || unit == .frames || unit == .none
        case .count: unit == .none
        case .share: unit == .none || unit == .percent
        case .decibels: unit == .none || unit == .decibels
        }
    }

    private static func units(_ dimension: Figure.Dimension) -> String {
        switch dimension {
        case .time: "a unit of time (ns, us, ms, s)"
        case .frames: "frames or a unit of time"
        case .count: "a plain number"
        case .share: "a share or a percentage"
        case .decibels: "decibels"
        }
    }

    private static func example(_ figure: Figure) -> String {
        switch figure.dimension {
        case .time: "\(figure.name)=200us"
        case .frames: "\(figure.name)=64"
        case .count: "\(figure.name)=0"
        case .share: "\(figure.name)=50%"
        case .decibels: "\(figure.name)=40dB"
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
        if isTime && dimension == .frames {
            let nanosecondsPerFrame = 1e9 / Double(sampleRate)
            measured = measured.map { $0 * nanosecondsPerFrame }
            slack *= nanosecondsPerFrame
        }
        var shown = measured
        var word = unit.rawValue
        if unit == .percent {
            shown = measured.map { $0 * 100 }
        } else if let scale = unit.nanoseconds {
            shown = measured.map { $0 / scale }
        } else if dimension == .time {
            word = Unit.nanoseconds.rawValue
        } else if dimension == .frames {
            word = Unit.frames.rawValue
        }
        return LimitResult(
            limit: text, mode: place, measured: shown, unit: word, isMet: measured.map { $0 <= value + slack } ?? false)
    }
}

extension Report {
    /// Holds the modes against limits: each against those it names, or against callback mode, or where there is none
    /// against all.
    public mutating func check(_ limits: [Limit]) {
        for limit in limits {
            guard let figure = Figure.all.first(where: { $0.name == limit.name }) else { continue }
            let named = limit.mode ?? .callback
            let held = modes.contains { $0.mode == named } ? modes.filter { $0.mode == named } : modes
            guard limit.mode == nil || modes.contains(where: { $0.mode == named }), !held.isEmpty else {
                self.limits.append(limit.result(of: nil, in: named.rawValue, sampleRate: server.sampleRate))
                continue
            }
            for mode in held {
                // Of frames that were counted all the run long nobody knows the rate, where that changed: they are held to
                // the time that they last at most.
                let rate = figure.name == "latency" ? mode.latencyRate : mode.leastSampleRate
                self.limits.append(limit.result(of: figure.value(in: mode), in: mode.name, sampleRate: rate))
            }
        }
    }

    /// The limits that were not met.
    public var exceeded: [LimitResult] { limits.filter { !$0.isMet } }
}
