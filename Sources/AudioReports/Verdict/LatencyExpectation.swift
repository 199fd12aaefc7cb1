import AudioFigures

/// A latency that somebody expects, and how far from it is near enough: `64±1`.
public struct LatencyExpectation: Sendable, Equatable {
    /// As it was given.
    public let text: String
    /// The latency that is expected.
    public let frames: Double
    /// How far off it may be, 0 or more.
    public let toleranceFrames: Double

    /// Half a frame, where no tolerance is given.
    public static let tolerance = 0.5

    /// - Parameter text: frames, and behind `±`, `+-` or `+/-` by how many they may be off; `nil` for any other.
    public init?(_ text: String) {
        var parts = [Substring(text)]
        for sign in ["±", "+/-", "+-"] {
            guard let range = text.firstRange(of: sign) else { continue }
            parts = [text[..<range.lowerBound], text[range.upperBound...]]
            break
        }
        let numbers = parts.map { part in
            // A number of hexadecimal digits or an infinite one is no number of frames.
            part.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } ? Double(part) : nil
        }
        guard let frames = numbers[0], frames <= 1e9, let tolerance = numbers.count > 1 ? numbers[1] : Self.tolerance,
            tolerance.isFinite
        else { return nil }
        self.text = text
        self.frames = frames
        toleranceFrames = tolerance
    }

    /// Holds what was measured against it; where nothing was, that is a failure.
    public func result(_ report: LatencyReport) -> LimitResult {
        let frames = report.latency.value?.frames
        return LimitResult(
            limit: "expect=\(text)", mode: "latency", measured: frames, unit: "frames",
            isMet: frames.map { abs($0 - self.frames) <= toleranceFrames + Limit.slackFrames } ?? false)
    }
}

extension Limit {
    /// Holds a latency against it; where the figure was not measured, that is a failure.
    public func result(_ report: LatencyReport) -> LimitResult {
        result(of: figure.value(report), in: "latency", sampleRate: report.server.sampleRate)
    }
}
