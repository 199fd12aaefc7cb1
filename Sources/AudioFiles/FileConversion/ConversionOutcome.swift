extension FileConversion {
    /// What came of a conversion.
    public struct Outcome: Sendable {
        /// In libsndfile's words.
        public internal(set) var inputFormat: String
        /// In hertz.
        public internal(set) var inputRate: Int
        /// Of the input.
        public internal(set) var inputChannels: Int
        /// Container and encoding.
        public internal(set) var outputFormat: SoundFileFormat
        /// In hertz.
        public internal(set) var outputRate: Int
        /// Of the output.
        public internal(set) var outputChannels: Int
        /// How many were converted.
        public internal(set) var inputFrames = 0
        /// How many were written. IMA ADPCM and GSM fill their last block with silence behind them.
        public internal(set) var outputFrames = 0
        /// Samples beyond full scale, which were limited.
        public internal(set) var clippedSamples = 0
        /// Samples that were no numbers, and are silence.
        public internal(set) var nonFiniteSamples = 0
        /// The gain that was applied, before a curve and behind it.
        public internal(set) var gainDecibels = 0.0
        /// Before the gain that brings a loudness about, in LUFS; `nil` where it was not measured, or there was none.
        public internal(set) var measuredLUFS: Double?
        /// Of the output, where a loudness was asked for, in decibels of full scale.
        public internal(set) var truePeakDecibels: Double?
        /// What is wrong with the input, and what of its description is left out.
        public internal(set) var warnings: [String] = []
        /// What the effects report of themselves (`FileEffect.report`), in their order.
        public internal(set) var reports: [any Sendable] = []
        /// What is wrong with the input.
        public internal(set) var flaws: [SoundFileFlaw] = []
        /// Whether it came to its end, and was not interrupted.
        public var isComplete = true
    }

    /// How far a conversion has come.
    public struct Progress: Sendable {
        /// 0…1, or `nil` where the length is not known.
        public let share: Double?
        /// Of the input, as far as it is done. Where it is read twice, half of what was read.
        public let seconds: Double
    }
}

// What there is to say of a conversion.
extension FileConversion {
    func warnings(about outcome: Outcome, _ scan: FileScan, _ input: SoundFileReader) -> [String] {
        var warnings: [String] = []
        if loudness != nil, outcome.measuredLUFS == nil {
            warnings.append(
                "it is silent but for low frequencies, or shorter than 0.4 s, and so has no loudness: its level stays as it was"
            )
        }
        if let goal = loudness, outcome.measuredLUFS != nil, let peak = outcome.truePeakDecibels,
            peak > LoudnessGoal.largestTruePeakDecibels
        {
            let lower = goal.integratedLUFS - (peak - LoudnessGoal.largestTruePeakDecibels)
            warnings.append(
                "its true peak is \(tenths(peak)) dB of full scale, and EBU R 128 permits -1"
                    + (outcome.clippedSamples > 0 ? "; \(outcome.clippedSamples) samples are clipped" : "")
                    + "; \(tenths((lower * 10).rounded(.down) / 10)) LUFS would keep to that")
        }
        if scan.untrimmedFrames > 0 {
            warnings.append(
                "the silence at its end is longer than is held back of a pipe: of it"
                    + " \(tenths(Double(scan.untrimmedFrames) / Double(input.sampleRate))) s are left")
        }
        let unread = input.unread
        if !unread.isEmpty { warnings.append("left out of its description: \(unread.joined(separator: ", "))") }
        return warnings
    }

    private func tenths(_ value: Double) -> String {
        let whole = Int((abs(value) * 10).rounded())
        return "\(value < 0 && whole > 0 ? "-" : "")\(whole / 10).\(whole % 10)"
    }
}
