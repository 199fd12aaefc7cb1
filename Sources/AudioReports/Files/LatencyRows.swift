import AudioFigures

/// What each round of the signal said by itself, as comma-separated values and as a histogram.
public struct LatencyRows: Sendable {
    /// A line for each round, and one with their names above.
    public let text: String
    /// Of the latencies in nanoseconds, as far as there are any.
    public let histogram: Histogram

    /// - Parameter sampleRate: in hertz, 1 or more.
    public init(_ readings: [LatencyReading], sampleRate: Int) {
        var histogram = Histogram()
        var lines = ["endFrameTime,outcome,frames,errorFrames,polarity,levelDecibels,signalToNoiseDecibels"]
        for reading in readings {
            switch reading.finding {
            case .measured(let estimate):
                let nanoseconds = estimate.frames / Double(max(1, sampleRate)) * 1e9
                // No way is as long as 11 days, and a histogram takes it for no more than 13.
                histogram.record(Int64(min(max(0, nanoseconds), 1e15).rounded()))
                let values = [
                    fixed(estimate.frames, 6), fixed(estimate.errorFrames, 6),
                    estimate.isInverted ? "inverted" : "normal", fixed(estimate.levelDecibels, 3),
                    fixed(estimate.signalToNoiseDecibels, 2),
                ]
                lines.append("\(reading.endFrameTime),measured,\(values.joined(separator: ","))")
            case .absent: lines.append("\(reading.endFrameTime),absent,,,,,")
            case .ambiguous: lines.append("\(reading.endFrameTime),ambiguous,,,,,")
            // Of several rounds only.
            case .moving: lines.append("\(reading.endFrameTime),moving,,,,,")
            }
        }
        text = lines.joined(separator: "\n") + "\n"
        self.histogram = histogram
    }
}
