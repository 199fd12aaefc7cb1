/// What a measurement comes to: the object of `--json`, and what tables, pages and verdicts are made from.
public struct Report: Sendable, Encodable {
    /// How the run ended.
    public enum End: String, Sendable, Codable {
        case done
        /// By a signal: what was measured until then.
        case interrupted
        /// The server went away: what was measured until then.
        case serverLost
    }

    /// `iounit.jitter/2` or `iounit.compare/2`.
    public var schema: String
    public var end = End.done
    /// How long was measured, without the warm-up.
    public var seconds = 0.0
    /// `nil` of a log that does not tell; so is `isSequential`.
    public var warmupSeconds: Nullable<Double> = Nullable(0)
    /// Whether the modes were measured one after another rather than at the same time.
    public var isSequential: Nullable<Bool> = Nullable(false)
    public var server: ServerFacts
    public var host: HostFacts
    /// Of the audio thread; `nil` where it is not known.
    public var scheduling: Nullable<SchedulingFacts> = Nullable(nil)
    /// What made it; `nil` where that is not known, as of a log that does not tell.
    public var provenance: Nullable<Provenance> = Nullable(nil)
    public var modes: [ModeReport] = []
    /// A timer thread of the same period and priority, measured at the same time.
    public var baseline: Nullable<BaselineReport> = Nullable(nil)
    public var limits: [LimitResult] = []
    /// One sentence: what it means.
    public var verdict = ""
    /// What somebody else published of the same cases, where a preset reproduces them.
    public var published: [PublishedFigure] = []

    public init(schema: String, server: ServerFacts, host: HostFacts) {
        self.schema = schema
        self.server = server
        self.host = host
    }

    /// Whether the run came to its end.
    public var isComplete: Bool { end == .done }
}

/// A limit, and what it was held against.
public struct LimitResult: Sendable, Equatable, Encodable {
    /// As it was given: `p99=200us`.
    public var limit: String
    /// The mode it was held against, or the whole run.
    public var mode: String
    /// What was measured, in the limit's unit; `nil` where there is nothing to hold against it, which is a failure.
    public var measured: Nullable<Double>
    public var unit: String
    public var isMet: Bool

    public init(limit: String, mode: String, measured: Double?, unit: String, isMet: Bool) {
        self.limit = limit
        self.mode = mode
        self.measured = Nullable(measured)
        self.unit = unit
        self.isMet = isMet
    }
}

/// A figure that somebody published, beside what was measured here.
public struct PublishedFigure: Sendable, Equatable, Encodable {
    /// As `interval of the 8820-byte queue`.
    public var name: String
    public var unit: String
    public var published: String
    public var measured: String
    public init(name: String, unit: String, published: String, measured: String) {
        self.name = name
        self.unit = unit
        self.published = published
        self.measured = measured
    }
}
