import AudioFigures
import AudioFiles
import AudioReports
import TerminalPages

/// What `iounit convert` has done: the object of `--json`, and a line for each file.
struct ConvertReport: Encodable {
    let schema = "iounit.convert/1"
    var seconds = 0.0
    var isComplete = true
    var files: [File] = []

    struct File: Encodable {
        var input: String
        var output: String
        var inputFormat: Nullable<String> = Nullable(nil)
        var inputRate: Nullable<Int> = Nullable(nil)
        var inputChannels: Nullable<Int> = Nullable(nil)
        var inputFrames: Nullable<Int> = Nullable(nil)
        var outputFormat: Nullable<String> = Nullable(nil)
        var outputRate: Nullable<Int> = Nullable(nil)
        var outputChannels: Nullable<Int> = Nullable(nil)
        var outputFrames: Nullable<Int> = Nullable(nil)
        var gainDecibels: Nullable<Double> = Nullable(nil)
        /// Before `--normalise lufs=…`.
        var measuredLUFS: Nullable<Double> = Nullable(nil)
        /// Of the output, where its loudness was asked for.
        var truePeakDecibels: Nullable<Double> = Nullable(nil)
        var clippedSamples: Nullable<Int> = Nullable(nil)
        var nonFiniteSamples: Nullable<Int> = Nullable(nil)
        var warnings: [String] = []
        /// Why it was not made, or not to its end.
        var error: Nullable<String> = Nullable(nil)
        /// Whether all of the input is in it.
        var isComplete = false

        init(_ job: ConvertOptions.Job) {
            input = job.input
            output = job.output
        }

        init(_ job: ConvertOptions.Job, _ outcome: FileConversion.Outcome) {
            self.init(job)
            inputFormat = Nullable(outcome.inputFormat)
            inputRate = Nullable(outcome.inputRate)
            inputChannels = Nullable(outcome.inputChannels)
            inputFrames = Nullable(outcome.inputFrames)
            outputFormat = Nullable("\(outcome.outputFormat)")
            outputRate = Nullable(outcome.outputRate)
            outputChannels = Nullable(outcome.outputChannels)
            outputFrames = Nullable(outcome.outputFrames)
            gainDecibels = Nullable(outcome.gainDecibels)
            measuredLUFS = Nullable(outcome.measuredLUFS)
            truePeakDecibels = Nullable(outcome.truePeakDecibels.flatMap { $0.isFinite ? $0 : nil })
            clippedSamples = Nullable(outcome.clippedSamples)
            nonFiniteSamples = Nullable(outcome.nonFiniteSamples)
            warnings = outcome.warnings
            isComplete = outcome.isComplete
        }

        /// For people.
        var line: String {
            let name = output == "-" ? "standard output" : shown(output)
            guard let rate = outputRate.value, let frames = outputFrames.value else {
                return "\(name): \(error.value == nil ? "interrupted" : "not made")"
            }
            var text = "\(name): \(outputFormat.value ?? ""), \(rate) Hz"
            if let from = inputRate.value, from != rate { text += " (from \(from))" }
            let channels = outputChannels.value ?? 0
            text += ", \(channels) channel\(channels == 1 ? "" : "s")"
            if let from = inputChannels.value, from != outputChannels.value { text += " (from \(from))" }
            text += ", \(clock(Double(frames) / Double(rate)))"
            if let gain = gainDecibels.value, gain != 0 { text += ", gain \(fixed(gain, 1)) dB" }
            if let lufs = measuredLUFS.value { text += " from \(fixed(lufs, 1)) LUFS" }
            if let clipped = clippedSamples.value, clipped > 0 { text += ", \(clipped) samples clipped" }
            if let broken = nonFiniteSamples.value, broken > 0 { text += ", \(broken) samples not finite, now silence" }
            return text + (isComplete ? "" : ", interrupted")
        }
    }
}
