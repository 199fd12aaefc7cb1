import AudioMetering
import TerminalPages

/// Listens to the pitch of a voice.
struct TuneListener: Listener {
    /// The A above middle C, in hertz.
    let reference: Double
    private var log = TuneLog()

    init(reference: Double) { self.reference = reference }

    mutating func note(_ analyzer: PitchAnalyzer, atSeconds seconds: Double) { log.note(analyzer.take()) }

    mutating func note(_ meter: PitchMeter) { log.note(meter.takeReadings()) }

    func figures(file: String?, seconds: Double) -> TuneFigures {
        TuneFigures(log, reference: reference, file: file, seconds: seconds)
    }

    var recent: Self {
        var listener = self
        listener.log = log.recent
        return listener
    }

    func words(_ meter: PitchMeter) -> [Page.Part] { TuneView.words(meter.reading, reference: reference) }

    func picture(_ meter: PitchMeter, _ page: Page, rows: Int) -> [String] {
        page.picture(meter.reading, log.entries, reference: reference, rows: rows)
    }
}

/// How whoever listens to a pitch does it.
extension Listener where Analyzer == PitchAnalyzer, Meter == PitchMeter {
    func analyzer(sampleRate: Int, channels: Int) throws(MeterError) -> PitchAnalyzer {
        try PitchAnalyzer(sampleRate: sampleRate, channels: channels)
    }

    func meter(sampleRate: Int, channels: Int) throws(MeterError) -> PitchMeter {
        try PitchMeter(sampleRate: sampleRate, channels: channels)
    }
}
