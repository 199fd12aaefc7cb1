import AudioMetering
import AudioReports

/// The loudness of a sound as a whole, in reports of files and of runs.
package struct LoudnessReport: Reported {
    package var reading: LoudnessReading

    package init(reading: LoudnessReading) { self.reading = reading }

    package static let fields: [ReportField<Self>] = [
        .field(
            "integratedLUFS", "loudness of all of it; null, here and below, beneath -70 LUFS or too short",
            unit: .lufs, metric: .gauge("loudness_lufs"), osc: "integrated"
        ) {
            finite($0.reading.integratedLUFS)
        },
        .field("maximumMomentaryLUFS", "the loudest 0.4 s", unit: .lufs) { finite($0.reading.maximumMomentaryLUFS) },
        .field("maximumShortTermLUFS", "the loudest 3 s", unit: .lufs) { finite($0.reading.maximumShortTermLUFS) },
        .field("rangeLU", "the loudness range", \.reading.rangeLU),
        .field(
            "truePeakDecibels", "true peak of each channel, of full scale; null for silence", unit: .decibels,
            osc: "truepeak"
        ) {
            $0.reading.truePeakDecibels.map(finite)
        },
    ]
}

/// A level; `nil` of silence, which has none.
package func finite(_ decibels: Double) -> Double? { decibels.isFinite ? decibels : nil }
