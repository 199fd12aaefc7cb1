import AudioFigures
import AudioFiles
import AudioReports

/// What `iounit convert` has done: the object of `--json`, and a line for each file.
struct ConvertReport: ReportDocument {
    var seconds = 0.0
    var isComplete = true
    var files: [File] = []

    static let name = "convert"
    static let version = 1
    static let fields: [ReportField<Self>] = [
        .field("seconds", "how long all of it took", unit: .seconds, \.seconds),
        .field("isComplete", "whether all files were made, to their end", \.isComplete),
        .group("files", \.files),
    ]

    struct File: Reported {
        var input: String
        var output: String
        /// `nil` where nothing was made.
        var outcome: FileConversion.Outcome?
        var error: String?
        var warnings: [String]

        static let fields: [ReportField<Self>] =
            [
                .field("input", "as it was given; - is the standard input", \.input),
                .field("output", "the path of what was made", \.output),
                .field("isComplete", "whether all of the input is in it", \.isComplete),
                .field(
                    "error", "why it was not made, or not to its end; where it was not made the figures below are null",
                    \.error),
                .field(
                    "warnings",
                    "what is broken in the input, what of its description the output cannot hold, and a true peak beyond EBU R 128's",
                    \.warnings),
                .field("inputFormat", "in libsndfile's words", \.outcome?.inputFormat),
                .field("inputRate", "of the input", unit: .hertz, \.outcome?.inputRate),
                .field("inputChannels", "of the input", \.outcome?.inputChannels),
                .field("inputFrames", "how many were converted", unit: .frames, \.outcome?.inputFrames),
            ] + made

        private static let made: [ReportField<Self>] = [
            .field("outputFormat", "container and encoding: flac pcm24", \.outcome?.outputFormat.description),
            .field("outputRate", "of the output", unit: .hertz, \.outcome?.outputRate),
            .field("outputChannels", "of the output", \.outcome?.outputChannels),
            .field("outputFrames", "how many it has", unit: .frames, \.outcome?.outputFrames),
            .field(
                "gainDecibels", "what was applied, by --gain or for --normalise", unit: .decibels,
                \.outcome?.gainDecibels),
            .field(
                "measuredLUFS",
                "the loudness before --normalise lufs=…; null where none was asked for, or the sound has none",
                unit: .lufs,
                \.outcome?.measuredLUFS),
            .field("truePeakDecibels", "of the output, before it is limited; null likewise", unit: .decibels) {
                ($0.outcome?.truePeakDecibels).flatMap(finite)
            },
            .plugins(\.plugins),
            .field("clippedSamples", "beyond full scale, and limited", \.outcome?.clippedSamples),
            .field("nonFiniteSamples", "no numbers, and silence in the output", \.outcome?.nonFiniteSamples),
        ]

        init(_ job: ConvertOptions.Job, _ outcome: FileConversion.Outcome? = nil) {
            (input, output, self.outcome) = (job.input, job.output, outcome)
            warnings = outcome?.warnings ?? []
        }

        var isComplete: Bool { outcome?.isComplete == true }
        private var plugins: [PluginReport] {
            outcome?.reports.compactMap { $0 as? [PluginReport] }.flatMap(\.self) ?? []
        }

        /// For people.
        var line: String {
            let name = output == "-" ? "standard output" : shown(output)
            guard let outcome else { return "\(name): \(error == nil ? "interrupted" : "not made")" }
            let (rate, channels) = (outcome.outputRate, outcome.outputChannels)
            var text = "\(name): \(outcome.outputFormat), \(rate) Hz"
            if outcome.inputRate != rate { text += " (from \(outcome.inputRate))" }
            text += ", \(counted(channels, "channel"))"
            if outcome.inputChannels != channels { text += " (from \(outcome.inputChannels))" }
            text += ", \(clock(frames: outcome.outputFrames, rate))"
            if outcome.gainDecibels != 0 { text += ", gain \(fixed(outcome.gainDecibels, 1)) dB" }
            if let lufs = outcome.measuredLUFS { text += " from \(fixed(lufs, 1)) LUFS" }
            if outcome.clippedSamples > 0 { text += ", \(outcome.clippedSamples) samples clipped" }
            if outcome.nonFiniteSamples > 0 {
                text += ", \(outcome.nonFiniteSamples) samples not finite, now silence"
            }
            return text + (isComplete ? "" : ", interrupted")
        }
    }
}
