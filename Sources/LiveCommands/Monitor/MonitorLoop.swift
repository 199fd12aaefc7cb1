import AudioMetering
import AudioReports
import CommandSyntax
import LiveRuns
import TerminalPages

struct MonitorLoop: LiveLoop {
    private let session: MonitorSession
    var watch: RunWatch
    private var inputs: InputMeters
    private var history = MonitorHistory()
    private var helpPage: Int?
    /// Which part of the meters is seen where they do not find room.
    private var part = 0
    private var losses = ShownLosses()
    private var views: SoundViews
    private var learn = LearnView()
    private var lines = LogPace(seconds: 1)
    private var inputTrouble: String?
    /// Why the last key did nothing.
    private var keyTrouble: String?

    init(_ session: MonitorSession, _ signals: Signals) {
        self.session = session
        let seconds = session.options.isUntimed ? nil : session.options.seconds
        watch = RunWatch(session, signals, Terminal(hasWheel: true), seconds: seconds)
        inputs = InputMeters(channels: session.unit.channels)
        views = SoundViews(
            session.run.engine, session.run.engine.output, hasEqualiser: true, session.equaliser)
        watch.sockets = [session.managed?.manager.descriptor].compactMap { $0 }
        guard watch.terminal != nil else { return }
        label()
        do { try inputs.start(session) } catch { inputTrouble = "the inputs have no meters: \(error)" }
    }

    private var elapsed: Double { watch.elapsed }
    /// `nil` while there are no callbacks.
    private var load: Double? { watch.interval.map { _ in session.run.unit.dspLoad } }
    private var midi: MIDIControl? { session.parts[MIDIPart.self]?.control }

    mutating func turn() -> RunEnd? {
        session.chain.recording?.tellNotices(isShown: isPageShown)
        session.chain.noteStartFrame()
        session.managed?.serve(trouble: trouble)
        // The server plays the last frames when their cycle is over.
        return session.chain.isHeardThrough(behind: 2 * session.run.facts.periodFrames) ? .done : nil
    }

    mutating func grabs(_ key: Key) -> Bool { learn.press(key, session.controls, midi) }

    mutating func press(_ key: Key) {
        switch key {
        case "+", "=": change("gain", by: 0.5)
        case "-", "_": change("gain", by: -0.5)
        case "]": change("drive", by: 0.5)
        case "[": change("drive", by: -0.5)
        case "0": reset()
        case "?": turnHelp()
        case .up where views.mode == .meters: part -= 1
        case .down where views.mode == .meters: part += 1
        default:
            if let name = MonitorKeys.controls[key] {
                change(name)
            } else {
                views.press(key)
            }
        }
    }

    /// Opens what the keys are for, goes on to its next page, or closes it.
    private mutating func turnHelp() {
        guard let terminal else { return }
        let next = helpPage.map { $0 + 1 } ?? 0
        helpPage = next < MonitorKeys.pages(on: Page(terminal), parameters).count ? next : nil
    }

    /// Those of plug-ins, by the names that OSC, MIDI and the page have.
    private var parameters: [(key: String, meaning: String)] {
        session.controls.all.filter { $0.name.hasPrefix("plugin/") }.map { control in
            let value: String? =
                switch control.get() {
                case .number(let number): "\(thousandths(number))"
                case .choice(let word): word
                case .flag(let isOn): isOn ? "on" : "off"
                case .action: nil
                }
            return (control.name, (value.map { "\($0); " } ?? "") + "\(control.info.summary): \(control.info.takes)")
        }
    }

    /// Why something cannot be done now is seen until the next change.
    ///
    /// - Parameter step: of a number; `nil` switches over, takes the next word, or does it.
    private mutating func change(_ name: String, by step: Double? = nil) {
        keyTrouble = nil
        do throws(ControlError) {
            if let step {
                try session.controls.step(name, step, by: .key)
            } else {
                try session.controls.advance(name, by: .key)
            }
        } catch {
            // The table of controls keeps why a key was refused, and the view shows it.
            if case .unknown(let name, _) = error { keyTrouble = MonitorKeys.missing[name] }
        }
        if name == "drive", session.chain.effects.shaper.shape == .off {
            keyTrouble = "drive is the gain into a shape, and there is none: choose one with s"
        }
    }

    /// What is shown begins again; the report does not.
    private mutating func reset() {
        inputs.reset()
        watch.meters.reset()
        updateLosses()
        losses.reset()
        session.chain.meter?.restart()
        history = MonitorHistory()
    }

    mutating func show() {
        if terminal != nil, history.isDue(elapsed) {
            history.add(load: load, interval: watch.interval, session.chain.loudness.map(present), at: elapsed)
            label()
        }
        if let terminal {
            inputs.update(time: elapsed)
            updateLosses()
            let (page, scene, time) = (Page(terminal), scene(), elapsed)
            if learn.isOpen, let midi {
                return terminal.draw(learn.lines(on: page, session.controls, midi))
            }
            terminal.draw(
                views.mode == .meters || helpPage != nil
                    ? page.lines(scene)
                    : page.lines(scene) {
                        views.lines(page, rows: $0, atSeconds: time, isHeard: session.run.isHeard)
                    })
        } else if lines.take(atSeconds: elapsed) {
            writeLine()
        }
    }

    /// Names the meters by what the unit is connected to.
    private mutating func label() {
        let (links, client) = (session.run.unit.links, session.run.unit.connection?.clientName ?? "")
        inputs.label(links, client: client)
        watch.meters.label("out", "←", client: client) { port in links.filter { $0.source == port }.map(\.target) }
    }

    private mutating func updateLosses() {
        let statistics = session.run.unit.statistics
        losses.update(xruns: statistics.xruns, lostNanoseconds: statistics.settledLostNanoseconds, at: elapsed)
    }

    private var sessionTrouble: String? { session.presentTrouble.map { shown($0.message) } }
    private var trouble: String? { watch.trouble ?? sessionTrouble }

    private mutating func scene() -> MonitorScene {
        let troubles: [String?] = [
            sessionTrouble, keyTrouble, session.controls.refusal, midi?.trouble,
            session.chain.recorder?.notices.last.map { shown($0.words) }, views.trouble, session.plugins.trouble,
            inputTrouble, session.unit.path.source?.flaw.map { shown($0.message) },
        ]
        var run = watch.scene(trouble: troubles.lazy.compactMap(\.self).first)
        (run.xruns, run.lostMilliseconds) = (losses.xruns, losses.lostMilliseconds)
        return MonitorScene(
            run: run, inputs: inputs.all, part: part,
            loudness: session.chain.meter.map { present($0.recentReading) },
            setting: session.chain.effects.shaper.setting,
            isPaused: session.run.unit.isPaused, load: load, intervalMilliseconds: watch.interval,
            lossAgeSeconds: losses.age(at: elapsed), history: history,
            helpPage: helpPage, parameters: helpPage == nil ? [] : parameters, recording: session.recording)
    }

    /// While nothing comes to the meter it shows nothing of the last seconds.
    private func present(_ reading: LoudnessReading) -> LoudnessReading {
        session.run.isHeard ? reading : reading.ofThePast
    }

    /// One line a second, for a log.
    private func writeLine() {
        let loudness = session.chain.loudness.map(present).map { reading in
            let levels = [reading.momentaryLUFS, reading.shortTermLUFS, reading.integratedLUFS].map(loudnessText)
            let peak = loudnessText(reading.truePeakDecibels.max())
            return "loudness \(levels.joined(separator: " ")) LUFS  true peak \(peak) dBTP"
                + (reading.droppedFrames > 0 ? " (\(reading.droppedFrames) frames DROPPED)" : "")
        }
        let words: [String?] = [
            session.run.engine.meters.peakWords, loudness, load.map { "load \(fixed($0 * 100, 1)) %" },
            watch.interval.map { "interval \($0.words("…"))" },
        ]
        watch.writeLine(words.compactMap(\.self), trouble: sessionTrouble)
    }
}

/// What the server lost since it was last taken note of, and when it last did.
struct ShownLosses {
    private var before: (xruns: UInt64, nanoseconds: UInt64) = (0, 0)
    private var now: (xruns: UInt64, nanoseconds: UInt64) = (0, 0)
    /// Of the run, in seconds.
    private var lastTime: Double?

    var xruns: UInt64 { now.xruns - before.xruns }
    var lostMilliseconds: Double { Double(now.nanoseconds - before.nanoseconds) / 1e6 }

    /// - Parameters:
    ///   - xruns: since the start of the run.
    ///   - lostNanoseconds: since the start of the run, as far as it is settled: what may fall again may fall below what was
    ///     taken note of.
    ///   - time: of the run, in seconds.
    mutating func update(xruns: UInt64, lostNanoseconds: UInt64, at time: Double) {
        if xruns > now.xruns || lostNanoseconds > now.nanoseconds { lastTime = time }
        now = (xruns, lostNanoseconds)
    }

    /// How long ago it was, in seconds; `nil` where nothing was lost.
    func age(at time: Double) -> Double? { lastTime.map { time - $0 } }

    /// Takes note of all of it.
    mutating func reset() { (before, lastTime) = (now, nil) }
}
