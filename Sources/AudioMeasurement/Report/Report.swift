import SystemHealth

/// What a measurement comes to: the object of `--json`, and what tables, pages and verdicts are made from.
public struct Report: Sendable, Encodable {
    /// How the run ended.
    public enum End: String, Sendable, Encodable {
        case done
        /// By a signal: what was measured until then.
        case interrupted
        /// The server went away: what was measured until then.
        case serverLost
    }

    /// `iounit.jitter/1` or `iounit.compare/1`.
    public var schema: String
    public var end = End.done
    /// How long was measured, without the warm-up.
    public var seconds = 0.0
    public var warmupSeconds = 0.0
    /// Whether the modes were measured one after another rather than at the same time.
    public var isSequential = false
    public var server: ServerFacts
    public var host: HostFacts
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

    /// Of a log that an earlier run has written.
    ///
    /// - Parameters:
    ///   - server, host: what the log says of them; `nil` where it says nothing.
    public init(
        log path: String, of analyses: [CallbackAnalysis], server: ServerFacts?, host: HostFacts?, schema: String
    ) {
        modes = analyses.map(\.report)
        self.schema = schema
        self.server =
            server
            ?? ServerFacts(
                name: path, backend: nil, sampleRate: analyses.first?.sampleRate ?? 0,
                periodFrames: modes.first?.periodFrames ?? 0, sync: nil, realtime: nil)
        self.host =
            host
            ?? HostFacts(cpu: nil, cores: nil, kernel: nil, preemption: nil, governor: nil, scheduling: nil)
        seconds = (analyses.first?.renderedNanoseconds ?? 0) / 1e9
    }

    /// Whether the run came to its end.
    public var isComplete: Bool { end == .done }
}

/// One mode of one run.
public struct ModeReport: Sendable, Encodable {
    public enum Mode: String, Sendable, Encodable {
        /// Rendered within the same cycle: the callback is JACK's.
        case callback
        /// Through a queue of buffers: the callback is the worker's, once for each buffer.
        case queued
    }

    public var mode: Mode
    /// Short and unique within the report: `callback`, `queued 4410`.
    public var name: String
    /// The server's period at the beginning; the callback's own in callback mode.
    public var periodFrames: Int
    /// The server's sample rate at the beginning, in hertz.
    public var sampleRate: Int
    /// Length of a queue's buffers, and how many it has; `nil` in callback mode.
    public var bufferFrames: Nullable<Int> = Nullable(nil)
    public var bufferCount: Nullable<Int> = Nullable(nil)
    /// `int16` or `float`; what the queue keeps samples in.
    public var format: Nullable<String> = Nullable(nil)
    /// The time that one callback's frames last, at the beginning.
    public var nominalNanoseconds: Double
    /// The run in parts of one period and sample rate each: more than one where either changed. The first 100 at the most.
    public var parts: [PeriodPart] = []
    /// How many parts there are beyond those.
    public var omittedParts = 0
    /// Callbacks that were measured.
    public var cycles: UInt64 = 0
    /// Between starts of one callback and the next.
    public var interval = Distribution()
    /// How far each interval was from its own nominal time, without sign.
    public var deviation = Distribution()
    /// The same with its sign: negative is early.
    public var signedDeviation = Distribution()
    /// From the start of a callback to its end.
    public var callbackTime = Distribution()
    /// The callback's share of its nominal interval: mean and maximum, 0…1 and beyond.
    public var load = Load()
    /// Callbacks that ran longer than their nominal interval.
    public var overruns: UInt64 = 0
    public var lost = Lost()
    public var blame: Nullable<BlameCount> = Nullable(nil)
    /// What the probe measured between an input and an output of the unit; `null` where it heard nothing it could trust.
    public var latencyFrames: Nullable<Double> = Nullable(nil)
    /// How far `latencyFrames` may be off.
    public var latencyErrorFrames: Nullable<Double> = Nullable(nil)
    /// The server's sample rate while `latencyFrames` was measured, in hertz.
    public var latencySampleRate: Nullable<Int> = Nullable(nil)
    /// What the unit's ports declare that it adds.
    public var declaredLatencyFrames: Int = 0
    /// Frames of input that found no free buffer.
    public var droppedFrames: UInt64 = 0
    /// Frames of silence that were played because no buffer was ready.
    public var insertedFrames: UInt64 = 0
    /// Callbacks whose record was lost because the ring was full; the figures know nothing of them. Of a queue, the audio
    /// thread's cycles whose record was lost are among them.
    public var telemetryDropped: UInt64 = 0
    /// Processor time of the mode's threads for each of its callbacks.
    public var cpuNanosecondsPerCycle: Nullable<Double> = Nullable(nil)
    /// Times that the mode's threads gave the processor up, or had to, for each second.
    public var contextSwitchesPerSecond: Nullable<ContextSwitches> = Nullable(nil)
    /// The run in a few hundred steps, for plots. Not in the JSON.
    public var series = Series()
    /// The percentile curve of the deviation, for plots. Not in the JSON.
    public var deviationCurve: [CurvePoint] = []
    /// All deviations without their sign, for a percentile file. Not in the JSON.
    public var deviationHistogram = Histogram()

    /// - Parameter sampleRate: in hertz, 1 or more.
    public init(mode: Mode, name: String, periodFrames: Int, sampleRate: Int, nominalNanoseconds: Double) {
        self.mode = mode
        self.name = name
        self.periodFrames = periodFrames
        self.sampleRate = sampleRate
        self.nominalNanoseconds = nominalNanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case mode, name, periodFrames, sampleRate, bufferFrames, bufferCount, format, nominalNanoseconds, parts,
            omittedParts, cycles
        case interval, deviation, signedDeviation, callbackTime, load, overruns, lost, blame, latencyFrames,
            latencyErrorFrames, latencySampleRate
        case declaredLatencyFrames, droppedFrames, insertedFrames, telemetryDropped, cpuNanosecondsPerCycle
        case contextSwitchesPerSecond
    }
}

/// A share of the nominal interval; 1 is all of it.
public struct Load: Sendable, Equatable, Encodable {
    public var mean = 0.0
    public var maximum = 0.0
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case mean
        case maximum = "max"
    }
}

/// Lost time, three ways at once, because no single one is right in every server mode.
public struct Lost: Sendable, Equatable, Encodable {
    /// Frames of JACK's frame clock that were not rendered. Blind in sync mode.
    public var gapFrames: UInt64 = 0
    /// Wall time for which no frame was rendered. Right in every mode.
    public var wallNanoseconds: UInt64 = 0
    /// Intervals longer than 1.5 periods.
    public var longIntervals: UInt64 = 0
    /// What JACK reported, and the sum of the delays that it named (right in sync mode, about 0 in async).
    public var xruns: UInt64 = 0
    public var xrunDelayNanoseconds: UInt64 = 0
    public init() {}
}

/// Who was late how many times.
public struct BlameCount: Sendable, Equatable, Encodable {
    /// Our own callback ran past its period.
    public var own: UInt64 = 0
    /// A client before us kept us waiting.
    public var upstream: UInt64 = 0
    /// The driver, the server or the scheduler woke the graph late.
    public var wakeup: UInt64 = 0
    public var unknown: UInt64 = 0
    public init() {}
}

public struct ContextSwitches: Sendable, Equatable, Encodable {
    public var voluntary = 0.0
    public var involuntary = 0.0
    public init(voluntary: Double, involuntary: Double) {
        self.voluntary = voluntary
        self.involuntary = involuntary
    }
}

/// A timer thread, for comparison: what the kernel costs without JACK.
public struct BaselineReport: Sendable, Encodable {
    public var nominalNanoseconds: Double
    public var cycles: UInt64
    public var interval: Distribution
    public var deviation: Distribution
    /// How late the thread woke, as cyclictest has it.
    public var lateness: Distribution
    public var policy: String
    public var priority: Int
    /// The percentile curve of the deviation, for plots. Not in the JSON.
    public var deviationCurve: [CurvePoint]

    public init(
        nominalNanoseconds: Double, cycles: UInt64, interval: Distribution, deviation: Distribution,
        lateness: Distribution, policy: String, priority: Int, deviationCurve: [CurvePoint] = []
    ) {
        self.nominalNanoseconds = nominalNanoseconds
        self.cycles = cycles
        self.interval = interval
        self.deviation = deviation
        self.lateness = lateness
        self.policy = policy
        self.priority = priority
        self.deviationCurve = deviationCurve
    }

    private enum CodingKeys: String, CodingKey {
        case nominalNanoseconds, cycles, interval, deviation, lateness, policy, priority
    }
}

/// One point of a percentile curve.
public struct CurvePoint: Sendable, Equatable {
    /// 0…100.
    public var percentile: Double
    public var nanoseconds: Int64
    /// How many values lie at or below.
    public var count: UInt64
    public init(percentile: Double, nanoseconds: Int64, count: UInt64) {
        self.percentile = percentile
        self.nanoseconds = nanoseconds
        self.count = count
    }
}

/// A run in a bounded number of steps, and what happened in it.
public struct Series: Sendable, Equatable {
    /// The extremes of what began within one step: how much longer than its own nominal time an interval was, in
    /// nanoseconds. Negative is shorter.
    public struct Step: Sendable, Equatable {
        public var earliest: Int64
        public var latest: Int64
        public init(earliest: Int64, latest: Int64) {
            self.earliest = earliest
            self.latest = latest
        }
    }

    /// A callback that came late.
    public struct Event: Sendable, Equatable {
        /// Since the beginning of the measurement.
        public var nanoseconds: Int64
        /// How much longer than nominal the interval was.
        public var lateNanoseconds: Int64
        public var blame: Blame
        public init(nanoseconds: Int64, lateNanoseconds: Int64, blame: Blame) {
            self.nanoseconds = nanoseconds
            self.lateNanoseconds = lateNanoseconds
            self.blame = blame
        }
    }

    public var stepNanoseconds: Int64 = 0
    /// `nil` where no callback began within the step.
    public var steps: [Step?] = []
    /// The first ones; `lost.longIntervals` has their number.
    public var events: [Event] = []
    public init() {}
}

/// Who was late.
public enum Blame: String, Sendable, Equatable, Encodable, CaseIterable {
    case own, upstream, wakeup, unknown
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

extension ModeReport {
    /// Whether the callbacks had not all the same period, in frames or in time: then there is no one nominal time.
    package var hasChangedPeriod: Bool { parts.count + omittedParts > 1 }
    /// Whether the server changed its sample rate, as far as the parts tell.
    package var hasChangedRate: Bool { Set(parts.map(\.sampleRate)).count > 1 }
    /// The least sample rate of the run, in hertz: at it frames of which nobody knows the rate last longest.
    package var leastSampleRate: Int { parts.map(\.sampleRate).min() ?? sampleRate }
}
