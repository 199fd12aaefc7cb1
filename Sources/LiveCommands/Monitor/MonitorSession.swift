import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands
import Jack
import LiveRuns
import TerminalPages

/// One run of the engine with its effects, its recorder and its loudness meter.
final class MonitorSession: LiveSession {
    let unit: UnitRun
    let options: MonitorOptions
    let chain: MonitorChain
    /// `nil` where no session manager has a say.
    let managed: ManagedSession?
    /// In the order in which they are listed.
    private(set) lazy var controls = ControlTable(
        unit.controls + [pause] + (chain.recording?.controls ?? []) + run.controls)

    /// Finds out whether all of it can be had, in the order: curve, all that each run has, meter, file, what parts begin with.
    init(_ options: MonitorOptions, _ managed: ManagedSession?, server: Server?) throws {
        (self.options, self.managed) = (options, managed)
        let effects = try MonitorEffects(options)
        unit = try UnitRun(options.unit, on: server, through: effects.ofRun) { sampleRate in
            do throws(Failure) {
                try EqualiserOptions.check(options.bands, sampleRate: sampleRate)
            } catch {
                // A session was saved as it was: it must open again, at a lower rate too.
                guard options.isRestored else { throw error }
                StandardError.complain(error.message)
            }
        }
        chain = try MonitorChain(options, effects, unit.path, in: unit.run.engine, sampleRate: unit.sampleRate)
        do {
            try parts.begin(run)
        } catch {
            chain.recording?.abandon()
            throw error
        }
    }

    func start() throws {
        try chain.start()
        try unit.start()
        chain.noteStart()
    }

    var equaliser: Equaliser? { chain.effects.equaliser }
    var loudness: LoudnessReading? { chain.loudness }
    var recorders: [Recorder] { chain.recording?.recorders ?? [] }

    var writesToOutput: Bool { options.usesOutput || parts.useOutput }

    func noteEnd() { chain.noteStartFrame() }

    /// Closes the file. What is missing at its end counts as a gap, but for a pause, which was wanted.
    func save() { chain.recording?.save(withoutServerUntil: run.missingUntil) }

    func finish() { chain.finish() }

    func abandon() {
        chain.recording?.abandon()
        finish()
    }

    /// What is wrong in the source itself is no failure before the end.
    func ownTrouble(_ rank: TroubleRank, isOver: Bool) -> Failure? {
        chain.trouble(rank) ?? (isOver && rank == .sound ? unit.path.source?.flaw : nil)
    }

    var recording: String? {
        guard let recorder = chain.recorder else { return nil }
        let missing = recorder.missingFrames
        let gaps = recorder.gapCount
        return "\(shown(recorder.path))" + (recorder.state == .paused ? " paused" : "")
            + (gaps > 0 ? "  \(counted(gaps, "gap"))" : "")
            + (missing > 0 ? "  \(missing) frames DROPPED" : "") + (recorder.failure == nil ? "" : "  STOPPED")
    }

    func report() -> MonitorReport {
        MonitorReport(
            chain: chain.report(nonFiniteSamples: run.unit.statistics.nonFiniteSamples),
            live: MonitorReport.Live(parts: parts.report(), run: RunReport(run)))
    }
}

// What can be changed of a run of `monitor`.
extension MonitorSession {
    private var pause: Control {
        // Not by the state, which says nothing of a pause while the server is away.
        .flag("pause", "fade out, and let taps and recordings wait", isUndoable: false) { [run] in
            run.unit.isPaused
        } set: { [run] isPaused in
            guard isPaused != run.unit.isPaused else { return }
            guard !isPaused else { return try run.engine.pause() }
            // While the unit is in no graph the engine takes this for consent to the next one.
            guard run.engine.state == .paused else {
                throw UnitError.wrongState("the pause lasts until the unit is in the graph again")
            }
            try run.engine.resume()
        }
    }
}

// What can be read of a run of `monitor`, and not set.
extension MonitorSession {
    /// In the order in which they are listed.
    var figures: [OSCFigure] {
        run.figures { [unowned self] in presentTrouble ?? unit.path.source?.flaw } + loudnessFigures
            + (chain.recording?.figures ?? [])
    }

    private var loudnessFigures: [OSCFigure] {
        guard chain.loudness != nil else { return [] }
        let reading = { [unowned self] in
            let reading = chain.loudness ?? LoudnessReading()
            return run.isHeard ? reading : reading.ofThePast
        }
        return OSCFigure.all(in: "loudness/") { ChainReport.Loudness(reading: reading()) }
            + OSCFigure.all(in: "loudness/") { LoudnessReport(reading: reading()) }
    }
}
