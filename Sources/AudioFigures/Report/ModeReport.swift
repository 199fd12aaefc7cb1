/// One mode of one run.
public struct ModeReport: Sendable {
    /// Which callback it is.
    public enum Mode: String, Sendable {
        /// Rendered within the same cycle: the callback is JACK's.
        case callback
        /// Through a queue of buffers: the callback is the worker's, once for each buffer.
        case queued
    }

    /// Which callback it is.
    public var mode: Mode
    /// Short and unique within the report: `callback`, `queued 4410`.
    public var name: String
    /// The server's period at the beginning; the callback's own in callback mode.
    public var periodFrames: Int
    /// The server's sample rate at the beginning, in hertz.
    public var sampleRate: Int
    /// Length of a queue's buffers, and how many it has; `nil` in callback mode.
    public var bufferFrames: Nullable<Int> = Nullable(nil)
    /// `nil` in callback mode.
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
    /// Of a queue: the part of `deviation` that follows from the lengths of buffer and period alone. A buffer is seen to be
    /// full at the end of a cycle, so that intervals are whole periods: 0 where the buffer is a whole number of them. `nil` in
    /// callback mode, and of a log that does not tell.
    public var arithmeticDeviation: Nullable<Distribution> = Nullable(nil)
    /// Of a queue: how far each interval was from the one that these lengths give, without sign: what server, kernel and
    /// worker cost. `nil` likewise.
    public var timingDeviation: Nullable<Distribution> = Nullable(nil)
    /// From the start of a callback to its end.
    public var callbackTime = Distribution()
    /// The callback's share of its nominal interval: mean and maximum, 0…1 and beyond.
    public var load = Load()
    /// Callbacks that ran longer than their nominal interval.
    public var overruns: UInt64 = 0
    /// Lost time while this mode was measured.
    public var lost = Lost()
    /// Who was late, and how often; `nil` where that was not asked for.
    public var blame: Nullable<BlameCount> = Nullable(nil)
    /// What the probe measured between an input and an output of the unit; `null` where it heard nothing it could trust.
    public var latencyFrames: Nullable<Double> = Nullable(nil)
    /// How far `latencyFrames` may be off.
    public var latencyErrorFrames: Nullable<Double> = Nullable(nil)
    /// The server's sample rate while `latencyFrames` was measured, in hertz.
    public var latencySampleRate: Nullable<Int> = Nullable(nil)
    /// What the unit's ports declare that it adds; `nil` of a log that does not tell.
    public var declaredLatencyFrames: Int?
    /// Frames of input that found no free buffer; `nil` of a log that does not tell. Callback mode has no buffers to wait for.
    public var droppedFrames: UInt64?
    /// Frames of silence that were played because no buffer was ready; `nil` likewise.
    public var insertedFrames: UInt64?
    /// Callbacks whose record was lost because the ring was full; the figures know nothing of them. Of a queue, the audio
    /// thread's cycles whose record was lost are among them.
    public var lostRecords: UInt64 = 0
    /// Callbacks whose record has times or positions that cannot follow those before; no interval is made from them.
    package var impossibleRecords: UInt64 = 0
    /// Processor time of the mode's threads for each of its callbacks.
    public var cpuNanosecondsPerCallback: Nullable<Double> = Nullable(nil)
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
        droppedFrames = mode == .callback ? 0 : nil
        insertedFrames = droppedFrames
    }
}

/// A share of the nominal interval; 1 is all of it.
public struct Load: Sendable, Equatable {
    /// 0 and more.
    public var mean = 0.0
    /// 0 and more; beyond 1 a callback took longer than its nominal interval.
    public var maximum = 0.0
    /// 0.
    public init() {}
}

/// Times per second that threads gave the processor up, or had to.
public struct ContextSwitches: Sendable, Equatable, Codable {
    /// They waited for something.
    public var voluntary = 0.0
    /// The scheduler took the processor away.
    public var involuntary = 0.0
    /// - Parameters: per second, 0 or more.
    public init(voluntary: Double, involuntary: Double) {
        self.voluntary = voluntary
        self.involuntary = involuntary
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

/// A part of a run in which each callback had as many frames, at the same sample rate: where the server changes its period or
/// its rate, another begins.
public struct PeriodPart: Sendable, Equatable {
    /// Frames of each callback.
    public var frames: Int
    /// The server's, in hertz.
    public var sampleRate: Int
    /// The time that the frames last.
    public var nominalNanoseconds: Double
    /// When its first callback began, since the beginning of the measurement.
    public var startNanoseconds: Int64
    /// Between starts of one of its callbacks and the next.
    public var interval = Distribution()
    /// How far each interval was from the part's own nominal time, without sign.
    public var deviation = Distribution()

    /// - Parameter sampleRate: in hertz, 1 or more.
    public init(frames: Int, sampleRate: Int, startNanoseconds: Int64) {
        self.frames = frames
        self.sampleRate = sampleRate
        nominalNanoseconds = Double(frames) * 1e9 / Double(sampleRate)
        self.startNanoseconds = startNanoseconds
    }
}

/// Lost time, three ways at once, because no single one is right in every server mode.
///
/// `nil` is what was not counted, as by a log that does not tell.
public struct Lost: Sendable, Equatable {
    /// Frames of JACK's frame clock that were not rendered. Blind in sync mode.
    public var gapFrames: UInt64? = 0
    /// Wall time for which no frame was rendered. Right in every mode.
    public var nanoseconds: UInt64? = 0
    /// Intervals longer than 1.5 periods.
    public var longIntervals: UInt64? = 0
    /// What JACK reported, and the sum of the delays that it named (right in sync mode, about 0 in async).
    public var xruns: UInt64?
    /// `nil` where JACK named none.
    public var xrunDelayNanoseconds: UInt64?
    /// Nothing was lost; of xruns nothing is known.
    public init() {}

    /// Nothing was counted.
    package static var unknown: Lost {
        var lost = Lost()
        (lost.gapFrames, lost.nanoseconds, lost.longIntervals) = (nil, nil, nil)
        return lost
    }
}
