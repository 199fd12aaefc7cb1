import AudioFigures

/// A key of the JSON is the figure's name, as tables and limits have it, with its unit behind it: `lost-records`,
/// `lostNanoseconds`.
extension ModeReport: Reported {
    package static let fields: [ReportField<Self>] =
        settings + intervals + deviations + periods + callbacks + losses + latencies + queues + costs

    private static let settings: [ReportField<Self>] = [
        .field("mode", "callback or queued", of: ["callback", "queued"]) { $0.mode.rawValue },
        .field("name", "unique within the report", \.name),
        .field("periodFrames", "the server's period at the beginning", unit: .frames, \.periodFrames),
        .field("sampleRate", "the server's sample rate at the beginning", unit: .hertz, \.sampleRate),
        .field("bufferCount", "how many buffers a queue has; null in callback mode", \.bufferCount),
        .field(
            "format", "int16 or float, what a queue keeps samples in; null in callback mode", of: ["int16", "float"],
            \.format),
    ]

    private static let intervals: [ReportField<Self>] = [
        .field(
            "nominalNanoseconds", "the time that one callback's frames last, at the beginning", unit: .nanoseconds,
            \.nominalNanoseconds
        )
        .section("Interval from one callback's start to the next", .interval)
        .timer(\.nominalNanoseconds)
        // Where the period or the rate changed there is none for all of the run.
        .row("nominal interval") { $0.hasChangedPeriod ? nil : $0.nominalNanoseconds },
        .field("bufferFrames", "length of a queue's buffers; null in callback mode", unit: .frames, \.bufferFrames)
            .row("frames of each callback", isMain: false) {
                $0.hasChangedPeriod ? nil : Double($0.bufferFrames.value ?? $0.periodFrames)
            },
        .field(
            "interval", "from the start of a callback to the start of the next", unit: .nanoseconds, \.interval
        )
        .limit("interval.").timer(\.interval).rows("interval", main: [.min, .max]),
    ]

    private static let deviations: [ReportField<Self>] = [
        .field(
            "deviation", "how far an interval was from its own nominal, without sign", unit: .nanoseconds, \.deviation
        )
        .section("Deviation of the interval from nominal, early or late", .deviation, .percentile)
        .limit("deviation.").timer(\.deviation)
        .rows("deviation", [.mean, .p50, .p90, .p99, .p999, .p9999, .max], main: [.p50, .p99, .p999, .max]),
        .field(
            "signedDeviation", "how far an interval was from its own nominal; negative is early", unit: .nanoseconds,
            \.signedDeviation
        ).rows("signed deviation", [.min, .mean, .max]),
        .field(
            "arithmeticDeviation",
            "the part of deviation that follows from a queue's buffer and the period alone; null in callback mode, and of "
                + "a log that does not tell",
            unit: .nanoseconds, \.arithmeticDeviation
        ).rows("arithmetic deviation", split, main: Set(split), isShown: \.hasArithmeticDeviation),
        .field(
            "timingDeviation",
            "how far an interval was from what a queue's buffer and the period give; null in callback mode, and of a log "
                + "that does not tell",
            unit: .nanoseconds, \.timingDeviation
        ).rows("timing deviation", split, main: Set(split), isShown: \.hasArithmeticDeviation),
    ]

    private static let split: [Statistic] = [.p50, .p99, .max]

    private static let periods: [ReportField<Self>] = [
        .group("parts", \.parts).section(""),
        .field("omittedParts", "parts beyond the first 100", \.omittedParts),
    ]

    private static let callbacks: [ReportField<Self>] = [
        .field("callbacks", "callbacks that were measured", \.cycles)
            .section("The callback itself", .callback).timer(\.cycles).row("callbacks"),
        .field("callbackTime", "from the start of a callback to its end", unit: .nanoseconds, \.callbackTime)
            .limit("callback-time.").rows("callback time", [.p50, .p99, .p999, .max], main: [.p50, .p99]),
        .group("load", \.load),
        .field("overruns", "callbacks that took longer than their nominal interval", \.overruns)
            .limit("overruns", isLoss: true).row("overruns"),
    ]

    private static let losses: [ReportField<Self>] = [
        .field(
            "lostNanoseconds", "wall time for which no frame was rendered; right in every mode", unit: .nanoseconds,
            \.lost.nanoseconds
        ).section("Lost time", .lost, .xrun).limit("lost", isLoss: true).row("lost time", isKept: true),
        .field(
            "gapFrames", "frames that JACK's frame clock skipped; blind in sync mode", unit: .frames, \.lost.gapFrames
        ).limit("gap", isLoss: true).row("gap in frame clock", isKept: true),
        .field("longIntervals", "intervals between cycles longer than 1.5 periods", \.lost.longIntervals)
            .limit("long-intervals", isLoss: true).row("long intervals, > 1.5 periods", isKept: true),
        .field("xruns", "xruns that JACK reported; null of a log that does not tell", \.lost.xruns)
            .limit("xruns", isLoss: true).row("xruns", isKept: true),
        .field(
            "xrunDelayNanoseconds", "delays that JACK named, in all; right in sync mode, about 0 in async",
            unit: .nanoseconds, \.lost.xrunDelayNanoseconds
        ).limit("xrun-delay", isLoss: true).row("xrun delay", isKept: true),
        .field("blame", "late cycles by who caused them; null without --blame", \.blame)
            .section("Late callbacks, by whom", .blame),
    ]

    private static let latencies: [ReportField<Self>] = [
        .field(
            "latencyFrames", "from input to output, measured; null where nothing was heard", unit: .frames,
            \.latencyFrames
        )
        .section("Latency through the mode", .latency).limit("latency")
        .row("latency measured", digits: 3, value: \.shownLatencyFrames)
        // In one unit whatever its length: next to nothing in one mode is no reason to tell the other in nanoseconds.
        .row("latency measured", .milliseconds) { $0.shownLatencyNanoseconds.map { $0 / 1e6 } },
        .field("latencyErrorFrames", "how far that may be off", unit: .frames, \.latencyErrorFrames)
            .row("latency error", digits: 3),
        .field(
            "latencySampleRate", "the server's sample rate while it was measured; null where it was not", unit: .hertz,
            \.latencySampleRate
        )
        // Only where it is another one than the run began with.
        .row("latency measured at") { $0.latencyRate == $0.sampleRate ? nil : Double($0.latencyRate) },
        .field(
            "declaredLatencyFrames", "what the unit's ports declare that it adds; null of a log that does not tell",
            unit: .frames, \.declaredLatencyFrames
        ).row("declared latency"),
    ]

    private static let queues: [ReportField<Self>] = [
        .field(
            "droppedFrames", "frames of input that found no free buffer; null of a log that does not tell",
            unit: .frames, \.droppedFrames
        )
        .section("What the queue lost", .queue).limit("dropped", isLoss: true)
        .row("dropped input") { $0.mode == .queued ? $0.droppedFrames.map { Double($0) } : nil },
        .field(
            "insertedFrames", "frames of silence, because no buffer was ready; null of a log that does not tell",
            unit: .frames, \.insertedFrames
        )
        .limit("inserted", isLoss: true)
        .row("inserted silence") { $0.mode == .queued ? $0.insertedFrames.map { Double($0) } : nil },
    ]

    private static let costs: [ReportField<Self>] = [
        .field(
            "cpuNanosecondsPerCallback", "processor time of the mode's threads for each callback", unit: .nanoseconds,
            \.cpuNanosecondsPerCallback
        ).section("What it cost", .cost, .records).limit("cpu").row("CPU per callback"),
        .field(
            "contextSwitchesPerSecond", "of the mode's threads; null where the kernel does not tell",
            \.contextSwitchesPerSecond),
        .field("lostRecords", "callbacks whose record was lost; the figures know nothing of them", \.lostRecords)
            .limit("lost-records", isLoss: true).row("lost records"),
        .field(
            "impossibleRecords",
            "callbacks whose record does not fit the one before it, as where two logs are one; of these no interval is told",
            \.impossibleRecords),
    ]
}

extension PeriodPart: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("frames", "of each callback of this part of the run: the period may change", unit: .frames, \.frames),
        .field("sampleRate", "the server's in this part: it may change as well", unit: .hertz, \.sampleRate),
        .field("nominalNanoseconds", "the time that they last", unit: .nanoseconds, \.nominalNanoseconds),
        .field(
            "startNanoseconds", "since the beginning, when the part began", unit: .nanoseconds, \.startNanoseconds),
        .field(
            "interval", "from the start of one of its callbacks to the start of the next", unit: .nanoseconds,
            \.interval),
        .field(
            "deviation", "how far an interval was from the part's own nominal, without sign", unit: .nanoseconds,
            \.deviation),
    ]
}

extension Load: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("mean", "mean share of the nominal interval that a callback takes", unit: .share, \.mean)
            .limit("load.mean").row("load mean", isMain: false) { $0.cycles > 0 ? $0.load.mean : nil },
        .field("max", "the largest such share", unit: .share, \.maximum)
            .limit("load.max").row("load max", isMain: false) { $0.cycles > 0 ? $0.load.maximum : nil },
    ]
}

extension BlameCount: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("own", "late cycles: our own callback before them ran past its period", \.own)
            .limit("own", isLoss: true).row("late: own callback"),
        .field("upstream", "late cycles: a client before us kept us waiting", \.upstream)
            .limit("upstream", isLoss: true).row("late: upstream client"),
        .field("wakeup", "late cycles: the driver, the server or the scheduler began them late", \.wakeup)
            .limit("wakeup", isLoss: true).row("late: wakeup"),
        .field("unknown", "late cycles that none of these explains", \.unknown)
            .limit("unknown", isLoss: true).row("late: unknown"),
    ]
}

extension ContextSwitches: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("voluntary", "times that the threads gave the processor up", unit: .perSecond, \.voluntary)
            .row("context switches, voluntary"),
        .field("involuntary", "times that it was taken from them", unit: .perSecond, \.involuntary)
            .row("context switches, involuntary"),
    ]
}
