import AudioReports

/// `iounit help figures`: what is measured, what it is called in limits and in the JSON, and in which unit.
enum FigureHelp {
    /// Fields of the JSON by their path, in the order of the page; `[]` stands for each of several.
    static let fields: [(path: String, unit: String, meaning: String)] = [
        ("schema", "", "iounit.jitter/1, iounit.compare/1 or iounit.latency/1"),
        ("end", "", "done, interrupted or serverLost; what was measured until then"),
        ("seconds", "s", "how long was measured, without the warm-up"),
        ("warmupSeconds", "s", "how long the unit ran before"),
        ("isSequential", "", "whether the modes were measured one after another"),
        ("server.name", "", "the JACK server's name"),
        ("server.backend", "", "dummy for a server of our own; null for another: JACK does not tell"),
        ("server.sampleRate", "Hz", "at the beginning; of iounit latency, where it measured"),
        ("server.periodFrames", "frames", "likewise"),
        ("server.sync", "", "whether the server waits for all clients; null where JACK does not tell"),
        ("server.realtime", "", "whether the server asks for real-time scheduling; null of a log that does not tell"),
        ("host.cpu", "", "the processor's name"),
        ("host.cores", "", "processors that the program may use; null of a log that does not tell"),
        ("host.kernel", "", "the kernel's release; null likewise"),
        ("host.preemption", "", "none, voluntary, full, lazy or rt; null where the kernel does not show it"),
        ("host.governor", "", "how the processor's frequency is chosen; null likewise"),
        ("host.scheduling", "", "policy and priority of the audio thread"),
        ("modes[].mode", "", "callback or queued"),
        ("modes[].name", "", "unique within the report"),
        ("modes[].periodFrames", "frames", "the server's period at the beginning"),
        ("modes[].sampleRate", "Hz", "the server's sample rate at the beginning"),
        ("modes[].bufferFrames", "frames", "length of a queue's buffers; null in callback mode"),
        ("modes[].bufferCount", "", "how many buffers the queue has; null likewise"),
        ("modes[].format", "", "int16 or float, what the queue keeps samples in; null likewise"),
        ("modes[].nominalNanoseconds", "ns", "the time that one callback's frames last, at the beginning"),
        ("modes[].parts[].frames", "frames", "of each callback of this part of the run: the period may change"),
        ("modes[].parts[].sampleRate", "Hz", "the server's in this part: it may change as well"),
        ("modes[].parts[].nominalNanoseconds", "ns", "the time that they last"),
        ("modes[].parts[].startNanoseconds", "ns", "since the beginning, when the part began"),
        ("modes[].parts[].interval", "ns", "from the start of one of its callbacks to the start of the next"),
        ("modes[].parts[].deviation", "ns", "how far an interval was from the part's own nominal, without sign"),
        ("modes[].omittedParts", "", "parts beyond the first 100"),
        ("modes[].cycles", "", "callbacks that were measured"),
        ("modes[].interval", "ns", "from the start of a callback to the start of the next"),
        ("modes[].deviation", "ns", "how far an interval was from its own nominal, without sign"),
        ("modes[].signedDeviation", "ns", "the same with its sign; negative is early"),
        ("modes[].callbackTime", "ns", "from the start of a callback to its end"),
        ("modes[].load.mean", "share", "of the nominal interval that a callback takes"),
        ("modes[].load.max", "share", "the same, the largest"),
        ("modes[].overruns", "", "callbacks that took longer than their nominal interval"),
        ("modes[].lost.gapFrames", "frames", "that JACK's frame clock skipped; blind in sync mode"),
        ("modes[].lost.wallNanoseconds", "ns", "wall time for which no frame was rendered; right in every mode"),
        ("modes[].lost.longIntervals", "", "intervals between cycles longer than 1.5 periods"),
        ("modes[].lost.xruns", "", "what JACK reported"),
        ("modes[].lost.xrunDelayNanoseconds", "ns", "the delays that JACK named; right in sync mode, about 0 in async"),
        ("modes[].blame", "", "late cycles by who caused them; null without --blame"),
        ("modes[].blame.own", "", "our callback before it ran past its period"),
        ("modes[].blame.upstream", "", "a client before us kept us waiting"),
        ("modes[].blame.wakeup", "", "the driver, the server or the scheduler began the cycle late"),
        ("modes[].blame.unknown", "", "none of them explains it"),
        ("modes[].latencyFrames", "frames", "from input to output, measured; null where nothing was heard"),
        ("modes[].latencyErrorFrames", "frames", "how far that may be off"),
        ("modes[].latencySampleRate", "Hz", "the server's sample rate while it was measured; null where it was not"),
        ("modes[].declaredLatencyFrames", "frames", "what the unit's ports declare that it adds"),
        ("modes[].droppedFrames", "frames", "of input that found no free buffer"),
        ("modes[].insertedFrames", "frames", "of silence, because no buffer was ready"),
        ("modes[].telemetryDropped", "", "callbacks whose record was lost; the figures know nothing of them"),
        ("modes[].cpuNanosecondsPerCycle", "ns", "processor time of the mode's threads for each callback"),
        ("modes[].contextSwitchesPerSecond.voluntary", "1/s", "times that the threads gave the processor up"),
        ("modes[].contextSwitchesPerSecond.involuntary", "1/s", "times that it was taken from them"),
        ("baseline", "", "a timer thread beside it; null without --baseline"),
        ("baseline.nominalNanoseconds", "ns", "its period"),
        ("baseline.cycles", "", "how many times it woke"),
        ("baseline.interval", "ns", "from one waking to the next"),
        ("baseline.deviation", "ns", "how far that was from nominal, without sign"),
        ("baseline.lateness", "ns", "how late it woke"),
        ("baseline.policy", "", "how it was scheduled"),
        ("baseline.priority", "", ""),
        ("limits[].limit", "", "as it was given"),
        ("limits[].mode", "", "what it was held against"),
        ("limits[].measured", "the limit's", "null where there was nothing to hold against it, which is a failure"),
        ("limits[].unit", "", "of measured"),
        ("limits[].isMet", "", ""),
        ("published[].name", "", "a figure that somebody else published of the same case"),
        ("published[].unit", "", ""),
        ("published[].published", "", "as published"),
        ("published[].measured", "", "here"),
        ("verdict", "", "one sentence: what it means"),
    ]

    /// Those of `iounit latency`, beside schema, end, seconds, server, host, limits and verdict, which all reports have.
    static let latencyFields: [(path: String, unit: String, meaning: String)] = [
        ("send", "", "the port that the signal was sent to"),
        ("return", "", "the port that it was heard at"),
        ("outcome", "", "measured; absent: nothing of the signal was heard; ambiguous: on several paths; tooShort"),
        ("roundTrip", "", "null unless outcome is measured"),
        ("roundTrip.frames", "frames", "from sending to hearing, by the server's frame clock"),
        ("roundTrip.milliseconds", "ms", "the same"),
        ("roundTrip.errorFrames", "frames", "it is off by less in 99 of 100 measurements"),
        ("roundTrip.polarity", "", "normal or inverted"),
        ("roundTrip.levelDecibels", "dB", "how much louder the signal came back than it was sent; 0 for a wire"),
        ("roundTrip.signalToNoiseDecibels", "dB", "its power over that of all else in its band, at most 140"),
        ("heardDecibels", "dB", "of full scale, where outcome is absent: how loud that was; null for silence"),
        ("peakDecibels", "dB", "of full scale, the greatest sample heard; from 0 on it is clipped; null for silence"),
        ("candidateFrames[]", "frames", "the delays between which it is ambiguous"),
        ("blocks", "", "rounds of the signal that were heard"),
        ("discarded", "", "rounds that were left out: the frame clock had a gap, or a sample was no number"),
        ("restarts", "", "times that it began anew: the server had changed its period or its sample rate"),
        ("longestFrames", "frames", "length of a round: a latency of as much is taken for none"),
        ("declaredFrames", "frames", "what the ports declare; null on a self-loop, and where they are not connected"),
        ("extraFrames", "frames", "how much more than declared was measured; null where one of them is"),
        ("expected", "", "--expect as it was given; null without it"),
    ]

    static var text: String { lines.joined(separator: "\n") }

    private static var lines: [String] {
        let limits = Figure.all.filter { !$0.name.hasPrefix("interval.") && !$0.name.hasPrefix("time.") }
        return [
            "iounit help figures - what is measured, and what it is called",
            "",
            "Limits (--limit KEY=VALUE): the most that a figure may be. A time has a unit (ns, us, ms, s), frames may",
            "have one, a share may be in percent. Of several modes a limit holds for callback mode; queued.KEY holds",
            "for every queue.",
            "",
        ] + table(limits.map { ($0.name, unit($0.dimension), $0.summary) }) + [
            "  interval.STATISTIC, time.STATISTIC: of the interval and of the time a callback takes; STATISTIC is min,",
            "  mean, deviation (standard), p50, p90, p99, p99.9, p99.99 or max.",
            "",
            "Fields of the JSON. A distribution has count, min, mean, standardDeviation, p50, p90, p99, p99.9, p99.99",
            "and max. A percentile is the least value that so many percent of all do not exceed; at most 0.1 % off.",
            "",
        ] + table(fields.map { ($0.path, $0.unit, $0.meaning) })
            + ["", "Limits of iounit latency (--limit NAME=VALUE).", ""]
            + table(Figure.ofLatency.map { ($0.name, unit($0.dimension), $0.summary) })
            + [
                "",
                "Fields of its JSON, beside schema, end, seconds, server, host, limits and verdict, which are as above.",
                "",
            ] + table(latencyFields.map { ($0.path, $0.unit, $0.meaning) })
    }

    private static func unit(_ dimension: Figure.Dimension) -> String {
        switch dimension {
        case .time: "time"
        case .frames: "frames"
        case .count: ""
        case .share: "share"
        case .decibels: "dB"
        }
    }

    private static func table(_ rows: [(String, String, String)]) -> [String] {
        let first = rows.map(\.0.count).max() ?? 0
        let second = rows.map(\.1.count).max() ?? 0
        return rows.map { name, unit, meaning in
            let left = name + String(repeating: " ", count: first - name.count + 2)
            let middle = unit + String(repeating: " ", count: second - unit.count + 2)
            return trimmed("  " + left + middle + meaning)
        }
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
