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
        FigureGroup(terms: [.dummy], figures: server + host + provenance + outcome + published),
    ]

    /// What all reports have.
    package static let shared = head + server + host + provenance + outcome

    private static let head = [
        Figure("schema", "iounit.jitter/1, iounit.compare/1 or iounit.latency/1"),
        Figure("end", "done, interrupted or serverLost; what was measured until then"),
        Figure("seconds", "how long was measured, without the warm-up", .seconds),
    ]

    private static let run = [
        Figure("warmupSeconds", "how long the unit ran before", .seconds),
        Figure("isSequential", "whether the modes were measured one after another"),
    ]

    private static let modes = [
        Figure("modes[].mode", "callback or queued"),
        Figure("modes[].name", "unique within the report"),
        Figure("modes[].periodFrames", "the server's period at the beginning", .frames),
        Figure("modes[].sampleRate", "the server's sample rate at the beginning", .hertz),
        Figure("modes[].bufferCount", "how many buffers a queue has; null in callback mode"),
        Figure("modes[].format", "int16 or float, what a queue keeps samples in; null in callback mode"),
    ]

    private static let intervals = [
        Figure("modes[].nominalNanoseconds", "the time that one callback's frames last, at the beginning", .nanoseconds)
            // Where the period or the rate changed there is none for all of the run.
            .ofMode { $0.hasChangedPeriod ? nil : $0.nominalNanoseconds }.ofTimer { $0.nominalNanoseconds }
            .row("nominal interval"),
        Figure("modes[].bufferFrames", "length of a queue's buffers; null in callback mode", .frames)
            .row("frames of each callback", isMain: false) {
                $0.hasChangedPeriod ? nil : Double($0.bufferFrames.value ?? $0.periodFrames)
            },
        Figure("modes[].interval", "from the start of a callback to the start of the next", .nanoseconds)
            .limit("interval.").distribution("interval", rows: Statistic.allCases, main: [.min, .max]) {
                $0.mode?.interval ?? $0.timer?.interval
            },
    ]

    private static let deviations = [
        Figure("modes[].deviation", "how far an interval was from its own nominal, without sign", .nanoseconds)
            .limit("").distribution(
                "deviation", rows: [.mean, .p50, .p90, .p99, .p999, .p9999, .max], main: [.p50, .p99, .p999, .max]
            ) { $0.mode?.deviation ?? $0.timer?.deviation },
        Figure("modes[].signedDeviation", "the same with its sign; negative is early", .nanoseconds)
            .distribution("signed deviation", rows: [.min, .mean, .max]) { $0.mode?.signedDeviation },
        Figure(
            "modes[].arithmeticDeviation",
            "its part that follows from a queue's buffer and the period alone; null in callback mode, and of a log",
            .nanoseconds
        ).distribution("arithmetic", rows: [.p50, .p99, .max], main: [.p50, .p99, .max]) {
            $0.mode.flatMap { $0.hasArithmeticDeviation ? $0.arithmeticDeviation.value : nil }
        },
        Figure("modes[].timingDeviation", "how far an interval was from what these give; null likewise", .nanoseconds)
            .distribution("the rest", rows: [.p50, .p99, .max], main: [.p50, .p99, .max]) {
                $0.mode.flatMap { $0.hasArithmeticDeviation ? $0.timingDeviation.value : nil }
            },
    ]

    private static let parts = [
        Figure("modes[].parts[].frames", "of each callback of this part of the run: the period may change", .frames),
        Figure("modes[].parts[].sampleRate", "the server's in this part: it may change as well", .hertz),
        Figure("modes[].parts[].nominalNanoseconds", "the time that they last", .nanoseconds),
        Figure("modes[].parts[].startNanoseconds", "since the beginning, when the part began", .nanoseconds),
        Figure(
            "modes[].parts[].interval", "from the start of one of its callbacks to the start of the next", .nanoseconds),
        Figure(
            "modes[].parts[].deviation", "how far an interval was from the part's own nominal, without sign",
            .nanoseconds),
        Figure("modes[].omittedParts", "parts beyond the first 100"),
    ]

    private static let callbacks = [
        Figure("modes[].cycles", "callbacks that were measured")
            .ofMode { Double($0.cycles) }.ofTimer { Double($0.cycles) }.row("callbacks"),
        Figure("modes[].callbackTime", "from the start of a callback to its end", .nanoseconds)
            .limit("time.").distribution("callback time", rows: [.p50, .p99, .p999, .max], main: [.p50, .p99]) {
                $0.mode?.callbackTime
            },
        Figure("modes[].load.mean", "mean share of the nominal interval that a callback takes", .share)
            .limit("load.mean").ofMode { $0.load.mean }.row("load mean", isMain: false) {
                $0.cycles > 0 ? $0.load.mean : nil
            },
        Figure("modes[].load.max", "the largest such share", .share)
            .limit("load").ofMode { $0.load.maximum }.row("load max", isMain: false) {
                $0.cycles > 0 ? $0.load.maximum : nil
            },
        Figure("modes[].overruns", "callbacks that took longer than their nominal interval")
            .limit("overruns").ofMode { Double($0.overruns) }.row("overruns"),
    ]

    private static let losses = [
        Figure(
            "modes[].lost.wallNanoseconds", "wall time for which no frame was rendered; right in every mode",
            .nanoseconds
        ).limit("lost").ofMode { Double($0.lost.wallNanoseconds) }.row("time not rendered"),
        Figure("modes[].lost.gapFrames", "frames that JACK's frame clock skipped; blind in sync mode", .frames)
            .limit("gap").ofMode { Double($0.lost.gapFrames) }.row("frame clock skipped"),
        Figure("modes[].lost.longIntervals", "intervals between cycles longer than 1.5 periods")
            .limit("long").ofMode { Double($0.lost.longIntervals) }.row("intervals > 1.5 periods"),
        Figure("modes[].lost.xruns", "xruns that JACK reported")
            .limit("xruns").ofMode { Double($0.lost.xruns) }.row("xruns by JACK"),
        Figure(
            "modes[].lost.xrunDelayNanoseconds", "delays that JACK named, in all; right in sync mode, about 0 in async",
            .nanoseconds
        ).limit("xrun-delay").ofMode { Double($0.lost.xrunDelayNanoseconds) }.row("delay that JACK named"),
    ]

    private static let blames = [
        Figure("modes[].blame", "late cycles by who caused them; null without --blame"),
        Figure("modes[].blame.own", "late cycles: our own callback before them ran past its period")
            .limit("own").ofMode { $0.blame.value.map { Double($0.own) } }.row("late: own callback"),
        Figure("modes[].blame.upstream", "late cycles: a client before us kept us waiting")
            .limit("upstream").ofMode { $0.blame.value.map { Double($0.upstream) } }.row("late: client before us"),
        Figure("modes[].blame.wakeup", "late cycles: the driver, the server or the scheduler began them late")
            .limit("wakeup").ofMode { $0.blame.value.map { Double($0.wakeup) } }.row("late: wake-up"),
        Figure("modes[].blame.unknown", "late cycles that none of these explains")
            .limit("unknown").ofMode { $0.blame.value.map { Double($0.unknown) } }.row("late: unknown"),
    ]

    private static let latencies = [
        Figure("modes[].latencyFrames", "from input to output, measured; null where nothing was heard", .frames)
            .limit("latency").ofMode(\.latencyFrames.value)
            .row("latency measured", digits: 3, value: \.shownLatencyFrames)
            // In one unit whatever its length: next to nothing in one mode is no reason to tell the other in nanoseconds.
            .row("latency measured", .milliseconds) { $0.shownLatencyNanoseconds.map { $0 / 1e6 } },
        Figure("modes[].latencyErrorFrames", "how far that may be off", .frames)
            .ofMode(\.latencyErrorFrames.value).row("latency error", digits: 3),
        Figure(
            "modes[].latencySampleRate", "the server's sample rate while it was measured; null where it was not", .hertz
        )
        // Only where it is another one than the run began with.
        .row("latency measured at") { $0.latencyRate == $0.sampleRate ? nil : Double($0.latencyRate) },
        Figure("modes[].declaredLatencyFrames", "what the unit's ports declare that it adds", .frames)
            .ofMode { Double($0.declaredLatencyFrames) }.row("latency declared"),
    ]

    private static let queues = [
        Figure("modes[].droppedFrames", "frames of input that found no free buffer", .frames)
            .limit("dropped").ofMode { Double($0.droppedFrames) }
            .row("input dropped") { $0.mode == .queued ? Double($0.droppedFrames) : nil },
        Figure("modes[].insertedFrames", "frames of silence, because no buffer was ready", .frames)
            .limit("inserted").ofMode { Double($0.insertedFrames) }
            .row("silence inserted") { $0.mode == .queued ? Double($0.insertedFrames) : nil },
    ]

    private static let costs = [
        Figure("modes[].cpuNanosecondsPerCycle", "processor time of the mode's threads for each callback", .nanoseconds)
            .limit("cpu").ofMode(\.cpuNanosecondsPerCycle.value).row("CPU per callback"),
        Figure("modes[].contextSwitchesPerSecond.voluntary", "times that the threads gave the processor up", .perSecond)
            .ofMode(\.contextSwitchesPerSecond.value?.voluntary).row("gave the processor up"),
        Figure("modes[].contextSwitchesPerSecond.involuntary", "times that it was taken from them", .perSecond)
            .ofMode(\.contextSwitchesPerSecond.value?.involuntary).row("lost the processor"),
        Figure("modes[].telemetryDropped", "callbacks whose record was lost; the figures know nothing of them")
            .limit("telemetry").ofMode { Double($0.telemetryDropped) }.row("records lost"),
    ]

    private static let timer = [
        Figure("baseline", "a timer thread beside it; null without --baseline"),
        Figure("baseline.nominalNanoseconds", "its period", .nanoseconds),
        Figure("baseline.cycles", "how many times it woke"),
        Figure("baseline.interval", "from one waking to the next", .nanoseconds),
        Figure("baseline.deviation", "how far that was from nominal, without sign", .nanoseconds),
        Figure("baseline.lateness", "how late it woke", .nanoseconds)
            .distribution("timer lateness", rows: [.p50, .p99, .max]) { $0.timer?.lateness },
        Figure("baseline.policy", "how it was scheduled"),
        Figure("baseline.priority", "with which priority"),
    ]

    private static let server = [
        Figure("server.name", "the JACK server's name"),
        Figure("server.backend", "dummy for a server of our own; null for another: JACK does not tell"),
        Figure("server.sampleRate", "at the beginning; of iounit latency, where it measured", .hertz),
        Figure("server.periodFrames", "likewise", .frames),
        Figure("server.sync", "whether the server waits for all clients; null where JACK does not tell"),
        Figure("server.realtime", "whether the server asks for real-time scheduling; null of a log that does not tell"),
    ]

    private static let host = [
        Figure("host.cpu", "the processor's name"),
        Figure("host.cores", "processors that the program may use; null of a log that does not tell"),
        Figure("host.kernel", "the kernel's release; null likewise"),
        Figure("host.preemption", "none, voluntary, full, lazy or rt; null where the kernel does not show it"),
        Figure("host.governor", "how the processor's frequency is chosen; null likewise"),
        Figure("host.scheduling", "policy and priority of the audio thread"),
    ]

    /// What made a report: of every kind of report.
    package static let provenance = [
        Figure("provenance.date", "when the program began, in UTC"),
        Figure("provenance.version", "of iounit"),
        Figure("provenance.host", "the machine's name"),
        Figure("provenance.command", "the command line, without passwords, queries and fragments of addresses"),
    ]

    private static let outcome = [
        Figure("limits[].limit", "as it was given"),
        Figure("limits[].mode", "what it was held against"),
        Figure("limits[].measured", "null where there was nothing to hold against it, which is a failure"),
        Figure("limits[].unit", "of measured"),
        Figure("limits[].isMet", "whether it was met"),
        Figure("verdict", "one sentence: what it means"),
    ]

    private static let published = [
        Figure("published[].name", "a figure that somebody else published of the same case"),
        Figure("published[].unit", "of both"),
        Figure("published[].published", "as published"),
        Figure("published[].measured", "here"),
    ]
}

extension [Figure] {
    /// What limits can be set on, each statistic by itself.
    package var limitable: [Figure] {
        flatMap { $0.statistics.isEmpty ? [$0] : $0.statistics }.filter { $0.limit != nil }
    }
}
