import AudioMeasurement

/// What `iounit jitter` was asked to do.
struct JitterOptions {
    static let syntax = Syntax(
        name: "jitter", summary: "measure how regularly the callback comes, what was lost, and who was late",
        groups: [
            ServerOptions.group,
            (
                "Measurement",
                [
                    MeasurementOptions.channels,
                    Option("seconds", "S", "how long to measure (10)"),
                    Option("cycles", "N", "how many callbacks to measure, instead of a time"),
                    MeasurementOptions.warmup,
                    Option(flag: "baseline", "measure a timer thread of the same period and priority beside it"),
                    Option(
                        flag: "blame",
                        "say of each late cycle who caused it: our callback, a client before us, or the wake-up"),
                    MeasurementOptions.limit,
                    Option("from", "FILE", "analyse what an earlier run wrote with --csv"),
                    Option(
                        flag: "calibrate",
                        "stall a private server, a client before us and our own callback by known times, and say whether "
                            + "all of it was found"),
                ]
            ),
            MeasurementOptions.output,
        ],
        notes: """
            The unit is connected to nobody, so that nothing is heard. What each figure means, and the fields of the
            JSON (iounit.jitter/1): iounit help figures.
            """)

    var common: MeasurementOptions
    /// Ends the run where so many were measured; `nil` for a time.
    var cycles: Int?
    var hasBaseline: Bool
    var hasBlame: Bool
    /// A log to analyse instead of a server.
    var path: String?
    var isCalibration: Bool

    init(_ words: [String]) throws(Failure) {
        let arguments = try Arguments(words, Self.syntax)
        common = try MeasurementOptions(arguments)
        cycles = try arguments.integer("cycles", 2...1_000_000_000)
        try arguments.require(
            cycles == nil || !arguments.has("seconds"), "--cycles and --seconds both say when to end: use one of them")
        hasBaseline = arguments.has("baseline")
        hasBlame = arguments.has("blame")
        path = arguments.value("from")
        isCalibration = arguments.has("calibrate")
        try arguments.require(path != "", "--from needs the name of a file")
        if path != nil {
            let others = [
                "server", "dummy", "channels", "seconds", "warmup", "cycles", "baseline", "blame", "csv", "calibrate",
            ]
            for name in others {
                try arguments.require(
                    !arguments.has(name), "--from analyses a file, so --\(name) has nothing to say there")
            }
        }
        if isCalibration {
            for name in [
                "server", "channels", "seconds", "warmup", "cycles", "baseline", "blame", "limit", "json", "html",
                "hgrm", "csv", "junit",
            ] {
                try arguments.require(
                    !arguments.has(name), "--calibrate has a course of its own, so --\(name) has nothing to say there")
            }
        }
    }
}
