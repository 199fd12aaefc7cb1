import AudioDSP
import AudioRealtime
import AudioReports

/// The levels of a run's ports over all of it, in its report.
package struct LevelReport: Reported {
    var totals: [Meters.Totals]

    package static let fields: [ReportField<Self>] = [
        .field(
            "peakDecibels", "greatest sample of each channel, of full scale; null for silence", unit: .decibels,
            metric: .gauge("peak_decibels"), \.peaks),
        .field(
            "clippedSamples", "samples at or beyond full scale", metric: .counter("clipped_samples"), osc: "clipped",
            \.clippedSamples),
    ]

    /// - Parameter channels: how many, from the first.
    package init(_ meters: Meters, channels: Int) { totals = (0..<channels).map { meters.totals($0) } }

    package var peaks: [Double?] { totals.map { Self.level(Double($0.peak)) } }
    package var rms: [Double?] { totals.map { Self.level($0.rms) } }
    package var clippedSamples: UInt64 { totals.reduce(0) { $0 + $1.clipped } }

    /// In decibels; `nil` for silence.
    private static func level(_ linear: Double) -> Double? { linear > 0 ? Decibels.decibels(linear) : nil }

    /// For people, of all channels.
    package var peak: String { peaks.compactMap(\.self).max().map { "\(fixed($0, 1)) dB" } ?? "silent" }
}
