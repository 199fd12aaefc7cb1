/// What a measurement comes to: the object of `--json` (AudioReports encodes it), and what tables, pages and verdicts are made from.
public struct Report: Sendable {
    /// How the run ended.
    public enum End: String, Sendable, Codable {
        /// It lasted as long as was asked for.
        case done
        /// By a signal: what was measured until then.
        case interrupted
        /// The server went away: what was measured until then.
        case serverLost
        /// The server began to freewheel: what was measured until then, and at most some tenths of a second of that.
        case freewheeling
    }

    /// `iounit.jitter/2` or `iounit.compare/2`.
    public var schema: String
    /// How the run ended.
    public var end = End.done
    /// How long was measured, without the warm-up.
    public var seconds = 0.0
    /// `nil` of a log that does not tell; so is `isSequential`.
    public var warmupSeconds: Nullable<Double> = Nullable(0)
    /// Whether the modes were measured one after another rather than at the same time.
    public var isSequential: Nullable<Bool> = Nullable(false)
    /// What it was measured on.
    public var server: ServerFacts
    /// The machine.
    public var host: HostFacts
    /// Of the audio thread; `nil` where it is not known.
    public var scheduling: Nullable<SchedulingFacts> = Nullable(nil)
    /// What made it; `nil` where that is not known, as of a log that does not tell.
    public var provenance: Nullable<Provenance> = Nullable(nil)
    /// Callback mode first, where it was measured.
    public var modes: [ModeReport] = []
    /// In the way of the measured sound, in the order of the path.
    package var plugins: [PluginReport] = []
    /// A timer thread of the same period and priority, measured at the same time.
    public var baseline: Nullable<BaselineReport> = Nullable(nil)
    /// In the order in which they were given.
    public var limits: [LimitResult] = []
    /// One sentence: what it means.
    public var verdict = ""
    /// What somebody else published of the same cases, where a preset reproduces them.
    public var published: [PublishedFigure] = []

    /// - Parameter schema: as `iounit.jitter/2`.
    public init(schema: String, server: ServerFacts, host: HostFacts) {
        self.schema = schema
        self.server = server
        self.host = host
    }

    /// Whether the run came to its end.
    public var isComplete: Bool { end == .done }
}

/// A limit, and what it was held against.
public struct LimitResult: Sendable, Equatable {
    /// As it was given: `p99=200us`.
    public var limit: String
    /// The mode it was held against, or the whole run.
    public var mode: String
    /// What was measured, in the limit's unit; `nil` where there is nothing to hold against it, which is a failure.
    public var measured: Nullable<Double>
    /// As people read it: `µs`, `frames`.
    public var unit: String
    /// Whether what was measured is no more than the limit.
    public var isMet: Bool
    /// What is to be known of the measured value, behind it; empty for nothing.
    package var reservation = ""

    /// - Parameter measured: in `unit`; `nil` where nothing was measured.
    public init(limit: String, mode: String, measured: Double?, unit: String, isMet: Bool) {
        self.limit = limit
        self.mode = mode
        self.measured = Nullable(measured)
        self.unit = unit
        self.isMet = isMet
    }
}

/// A figure that somebody published, beside what was measured here.
public struct PublishedFigure: Sendable, Equatable {
    /// As `interval of the 8820-byte queue`.
    public var name: String
    /// As people read it: `µs`, `frames`.
    public var unit: String
    /// As it was published, in `unit`.
    public var published: String
    /// As it was measured here, in `unit`.
    public var measured: String
    /// Both values are as people read them.
    public init(name: String, unit: String, published: String, measured: String) {
        self.name = name
        self.unit = unit
        self.published = published
        self.measured = measured
    }
}

/// What a report says of the machine. What the kernel does not show is `null`.
public struct HostFacts: Codable, Sendable, Equatable {
    /// As in `/proc/cpuinfo`.
    public var cpu: Nullable<String>
    /// Processors that this program may use.
    public var cores: Nullable<Int>
    /// As `uname -r` has it.
    public var kernel: Nullable<String>
    /// `none`, `voluntary`, `full`, `lazy` or `rt`.
    public var preemption: Nullable<String>
    /// How the processor's frequency is chosen, as `performance`.
    public var governor: Nullable<String>

    /// `nil` is what the system does not tell.
    public init(cpu: String?, cores: Int?, kernel: String?, preemption: String?, governor: String?) {
        self.cpu = Nullable(cpu)
        self.cores = Nullable(cores)
        self.kernel = Nullable(kernel)
        self.preemption = Nullable(preemption)
        self.governor = Nullable(governor)
    }
}

/// When, where and by which call of which program a report was made.
public struct Provenance: Codable, Sendable, Equatable {
    /// When the program began, in UTC: `2026-11-23T07:58:01Z`.
    public var date: String
    /// Of the program: `0.1.0`.
    public var version: String
    /// The machine's name.
    public var host: String
    /// The command line as a shell takes it, without passwords.
    public var command: String

    /// Made of what the properties say.
    public init(date: String, version: String, host: String, command: String) {
        self.date = date
        self.version = version
        self.host = host
        self.command = command
    }
}
