import AudioFigures
import AudioMetering
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
