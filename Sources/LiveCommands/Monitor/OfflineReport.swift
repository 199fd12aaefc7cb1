import AudioReports
import TerminalPages

/// The report of an offline run: the object of `--json` and the text summary. It has no figures of a server, of cycles or of lost
/// time, because there were none.
struct OfflineReport: Encodable {
    /// How it was rendered.
    struct Rendering: Encodable {
        /// In hertz.
        var sampleRate: Int
        /// What was rendered at once, at most.
        var periodFrames: Int
        /// Rendered in all, with those of the shaper's latency.
        var frames: UInt64
        /// What they last.
        var seconds: Double
        /// How long it took to render them.
        var elapsedSeconds: Double

        /// `nil` where it took no time that the clock can tell.
        var timesRealTime: Double? { elapsedSeconds > 0 ? seconds / elapsedSeconds : nil }
    }

    var rendering: Rendering
    var chain: ChainReport

    private enum CodingKeys: CodingKey { case schema, offline }

    func encode(to encoder: any Encoder) throws {
        try chain.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(MonitorReport.schema, forKey: .schema)
        try container.encode(rendering, forKey: .offline)
    }

    var summary: String {
        let speed = rendering.timesRealTime.map { ", \(fixed($0, $0 < 10 ? 1 : 0)) times real time" } ?? ""
        var lines = ["\(fixed(rendering.seconds, 1)) s offline at \(rendering.sampleRate) Hz\(speed)"]
        lines += chain.levels
        if let loudness = chain.loudness.value { lines.append("  \(loudness.summary)") }
        lines.append("  \(chain.flaws)")
        lines += chain.files
        return lines.joined(separator: "\n")
    }
}
