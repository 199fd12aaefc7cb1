import AudioIO
import AudioMetering
import AudioRecording
import AudioReports
import CommandSyntax
import FileCommands
import Jack
import LiveRuns
import ServerRuns
import TerminalPages
import Threads

/// One run of the engine with its source, its recorder and its loudness meter.
final class MonitorSession: LiveSession {
    let unit: IOUnit
    let run: EngineRun
    let options: MonitorOptions
    let chain: MonitorChain
    let parts: RunParts
    /// `nil` where no session manager has a say.
    let managed: ManagedSession?
    /// What is to be said where a side of the unit is connected to nothing, though it was meant to be.
    private let unconnected: [String]
    private(set) lazy var controls = makeControls()

    /// Finds out whether all of it can be had, in the order: server, ports, source, meter, file, parts.
    init(_ options: MonitorOptions, _ managed: ManagedSession?, server: Server?) throws {
        self.options = options
        self.managed = managed
        var configuration = try options.configuration()
        if let server { configuration.serverName = server.name }
        configuration.midi = try options.plugins.midi(beside: configuration.midi)
        // The server takes its time to let a client in.
        let making = try Background("iounit-make") { [configuration, policy = options.reconnect] in
            let unit = try IOUnit(configuration)
            return (unit: unit, engine: try Engine(unit, policy: policy))
        }
        let probe = try ServerProbe(options.server, on: server, as: configuration.clientName)
        let facts = probe.facts
        do {
            try EqualiserOptions.check(options.bands, sampleRate: facts.sampleRate)
        } catch {
            // A session was saved as it was: it must open again, at a lower rate too.
            guard options.isRestored else { throw error }
            StandardError.complain(error.message)
        }
        let (sources, targets) = try configuration.engine.partners(on: probe.client)
        try configuration.engine.checkMIDI(on: probe.client)
        let isDeaf = configuration.inputs != .none && sources.isEmpty
        let isMute = configuration.outputs != .none && targets.isEmpty
        unconnected =
            (isDeaf ? [EngineRun.noCapturePorts("they are silent") + ", or play something with --source"] : [])
            + (isMute ? [EngineRun.noPlaybackPorts] : [])

        let engine: Engine
        (unit, engine) = try making.value
        chain = try MonitorChain(options, engine, unit.shaper, sampleRate: facts.sampleRate)
        parts = try RunParts(options.parts, inputs: configuration.channels, outputs: configuration.channels)
        try chain.connect(parts)
        run = EngineRun(engine, unit, probe: probe)
        run.plugins = chain.plugins
        try chain.beginRecording()
        do {
            try parts.begin(run)
        } catch {
            chain.recording?.abandon()
            throw error
        }
    }

    func start() throws {
        try chain.start()
        try run.start()
        // A source that began before would be late in the first cycles.
        if options.server.freewheels { try run.freewheel() }
        // Not before the unit is connected, for nobody would hear it.
        try chain.play()
        warn()
    }

    var fed: (any Node)? { chain.fed }
    var equaliser: Equaliser? { chain.equaliser }
    var loudness: LoudnessReading? { chain.loudness }
    var recorders: [Recorder] { chain.recording?.recorders ?? [] }

    /// What is not as it should be, but no reason to stop.
    private func warn() {
        for notice in unconnected + parts.notices { StandardError.complain(notice) }
        if let mix = chain.source?.mix { StandardError.complain(mix) }
        run.warn()
    }

    func noteEnd() { chain.noteStartFrame() }

    /// Closes the file. What is missing at its end counts as a gap, but for a pause, which was wanted.
    func save() { chain.recording?.save(withoutServerUntil: unit.isPaused ? nil : run.outageEnd) }

    func finish() { chain.finish() }

    func abandon() {
        chain.recording?.abandon()
        finish()
    }

    /// What went wrong while the sound went on.
    var trouble: Failure? { presentTrouble ?? chain.source?.flaw }
    /// Without the faults of the source itself: the report at the end tells those.
    var presentTrouble: Failure? { chain.trouble ?? parts.trouble }

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
            chain: chain.report(nonFiniteSamples: unit.statistics.nonFiniteSamples),
            live: MonitorReport.Live(parts: parts.report(), run: RunReport(run)))
    }
}

// What can be changed of a run of `monitor`.
extension MonitorSession {
    /// In the order in which they are listed.
    func makeControls() -> ControlTable {
        let engine = run.engine
        return ControlTable(
            Control.all(of: chain.effects) + parts.controls + [
                // Not by the state, which says nothing of a pause while the server is away.
                .flag("pause", "fade out, and let taps and recordings wait", isUndoable: false) { [unit] in
                    unit.isPaused
                } set: { [unit] isPaused in
                    guard isPaused != unit.isPaused else { return }
                    if isPaused { try engine.pause() } else { try engine.resume() }
                }
            ] + (chain.recording?.controls ?? []) + run.controls)
    }
}

// What can be read of a run of `monitor`, and not set.
extension MonitorSession {
    /// In the order in which they are listed.
    var figures: [OSCFigure] {
        run.figures { [unowned self] in trouble } + loudnessFigures + (chain.recording?.figures ?? [])
    }

    private var loudnessFigures: [OSCFigure] {
        guard chain.loudness != nil else { return [] }
        let reading = { [unowned self] in
            let reading = chain.loudness ?? LoudnessReading()
            return run.hasCallbacks ? reading : reading.ofThePast
        }
        return OSCFigure.all(in: "loudness/") { ChainReport.Loudness(reading: reading()) }
            + OSCFigure.all(in: "loudness/") { LoudnessReport(reading: reading()) }
    }
}
