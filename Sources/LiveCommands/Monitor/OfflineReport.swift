import AudioReports

/// How a run offline was rendered: a report has it in place of figures of a server, of cycles or of lost time, because there
/// were none.
struct OfflineReport: Reported {
    var sampleRate: Int
    var periodFrames: Int
    var frames: UInt64
    var seconds: Double
    var elapsedSeconds: Double

    static let fields: [ReportField<Self>] = [
        .field("sampleRate", "of the run", unit: .hertz, \.sampleRate),
        .field("periodFrames", "rendered at once, at most", unit: .frames, \.periodFrames),
        .field("frames", "rendered in all, with those of the shaper's latency", unit: .frames, \.frames),
        .field("seconds", "what those last", unit: .seconds, \.seconds),
        .field("elapsedSeconds", "how long it took to render them", unit: .seconds, \.elapsedSeconds),
    ]

    func summary(_ chain: ChainReport) -> String {
        // Where it took no time that the clock can tell there is no speed.
        let times = elapsedSeconds > 0 ? seconds / elapsedSeconds : nil
        let speed = times.map { ", \(fixed($0, $0 < 10 ? 1 : 0)) times real time" } ?? ""
        var lines = ["\(fixed(seconds, 1)) s offline at \(sampleRate) Hz\(speed)"]
        lines += chain.lines
        if let loudness = chain.loudness { lines.append("  \(loudness.summary)") }
        lines.append("  \(chain.flaws)")
        lines += chain.files
        return lines.joined(separator: "\n")
    }
}
