import AudioDSP
import AudioFiles
import AudioMetering
import AudioReports
import CommandSyntax

struct NormaliseGoal {
    private(set) var peakDecibels: Double?
    private(set) var lufs: Double?

    private static let loudness = -70.0...0

    static let option = TypedOption<NormaliseGoal?>(
        Option(
            "normalise", "LEVEL",
            "bring the largest sample to -1dB or peak=-1dB, or the loudness (EBU R 128, integrated) to lufs=-16; "
                + "in place of --gain, but after it where there is a curve or a plug-in")
    ) { text, arguments throws(Failure) in
        try text.map { text throws(Failure) in try NormaliseGoal(text, arguments) }
    }

    private init(_ text: String, _ arguments: Arguments) throws(Failure) {
        if let number = Self.value(of: "lufs", text), let lufs = Double(decimal: number),
            Self.loudness.contains(lufs)
        {
            self.lufs = lufs
        } else if let decibels = Self.decibels(Self.value(of: "peak", text) ?? text[...]) {
            peakDecibels = decibels
        } else {
            throw arguments.usage(
                "--normalise takes peak=-1dB, from \(Decibels.range.words), or lufs=-16, from \(Self.loudness.words), "
                    + "not \"\(shown(text))\"", of: "normalise")
        }
    }

    private static func value(of name: String, _ text: String) -> Substring? {
        text.hasPrefix("\(name)=") ? text.dropFirst(name.count + 1) : nil
    }

    private static func decibels(_ text: Substring) -> Double? {
        let number = text.lowercased().hasSuffix("db") ? text.dropLast(2) : text
        guard let decibels = Double(decimal: number), Decibels.range.contains(decibels) else { return nil }
        return decibels
    }
}

extension LoudnessGoal {
    /// Measured by libebur128, exactly: to the gate's edge, which in a short file matters.
    init(metered lufs: Double) {
        self.init(integratedLUFS: lufs) { rate, channels in
            try FileExamination.analyzer(sampleRate: rate, channels: channels, isExact: true)
        }
    }
}

extension LoudnessAnalyzer: LoudnessMeasuring {
    package var integratedLUFS: Double? { finite(reading.integratedLUFS) }
    package var truePeakDecibels: Double { reading.truePeakDecibels.max() ?? -.infinity }
}
