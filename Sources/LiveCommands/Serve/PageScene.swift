import AudioDSP
import AudioFigures
import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import AudioStreaming
import CommandSyntax
import TerminalPages

// The monitor's part of its page: what is shown there, and what is asked for there.
extension MonitorSession {
    private static let eventsShown = 20

    /// Hands the page what it shows, and acts on what it asks for. Thread: control.
    ///
    /// - Parameters:
    ///   - trouble: what keeps the sound from being what it should be.
    ///   - interval: in milliseconds.
    func update(
        _ page: LivePage, elapsed: Double, trouble: String?,
        interval: (shortest: Double, mean: Double, longest: Double)
    ) {
        // What cannot be is ignored: the state is seen.
        for wish in page.takeWishes() { try? controls.obey(wish) }
        let statistics = unit.statistics
        page.losses.update(xruns: statistics.xruns, lostNanoseconds: statistics.lostNanoseconds, at: elapsed)
        let figures = page.server.figures
        if figures.viewers > 0 {
            let scene = scene(page, figures, elapsed: elapsed, trouble: trouble, interval: interval)
            // Numbers and texts always have a form in JSON: levels that are none are null.
            if let text = try? encodeJSON(scene) { page.server.show(text) }
        }
        guard page.wantsStatus(elapsed) else { return }
        noteEnd()
        let report = report()
        if let status = try? encodeJSON(report) {
            let health = isSounding ? nil : trouble ?? "the unit is \(run.engine.state.name)"
            page.server.publish(status: status, MetricsExposition(report, load: unit.dspLoad), health: health)
        }
    }

    private var isSounding: Bool {
        switch run.engine.state {
        case .running, .freewheeling, .paused: true
        default: false
        }
    }

    private func scene(
        _ page: LivePage, _ figures: PageFigures, elapsed: Double, trouble: String?,
        interval: (shortest: Double, mean: Double, longest: Double)
    ) -> LiveScene {
        let statistics = unit.statistics
        let channels = 0..<unit.configuration.channels
        let look = page.look(clipped: channels.map { unit.meters.totals($0).clipped })
        let state = run.engine.state
        let name =
            switch state {
            case .running, .paused, .freewheeling, .interrupted: state.name
            case .ready, .failed, .closed: "ended"
            }
        return LiveScene(
            name: shown(run.connection?.clientName ?? unit.configuration.clientName), title: run.title, state: name,
            trouble: Nullable(trouble ?? chain.plugins.trouble), elapsed: tidy(elapsed), inputs: look.inputs,
            outputs: look.outputs,
            wave: look.wave, scope: look.scope, spectrum: look.spectrum,
            equaliser: Nullable(chain.equaliser.map(LiveScene.Equaliser.init)),
            loudness: Nullable(chain.loudness.map(LiveScene.Loudness.init)),
            load: tidy(Double(unit.dspLoad) * 1000) / 1000,
            interval: LiveScene.Interval(
                shortest: interval.shortest, mean: interval.mean, longest: interval.longest),
            xruns: statistics.xruns, lostMilliseconds: tidy(Double(statistics.lostNanoseconds) / 1e6),
            losses: LiveScene.Losses(
                bins: page.losses.bins.map {
                    LossHistory.Bin(second: $0.second, xruns: $0.xruns, milliseconds: tidy($0.milliseconds))
                }),
            controls: controls(page), recording: Nullable(recordingScene),
            events: run.engine.events.suffix(Self.eventsShown).map(EventReport.init).map {
                LiveScene.Event(time: $0.wallTime, text: $0.text)
            }, listeners: figures.listeners, viewers: figures.viewers)
    }

    private func controls(_ page: LivePage) -> LiveScene.Controls {
        let setting = unit.setting
        let faders = controls.all.compactMap { control -> LiveScene.Controls.Fader? in
            guard case .number(_, let unit, let span, let taper) = control.kind, !control.name.hasPrefix("eq/"),
                let value = control.get().number
            else { return nil }
            return LiveScene.Controls.Fader(
                name: control.name, summary: control.info.summary, unit: unit,
                span: [span.lowerBound, span.upperBound], isLogarithmic: taper == .logarithmic, value: tidy(value))
        }
        guard case .choice(let shapes)? = try? controls.control("shape").kind else {
            preconditionFailure("a shaper always has a shape")
        }
        return LiveScene.Controls(
            isOpen: page.server.configuration.hasControls, faders: faders, shape: setting.shape.name, shapes: shapes,
            isBypassed: setting.isBypassed, isMuted: setting.isMuted, isPaused: run.engine.state == .paused)
    }

    private var recordingScene: LiveScene.Recording? {
        chain.recorder.map {
            LiveScene.Recording(
                path: shown($0.path), isOn: $0.state == .recording, seconds: tidy($0.writtenSeconds),
                droppedFrames: $0.droppedFrames + $0.lostFrames)
        }
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
