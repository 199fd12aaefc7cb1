import AudioFigures

/// A report of a measurement: what all of them have.
package protocol MeasurementReport: Reported {
    var schema: String { get }
    var end: Report.End { get }
    /// Without the warm-up.
    var seconds: Double { get }
    var server: ServerFacts { get }
    var host: HostFacts { get }
    /// Of the audio thread.
    var scheduling: Nullable<SchedulingFacts> { get }
    var provenance: Nullable<Provenance> { get }
    var limits: [LimitResult] { get }
    var verdict: String { get }
}

extension MeasurementReport {
    /// Before its own fields.
    static var head: [ReportField<Self>] {
        [
            .field("schema", "iounit.jitter/2, iounit.compare/2 or iounit.latency/2") { $0.schema },
            .field(
                "end", "done, interrupted, serverLost or freewheeling; what was measured until then",
                of: ["done", "interrupted", "serverLost", "freewheeling"]
            ) { $0.end.rawValue },
            .field("seconds", "how long was measured, without the warm-up", unit: .seconds) { $0.seconds },
        ]
    }

    /// Behind its own fields.
    static var facts: [ReportField<Self>] {
        [
            .group("server") { $0.server }.section("", .dummy),
            .group("host") { $0.host },
            .field("scheduling", "of the audio thread; null where the kernel does not tell") { $0.scheduling },
            maker,
            .group("limits") { $0.limits },
            .field("verdict", "one sentence: what it means") { $0.verdict },
        ]
    }

    /// What made it.
    static var maker: ReportField<Self> {
        .field("provenance", "what made it; null of a log that does not tell") { $0.provenance }
    }
}
