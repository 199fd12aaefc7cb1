import AudioFigures

extension ServerFacts: Reported {
    private static let ofServer =
        "the server's when the report was made; of a measurement at its beginning, of iounit latency while it measured"

    package static let fields: [ReportField<Self>] = [
        .field("name", "the JACK server's name", \.name),
        .field("backend", "dummy for a server of our own; null for another: JACK does not tell", \.backend),
        .field("sampleRate", ofServer, unit: .hertz, \.sampleRate),
        .field("periodFrames", ofServer, unit: .frames, \.periodFrames),
        .field("sync", "whether the server waits for all clients; null where JACK does not tell", \.sync),
        .field(
            "realtime", "whether the server asks for real-time scheduling; null of a log that does not tell",
            \.realtime),
    ]
}

extension HostFacts: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("cpu", "the processor's name", \.cpu),
        .field("cores", "processors that the program may use; null of a log that does not tell", \.cores),
        .field("kernel", "the kernel's release; null of a log that does not tell", \.kernel),
        .field(
            "preemption", "none, voluntary, full, lazy or rt; null where the kernel does not show it",
            of: ["none", "voluntary", "full", "lazy", "rt"], \.preemption),
        .field(
            "governor", "how the processor's frequency is chosen; null where the kernel does not show it", \.governor),
    ]
}

extension SchedulingFacts: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("policy", "as SCHED_FIFO", \.policy),
        .field("priority", "1 to 99 in real time, else 0", \.priority),
    ]
}

extension Provenance: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("date", "when the program began, in UTC", \.date),
        .field("version", "of iounit", \.version),
        .field("host", "the machine's name", \.host),
        .field("command", "the command line, without passwords, queries and fragments of addresses", \.command),
    ]
}

extension LimitResult: Reported {
    package static let fields: [ReportField<Self>] = [
        .field("limit", "--limit or --fail-if as it was given", \.limit),
        .field("mode", "what it was held against", \.mode),
        .field("measured", "the figure, in diff its change; null where there is none, which is a failure", \.measured),
        .field("unit", "of measured", \.unit),
        .field("isMet", "whether it was met", \.isMet),
    ]
}
