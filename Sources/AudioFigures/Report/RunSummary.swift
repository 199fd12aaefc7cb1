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

    /// What was in the way of the sound; `nil` of an older log.
    package var plugins: [PluginReport]?

    /// What the report tells.
    public init(of report: Report) {
        end = report.end
        seconds = report.seconds
        warmupSeconds = report.warmupSeconds.value
        isSequential = report.isSequential.value
        plugins = report.plugins
    }
}

extension Report {
    /// Takes what the summary tells. What no run can have is left out, wherever the log comes from.
    public mutating func add(_ summary: RunSummary) {
        let times = 0...1e9
        if let end = summary.end { self.end = end }
        if let seconds = summary.seconds, times ~= seconds { self.seconds = seconds }
        if let warmup = summary.warmupSeconds, times ~= warmup { warmupSeconds = Nullable(warmup) }
        isSequential = Nullable(summary.isSequential ?? isSequential.value)
        if let plugins = summary.plugins, plugins.allSatisfy(\.isPossible) { self.plugins = plugins }
    }
}
