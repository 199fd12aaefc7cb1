import AudioMetering
import AudioReports
import TerminalPages

/// Listens to the beats of a heart.
struct BeatListener: Listener {
    private var log = BeatLog()

    /// What is shown of the wave.
    private static let waveSeconds = 6.0

    func analyzer(sampleRate: Int, channels: Int) throws(MeterError) -> HeartbeatAnalyzer {
        try HeartbeatAnalyzer(sampleRate: sampleRate, channels: channels)
    }

    func meter(sampleRate: Int, channels: Int) throws(MeterError) -> HeartbeatMeter {
        try HeartbeatMeter(sampleRate: sampleRate, channels: channels)
    }

    mutating func note(_ analyzer: HeartbeatAnalyzer, atSeconds seconds: Double) {
        log.note(analyzer.reading, atSeconds: seconds)
    }

    /// Keeps a reading of each second.
    mutating func note(_ meter: HeartbeatMeter) {
        let trace = meter.trace(seconds: 0)
        log.note(trace.reading, atSeconds: trace.endSeconds)
    }

    func figures(file: String?, seconds: Double) -> BeatFigures { BeatFigures(log, file: file, seconds: seconds) }

    func words(_ meter: HeartbeatMeter) -> [Page.Part] { BeatView.words(meter.reading) }

    func picture(_ meter: HeartbeatMeter, _ page: Page, rows: Int) -> [String] {
        BeatView(page).wave(meter.trace(seconds: Self.waveSeconds), rows: rows)
    }
}
