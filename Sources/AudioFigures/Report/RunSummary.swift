/// What a report says of its run and records of callbacks do not tell: a log has it in a line of its own.
public struct RunSummary: Codable, Sendable, Equatable {
    /// How the run ended.
    public var end: Report.End?
    /// How long was measured, without the warm-up.
    public var seconds: Double?
    /// Time before the measurement.
    public var warmupSeconds: Double?
    /// Whether the modes were measured one after another.
    public var isSequential: Bool?

    /// What the report tells.
    public init(of report: Report) {
        end = report.end
        seconds = report.seconds
        warmupSeconds = report.warmupSeconds.value
        isSequential = report.isSequential.value
    }
}

extension Report {
    /// Takes what the summary tells. A time that no run lasts is left out, wherever the log comes from.
    public mutating func add(_ summary: RunSummary) {
        let times = 0...1e9
        if let end = summary.end { self.end = end }
        if let seconds = summary.seconds, times ~= seconds { self.seconds = seconds }
        if let warmup = summary.warmupSeconds, times ~= warmup { warmupSeconds = Nullable(warmup) }
        isSequential = Nullable(summary.isSequential ?? isSequential.value)
    }
}
