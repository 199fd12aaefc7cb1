import AudioMetering
import CommandSyntax
import TerminalPages

/// What `iounit beat` was asked to do.
struct BeatOptions {
    static let syntax = Syntax(
        name: "beat", summary: "count heart-beats: of a microphone on the chest, or of a recording",
        groups: ListenOptions.groups(ListenReport<BeatFigures>.kind),
        notes: """
            Without a FILE it listens to the capture ports; with one it needs no server. FILE may be -, the standard input.
            It looks at the last 10 s, twice a second: a pair of sounds that repeats 40 to 200 times a minute, loudest at 25 to
            120 Hz. Where it is not sure, it gives no number and says why: noise, speech, music, strokes without a second sound;
            or a rate above 200, whose half fits as well: both are told. A FILE has 500 Hz or more.
            Variability is the RMSSD of 10 s. It is no medical device.
            Keys on a terminal: r resume after the server came back, q quit. Fields of the JSON: iounit help figures.
            """,
        operands: "[FILE]", optionsOfFiles: ListenOptions.ofFiles)

    let listen: ListenOptions

    init(_ words: [String]) throws(Failure) {
        listen = try ListenOptions(Arguments(words, Self.syntax), Self.syntax)
    }
}

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

    var recent: Self {
        var listener = self
        listener.log = log.recent
        return listener
    }

    func words(_ meter: HeartbeatMeter) -> [Page.Part] { meter.reading.words }

    func picture(_ meter: HeartbeatMeter, _ page: Page, rows: Int) -> [String] {
        page.wave(meter.trace(seconds: Self.waveSeconds), rows: rows)
    }
}
