import AudioDSP
import AudioFigures
import AudioIO
import AudioMetering
import AudioRecording
import AudioReports

/// What the page shows at one moment: the form `iounit.live/1`.
struct LiveScene: Encodable {
    struct Channel: Encodable {
        /// In decibels of full scale, since the scene before; `null` for silence.
        var peak: Nullable<Double>
        /// Samples at or beyond full scale, so far.
        var clipped: UInt64

        /// - Parameter peak: linear.
        init(peak: Float, clipped: UInt64) {
            self.peak = Nullable(peak > 0 ? tidy(Decibels.decibels(Double(peak))) : nil)
            self.clipped = clipped
        }
    }

    struct Spectrum: Encodable {
        /// In hertz.
        var low = SoundScope.hertz.low
        var high = SoundScope.hertz.high
        /// Between them, of equal width in octaves: decibels of a sine at full scale. None while there are no callbacks, and in a pause.
        var bands: [Int]

        /// More than any sample has, in decibels: what all of them come to may be beyond all numbers.
        private static let mostDecibels = 1000.0

        /// - Parameter levels: of `SoundScope.bands`, in decibels.
        init(_ levels: [Double]) { bands = levels.map { Int(min($0, Self.mostDecibels).rounded()) } }
    }

    struct Equaliser: Encodable {
        var bands: [BandReport]
        /// What it does to each band of the spectrum, in decibels.
        var curve: [Double]

        init(_ equaliser: AudioIO.Equaliser) {
            bands = equaliser.bands.map(BandReport.init)
            curve = equaliser.response(atHertz: SoundScope.centres).map { tidy(max(Decibels.range.lowerBound, $0)) }
        }
    }

    struct Loudness: Encodable {
        /// This and the next are `null` while there are no callbacks and in a pause, too.
        var momentary: Nullable<Double>
        var shortTerm: Nullable<Double>
        var integrated: Nullable<Double>
        /// The highest so far.
        var truePeak: Nullable<Double>

        init(_ reading: LoudnessReading) {
            func level(_ value: Double?) -> Nullable<Double> {
                Nullable(value.flatMap { $0.isFinite ? tidy($0) : nil })
            }
            (momentary, shortTerm) = (level(reading.momentaryLUFS), level(reading.shortTermLUFS))
            (integrated, truePeak) = (level(reading.integratedLUFS), level(reading.truePeakDecibels.max()))
        }
    }

    /// Of the last ten minutes.
    struct Losses: Encodable {
        /// The length of a bin, in seconds.
        var step = LossHistory.stepSeconds
        /// Those in which something was lost, the oldest first.
        var bins: [LossHistory.Bin]
    }

    struct Controls: Encodable {
        /// A number that can be set.
        struct Fader: Encodable {
            /// As in what the page asks for.
            var name: String
            var summary: String
            var unit: String
            /// What it covers: lowest and highest.
            var span: [Double]
            var isLogarithmic: Bool
            /// Where it stands only at the multiples of it.
            var step: Double?
            var value: Double
        }

        /// One of a few words that can be chosen.
        struct Choice: Encodable {
            var name: String
            var summary: String
            var word: String
            var words: [String]
        }

        struct Switch: Encodable {
            var name: String
            var summary: String
            var isOn: Bool
        }

        struct Action: Encodable {
            var name: String
            var summary: String
        }

        /// Whether those who know the token may change anything.
        var isOpen: Bool
        var faders: [Fader] = []
        var choices: [Choice] = []
        var switches: [Switch] = []
        var actions: [Action] = []

        /// All but those of the equaliser, whose curve is drawn.
        init(_ table: ControlTable, isOpen: Bool) {
            self.isOpen = isOpen
            for control in table.all where !control.name.hasPrefix("eq/") {
                let (name, summary) = (control.name, control.info.summary)
                switch (control.kind, control.get()) {
                case (.number(_, let unit, let span, let taper), .number(let value)):
                    faders.append(
                        Fader(
                            name: name, summary: summary, unit: unit, span: [span.lowerBound, span.upperBound],
                            isLogarithmic: taper == .logarithmic, step: control.info.step,
                            value: value.isFinite ? value : 0))
                case (.choice(let words), .choice(let word)):
                    choices.append(Choice(name: name, summary: summary, word: word, words: words))
                case (.flag, .flag(let isOn)):
                    switches.append(Switch(name: name, summary: summary, isOn: isOn))
                case (.action, _): actions.append(Action(name: name, summary: summary))
                default: break
                }
            }
        }
    }

    struct Recording: Encodable {
        var path: String
        var isOn: Bool
        /// Nothing more is written.
        var hasFailed: Bool
        var seconds: Double
        var droppedFrames: UInt64

        init(_ recorder: Recorder) {
            path = shown(recorder.path)
            (isOn, hasFailed) = (recorder.failure == nil && recorder.state == .recording, recorder.failure != nil)
            (seconds, droppedFrames) = (tidy(recorder.writtenSeconds), recorder.missingFrames)
        }
    }

    struct Event: Encodable {
        var time: String
        var text: String
    }

    /// The scene also has a member for the value of each control, as `/gain`, so that a control that moves is sent alone.
    var form = "iounit.live/1"
    /// The unit's, in JACK.
    var name: String
    /// Facts about the server.
    var title: [String]
    /// What the run does at this moment.
    var words: [String]
    /// `running`, `paused`, `interrupted`, `freewheeling` or `ended`.
    var state: String
    /// What keeps the sound from being what it should be.
    var trouble: Nullable<String>
    var elapsed: Double
    var inputs: [Channel]
    var outputs: [Channel]
    /// Lowest and highest sample of each 1/128 s since the scene before, in steps of 1/127.
    var wave: [SoundScope.Column]
    /// The last samples, beginning where they rise through 0: steps of 1/127, and how long they last. None while there are no
    /// callbacks.
    var scope: SoundScope.Trace
    var spectrum: Spectrum
    /// `null` where there is none.
    var equaliser: Nullable<Equaliser>
    var loudness: Nullable<Loudness>
    /// 0…1; `null`, as the interval, while there are no callbacks.
    var load: Nullable<Double>
    var interval: Nullable<ShownInterval>
    var xruns: UInt64
    var lostMilliseconds: Double
    var losses: Losses
    var controls: Controls
    var recording: Nullable<Recording>
    /// The last ones.
    var events: [Event]
    var listeners: Int
    var viewers: Int
}
