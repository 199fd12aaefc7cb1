import AudioDSP
import AudioFigures
import AudioMetering
import AudioRecording
import AudioReports
import AudioStreaming

// What the page shows of a run.
extension LiveScene {
    private static let eventsShown = 20

    /// - Parameter page: which looks at the sound of the run. What has changed since it was last asked is shown.
    init(_ session: any LiveSession, _ page: LivePage, _ moment: RunMoment) {
        let (run, engine, unit, figures) = (session.run, session.run.engine, session.run.unit, page.server.figures)
        let statistics = unit.statistics
        state =
            switch engine.state {
            case .running, .paused, .freewheeling, .interrupted: engine.state.name
            case .ready, .failed, .closed: "ended"
            }
        name = shown(run.connection?.clientName ?? "")
        title = run.title
        words = session.words
        trouble = Nullable(moment.trouble ?? session.controls.refusal ?? run.plugins.trouble)
        elapsed = tidy(moment.elapsedSeconds)
        inputs = page.input.take().map { Channel(peak: $0, clipped: 0) }
        // Clips are the unit's to count.
        outputs = zip(page.output.take(), 0..<engine.meters.channels).map { peak, channel in
            Channel(peak: peak, clipped: engine.meters.totals(channel).clipped)
        }
        // Of two seconds, where nobody has looked for longer.
        wave = page.sound.takeColumns(256).map(SoundScope.column)
        let (samples, sampleRate) = page.sound.recent(SoundScope.spectrumFrames)
        let isHeard = moment.interval != nil && !unit.isPaused
        scope = SoundScope.Trace(isHeard ? samples : [], sampleRate: sampleRate)
        spectrum = Spectrum(
            isHeard
                ? page.analyzer.lines(of: samples, sampleRate: sampleRate).highest(between: SoundScope.edges) : [])
        equaliser = Nullable(session.equaliser.map(Equaliser.init))
        loudness = Nullable(session.loudness.map { Loudness(isHeard ? $0 : $0.ofThePast) })
        load = Nullable(moment.interval.map { _ in tidy(Double(unit.dspLoad) * 1000) / 1000 })
        interval = Nullable(moment.interval)
        xruns = statistics.xruns
        lostMilliseconds = tidy(Double(statistics.settledLostNanoseconds) / 1e6)
        losses = Losses(
            bins: page.losses.bins.map {
                LossHistory.Bin(second: $0.second, xruns: $0.xruns, milliseconds: tidy($0.milliseconds))
            })
        controls = Controls(session.controls, isOpen: page.server.configuration.hasControls)
        recording = Nullable(session.recorders.first.map(Recording.init))
        events = engine.events.suffix(Self.eventsShown).map(EventReport.init(event:)).map {
            Event(time: $0.wallTime, text: $0.text)
        }
        (listeners, viewers) = (figures.listeners, figures.viewers)
    }
}

/// A scene with the members that the controls' values have of their own.
struct ShownLive: Encodable {
    let scene: LiveScene

    func encode(to encoder: any Encoder) throws {
        try scene.encode(to: encoder)
        var members = encoder.container(keyedBy: FieldKey.self)
        for fader in scene.controls.faders { try members.encode(fader.value, forKey: FieldKey("/\(fader.name)")) }
        for choice in scene.controls.choices { try members.encode(choice.word, forKey: FieldKey("/\(choice.name)")) }
        for one in scene.controls.switches { try members.encode(one.isOn, forKey: FieldKey("/\(one.name)")) }
    }
}

extension LiveScene.Spectrum {
    /// More than any sample has, in decibels: what all of them come to may be beyond all numbers.
    private static let mostDecibels = 1000.0

    /// - Parameter levels: of `SoundScope.bands`, in decibels.
    init(_ levels: [Double]) {
        self.init(
            low: SoundScope.hertz.low, high: SoundScope.hertz.high,
            bands: levels.map { Int(min($0, Self.mostDecibels).rounded()) })
    }
}

extension LiveScene.Channel {
    /// - Parameter peak: linear.
    fileprivate init(peak: Float, clipped: UInt64) {
        self.init(peak: Nullable(peak > 0 ? tidy(Decibels.decibels(Double(peak))) : nil), clipped: clipped)
    }
}

extension LiveScene.Controls {
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

extension LiveScene.Recording {
    fileprivate init(_ recorder: Recorder) {
        self.init(
            path: shown(recorder.path), isOn: recorder.failure == nil && recorder.state == .recording,
            hasFailed: recorder.failure != nil, seconds: tidy(recorder.writtenSeconds),
            droppedFrames: recorder.missingFrames)
    }
}

extension LiveScene.Loudness {
    fileprivate init(_ reading: LoudnessReading) {
        func level(_ value: Double?) -> Nullable<Double> {
            Nullable(value.flatMap { $0.isFinite ? tidy($0) : nil })
        }
        self.init(
            momentary: level(reading.momentaryLUFS), shortTerm: level(reading.shortTermLUFS),
            integrated: level(reading.integratedLUFS), truePeak: level(reading.truePeakDecibels.max()))
    }
}
