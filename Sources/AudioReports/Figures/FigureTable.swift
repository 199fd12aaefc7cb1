import AudioFigures

/// Figures that belong together.
package struct FigureGroup: Sendable {
    /// Above its rows.
    var title = ""
    var terms: [Term] = []
    package let figures: [Figure]
}

/// The figures of all reports, in the order in which help, tables and glossary have them.
package enum FigureTable {
    /// Of `iounit jitter` and `iounit compare`.
    package static let measurement = [
        FigureGroup(figures: head + run + modes),
        FigureGroup(title: "Interval from one callback's start to the next", terms: [.interval], figures: intervals),
        FigureGroup(
            title: "Deviation of the interval from nominal, early or late", terms: [.deviation, .percentile],
            figures: deviations),
        FigureGroup(figures: parts),
        FigureGroup(title: "The callback itself", terms: [.callback], figures: callbacks),
        FigureGroup(title: "Lost time", terms: [.lost, .xrun], figures: losses),
        FigureGroup(title: "Late callbacks, by whom", terms: [.blame], figures: blames),
        FigureGroup(title: "Latency through the mode", terms: [.latency], figures: latencies),
        FigureGroup(title: "What the queue lost", terms: [.queue], figures: queues),
        FigureGroup(title: "What it cost", terms: [.cost, .records], figures: costs),
        FigureGroup(title: "How late the timer woke", terms: [.timer], figures: timer),
        FigureGroup(terms: [.dummy], figures: server + host + scheduling + provenance + outcome + published),
    ]

    /// What all reports have.
    package static let shared = head + server + host + scheduling + provenance + outcome

    private static let head = [
        Figure("schema", "iounit.jitter/2, iounit.compare/2 or iounit.latency/2").of(.text),
        Figure("end", "done, interrupted or serverLost; what was measured until then").of(
            .choice(["done", "interrupted", "serverLost"])),
        Figure("seconds", "how long was measured, without the warm-up", .seconds),
    ]

    private static let run = [
        Figure("warmupSeconds", "how long the unit ran before; null of a log that does not tell", .seconds).orNull,
        Figure("isSequential", "whether the modes were measured one after another; null likewise").of(.flag).orNull,
    ]

    private static let modes = [
        Figure("modes[].mode", "callback or queued").of(.choice(["callback", "queued"])),
        Figure("modes[].name", "unique within the report").of(.text),
        Figure("modes[].periodFrames", "the server's period at the beginning", .frames),
        Figure("modes[].sampleRate", "the server's sample rate at the beginning", .hertz),
        Figure("modes[].bufferCount", "how many buffers a queue has; null in callback mode").orNull,
        Figure("modes[].format", "int16 or float, what a queue keeps samples in; null in callback mode").of(
            .choice(["int16", "float"])
        ).orNull,
    ]

    private static let intervals = [
        Figure("modes[].nominalNanoseconds", "the time that one callback's frames last, at the beginning", .nanoseconds)
            // Where the period or the rate changed there is none for all of the run.
            .ofMode { $0.hasChangedPeriod ? nil : $0.nominalNanoseconds }.ofTimer { $0.nominalNanoseconds }
            .row("nominal interval"),
        Figure("modes[].bufferFrames", "length of a queue's buffers; null in callback mode", .frames).orNull
            .row("frames of each callback", isMain: false) {
                $0.hasChangedPeriod ? nil : Double($0.bufferFrames.value ?? $0.periodFrames)
            },
        Figure("modes[].interval", "from the start of a callback to the start of the next", .nanoseconds).of(
            .distribution
        )
        .limit("interval.").distribution("interval", rows: Statistic.allCases, main: [.min, .max]) {
            $0.mode?.interval ?? $0.timer?.interval
        },
    ]

    private static let deviations = [
        Figure("modes[].deviation", "how far an interval was from its own nominal, without sign", .nanoseconds).of(
            .distribution
        )
        .limit("deviation.").distribution(
            "deviation", rows: [.mean, .p50, .p90, .p99, .p999, .p9999, .max], main: [.p50, .p99, .p999, .max]
        ) { $0.mode?.deviation ?? $0.timer?.deviation },
        Figure("modes[].signedDeviation", "the same with its sign; negative is early", .nanoseconds).of(.distribution)
            .distribution("signed deviation", rows: [.min, .mean, .max]) { $0.mode?.signedDeviation },
        Figure(
            "modes[].arithmeticDeviation",
            "its part that follows from a queue's buffer and the period alone; null in callback mode",
            .nanoseconds
        ).of(.distribution).orNull.distribution(
            "arithmetic deviation", rows: [.p50, .p99, .max], main: [.p50, .p99, .max]
        ) {
            $0.mode.flatMap { $0.hasArithmeticDeviation ? $0.arithmeticDeviation.value : nil }
        },
        Figure("modes[].timingDeviation", "how far an interval was from what these give; null likewise", .nanoseconds)
            .of(.distribution).orNull
            .distribution("timing deviation", rows: [.p50, .p99, .max], main: [.p50, .p99, .max]) {
                $0.mode.flatMap { $0.hasArithmeticDeviation ? $0.timingDeviation.value : nil }
            },
    ]

    private static let parts = [
        Figure("modes[].parts[].frames", "of each callback of this part of the run: the period may change", .frames),
        Figure("modes[].parts[].sampleRate", "the server's in this part: it may change as well", .hertz),
        Figure("modes[].parts[].nominalNanoseconds", "the time that they last", .nanoseconds),
        Figure("modes[].parts[].startNanoseconds", "since the beginning, when the part began", .nanoseconds),
        Figure(
            "modes[].parts[].interval", "from the start of one of its callbacks to the start of the next", .nanoseconds
        ).of(.distribution),
        Figure(
            "modes[].parts[].deviation", "how far an interval was from the part's own nominal, without sign",
            .nanoseconds
        ).of(.distribution),
        Figure("modes[].omittedParts", "parts beyond the first 100"),
    ]

    private static let callbacks = [
        Figure("modes[].callbacks", "callbacks that were measured")
            .ofMode { Double($0.cycles) }.ofTimer { Double($0.cycles) }.row("callbacks"),
        Figure("modes[].callbackTime", "from the start of a callback to its end", .nanoseconds).of(.distribution)
            .limit("callback-time.").distribution(
                "callback time", rows: [.p50, .p99, .p999, .max], main: [.p50, .p99]
            ) {
                $0.mode?.callbackTime
            },
        Figure("modes[].load.mean", "mean share of the nominal interval that a callback takes", .share)
            .limit("load.mean").ofMode { $0.load.mean }.row("load mean", isMain: false) {
                $0.cycles > 0 ? $0.load.mean : nil
            },
        Figure("modes[].load.max", "the largest such share", .share)
            .limit("load.max").ofMode { $0.load.maximum }.row("load max", isMain: false) {
                $0.cycles > 0 ? $0.load.maximum : nil
            },
        Figure("modes[].overruns", "callbacks that took longer than their nominal interval")
            .limit("overruns").ofMode { Double($0.overruns) }.row("overruns"),
    ]

    private static let losses = [
        Figure(
            "modes[].lostNanoseconds", "wall time for which no frame was rendered; right in every mode",
            .nanoseconds
        ).orNull.limit("lost").ofMode { $0.lost.nanoseconds.map { Double($0) } }.row("lost time", isKept: true),
        Figure("modes[].gapFrames", "frames that JACK's frame clock skipped; blind in sync mode", .frames).orNull
            .limit("gap").ofMode { $0.lost.gapFrames.map { Double($0) } }.row("gap in frame clock", isKept: true),
        Figure("modes[].longIntervals", "intervals between cycles longer than 1.5 periods").orNull
            .limit("long-intervals").ofMode { $0.lost.longIntervals.map { Double($0) } }.row(
                "long intervals, > 1.5 periods", isKept: true),
        Figure("modes[].xruns", "xruns that JACK reported; null of a log that does not tell").orNull
            .limit("xruns").ofMode { $0.lost.xruns.map { Double($0) } }.row("xruns", isKept: true),
        Figure(
            "modes[].xrunDelayNanoseconds", "delays that JACK named, in all; right in sync mode, about 0 in async",
            .nanoseconds
        ).orNull.limit("xrun-delay").ofMode { $0.lost.xrunDelayNanoseconds.map { Double($0) } }.row(
            "xrun delay", isKept: true),
    ]

    private static let blames = [
        Figure("modes[].blame", "late cycles by who caused them; null without --blame").orNull,
        Figure("modes[].blame.own", "late cycles: our own callback before them ran past its period")
            .limit("own").ofMode { $0.blame.value.map { Double($0.own) } }.row("late: own callback"),
        Figure("modes[].blame.upstream", "late cycles: a client before us kept us waiting")
            .limit("upstream").ofMode { $0.blame.value.map { Double($0.upstream) } }.row("late: upstream client"),
        Figure("modes[].blame.wakeup", "late cycles: the driver, the server or the scheduler began them late")
            .limit("wakeup").ofMode { $0.blame.value.map { Double($0.wakeup) } }.row("late: wakeup"),
        Figure("modes[].blame.unknown", "late cycles that none of these explains")
            .limit("unknown").ofMode { $0.blame.value.map { Double($0.unknown) } }.row("late: unknown"),
    ]

    private static let latencies = [
        Figure("modes[].latencyFrames", "from input to output, measured; null where nothing was heard", .frames).orNull
            .limit("latency").ofMode(\.latencyFrames.value)
            .row("latency measured", digits: 3, value: \.shownLatencyFrames)
            // In one unit whatever its length: next to nothing in one mode is no reason to tell the other in nanoseconds.
            .row("latency measured", .milliseconds) { $0.shownLatencyNanoseconds.map { $0 / 1e6 } },
        Figure("modes[].latencyErrorFrames", "how far that may be off", .frames).orNull
            .ofMode(\.latencyErrorFrames.value).row("latency error", digits: 3),
        Figure(
            "modes[].latencySampleRate", "the server's sample rate while it was measured; null where it was not", .hertz
        ).orNull
            // Only where it is another one than the run began with.
            .row("latency measured at") { $0.latencyRate == $0.sampleRate ? nil : Double($0.latencyRate) },
        Figure(
            "modes[].declaredLatencyFrames",
            "what the unit's ports declare that it adds; null of a log that does not tell", .frames
        ).orNull
            .ofMode { $0.declaredLatencyFrames.map { Double($0) } }.row("declared latency"),
    ]

    private static let queues = [
        Figure("modes[].droppedFrames", "frames of input that found no free buffer; null likewise", .frames).orNull
            .limit("dropped").ofMode { $0.droppedFrames.map { Double($0) } }
            .row("dropped input") { $0.mode == .queued ? $0.droppedFrames.map { Double($0) } : nil },
        Figure("modes[].insertedFrames", "frames of silence, because no buffer was ready; null likewise", .frames)
            .orNull
            .limit("inserted").ofMode { $0.insertedFrames.map { Double($0) } }
            .row("inserted silence") { $0.mode == .queued ? $0.insertedFrames.map { Double($0) } : nil },
    ]

    private static let costs = [
        Figure(
            "modes[].cpuNanosecondsPerCallback", "processor time of the mode's threads for each callback", .nanoseconds
        ).orNull
            .limit("cpu").ofMode(\.cpuNanosecondsPerCallback.value).row("CPU per callback"),
        Figure("modes[].contextSwitchesPerSecond", "of the mode's threads; null where the kernel does not tell").orNull,
        Figure("modes[].contextSwitchesPerSecond.voluntary", "times that the threads gave the processor up", .perSecond)
            .ofMode(\.contextSwitchesPerSecond.value?.voluntary).row("context switches, voluntary"),
        Figure("modes[].contextSwitchesPerSecond.involuntary", "times that it was taken from them", .perSecond)
            .ofMode(\.contextSwitchesPerSecond.value?.involuntary).row("context switches, involuntary"),
        Figure("modes[].lostRecords", "callbacks whose record was lost; the figures know nothing of them")
            .limit("lost-records").ofMode { Double($0.lostRecords) }.row("lost records"),
    ]

    private static let timer = [
        Figure("baseline", "a timer thread beside it; null without --baseline").orNull,
        Figure("baseline.nominalNanoseconds", "its period", .nanoseconds),
        Figure("baseline.wakeups", "how many times it woke"),
        Figure("baseline.interval", "from one waking to the next", .nanoseconds).of(.distribution),
        Figure("baseline.deviation", "how far that was from nominal, without sign", .nanoseconds).of(.distribution),
        Figure("baseline.lateness", "how late it woke", .nanoseconds).of(.distribution)
            .distribution("lateness", rows: [.p50, .p99, .max]) { $0.timer?.lateness },
        Figure("baseline.scheduling", "of its thread; null where the kernel does not tell").orNull,
        Figure("baseline.scheduling.policy", "as SCHED_FIFO").of(.text),
        Figure("baseline.scheduling.priority", "1 to 99 in real time, else 0"),
    ]

    private static let server = ReportField.group("server", \Report.server).figures

    private static let host = [
        Figure("host.cpu", "the processor's name").of(.text).orNull,
        Figure("host.cores", "processors that the program may use; null of a log that does not tell").orNull,
        Figure("host.kernel", "the kernel's release; null likewise").of(.text).orNull,
        Figure("host.preemption", "none, voluntary, full, lazy or rt; null where the kernel does not show it").of(
            .choice(["none", "voluntary", "full", "lazy", "rt"])
        ).orNull,
        Figure("host.governor", "how the processor's frequency is chosen; null likewise").of(.text).orNull,
    ]

    private static let scheduling = ReportField.field(
        "scheduling", "of the audio thread; null where the kernel does not tell", \Report.scheduling
    ).figures

    /// What made a report: of every kind of report.
    static let provenance = ReportField.field(
        "provenance", "what made it; null of a log that does not tell", \Report.provenance
    ).figures

    private static let outcome =
        ReportField.group("limits", \Report.limits).figures + [
            Figure("verdict", "one sentence: what it means").of(.text)
        ]

    private static let published = [
        Figure("published[].name", "a figure that somebody else published of the same case").of(.text),
        Figure("published[].unit", "of both").of(.text),
        Figure("published[].published", "as published").of(.text),
        Figure("published[].measured", "here").of(.text),
    ]
}

extension [Figure] {
    /// What limits can be set on, each statistic by itself.
    package var limitable: [Figure] {
        flatMap { $0.statistics.isEmpty ? [$0] : $0.statistics }.filter { $0.limit != nil }
    }
}
