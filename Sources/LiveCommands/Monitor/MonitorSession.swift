import AudioDSP
import AudioFigures
import AudioFiles
import AudioIO
import AudioMeasurement
import AudioMetering
import AudioRecording
import AudioReports
import AudioStreaming
import CommandSyntax
import FileCommands
import Foundation
import Jack
import ServerRuns
import TerminalPages
import Threads

/// One run of the engine with its source, its recorder and its loudness meter.
final class MonitorSession: LiveSession {
    let unit: IOUnit
    let run: EngineRun
    private let options: MonitorOptions
    private let source: Source?
    let recorder: Recorder?
    /// Where the outputs are sent too.
    let stream: StreamRun?
    let page: LivePage?
    let osc: OSCServer?
    /// `nil` where no session manager has a say.
    var managed: ManagedSession?
    let voice: VoiceRun
    private let meter: LoudnessMeter?
    /// What is to be said where a side of the unit is connected to nothing, though it was meant to be.
    private let unconnected: [String]
    private let player = Player()
    /// Before the unit's shaper; `nil` where nothing was asked for and no page may ask for it.
    let equaliser: RunEqualiser?
    /// Of the recording's frames, the one at which the source is first heard.
    private var startFrame: UInt64?
    /// What can be changed while it runs.
    private(set) lazy var controls = makeControls()
    /// MIDI controllers; `nil` where there are none.
    private(set) var midi: MIDIControl?
    /// Whether what was recorded has a name no more, and so is lost.
    private var isRecordingGone = false

    /// Finds out whether all of it can be had, in the order: server, ports, source, meter, file, codecs.
    init(_ options: MonitorOptions, server: Server?) throws {
        self.options = options
        var configuration = options.unit
        if let server { configuration.serverName = server.name }
        configuration.shapeTable = try options.shapeTablePath.map { path throws(FileError) in
            try ShapeTableFile(path).table
        }
        let probe = try ServerProbe(options.server, on: server, as: configuration.clientName)
        let facts = probe.facts
        try EqualiserOptions.check(options.bands, sampleRate: facts.sampleRate)
        try configuration.checkRoutes(on: probe.client)
        try configuration.engine.checkMIDI(on: probe.client)
        let mappings = try options.midi?.load()
        unconnected = try Self.unconnected(configuration, on: probe.client)

        unit = try IOUnit(configuration)
        let engine = try Engine(unit, policy: options.reconnect)
        source = try options.source.map { kind in
            do {
                return try Source(
                    kind, sampleRate: facts.sampleRate, channels: configuration.channels, loop: options.loops)
            } catch {
                // A tone that the rate does not permit is a wrong word and no bad file.
                if case .tone = kind { throw Failure(.usage, "--source: \(error)") }
                throw error
            }
        }
        meter = try Self.meter(options, facts)
        page = try options.page.map { try LivePage($0, channels: configuration.channels) }
        osc = try options.osc.map { address throws(Failure) in
            try OSCServer(address, channels: configuration.channels)
        }
        equaliser = RunEqualiser(options, channels: configuration.channels)
        if source != nil { engine.attach(player) }
        if let equaliser {
            engine.attach(equaliser.node)
            engine.disconnect(engine.input, from: unit.shaper)
            try engine.connect(engine.input, to: equaliser.node)
            try engine.connect(equaliser.node, to: unit.shaper)
            if source != nil { try engine.connect(player, to: equaliser.node) }
        } else if source != nil {
            try engine.connect(player, to: unit.shaper)
        }
        let heard: [any Node] = source == nil ? [engine.input] : [engine.input, player]
        let first: any Node = equaliser?.node ?? unit.shaper
        voice = try VoiceRun(
            options.voice, engine, from: heard, to: first, unit: configuration.engine, on: probe.client)
        run = EngineRun(engine, unit, probe: probe)
        run.companion = voice.companion
        recorder = try options.recordPath.map { path throws(SoundFileError) in
            try Recorder(
                path: path, sampleRate: facts.sampleRate, channels: configuration.channels,
                force: options.replacesRecord, gapFill: options.gapFill, onRateChange: options.rateChange)
        }
        do {
            stream = try options.stream.map { try StreamRun($0, sampleRate: facts.sampleRate) }
        } catch {
            recorder?.abandon()
            throw error
        }
        if let mappings, let controlEnd = unit.midi {
            midi = MIDIControl(controlEnd, controls, mappings.mappings, savingTo: mappings.place) { [unit] in
                unit.periodSeconds
            }
        }
    }

    private static func unconnected(
        _ configuration: UnitConfiguration, on client: borrowing Client
    ) throws(UnitError) -> [String] {
        let (sources, targets) = try configuration.engine.partners(on: client)
        var notices: [String] = []
        if configuration.inputs != .none && sources.isEmpty {
            notices.append(
                "the server has no capture ports, so nothing is connected to the inputs and they are silent; name other "
                    + "ports with --input (iounit ports lists them), or play something with --source")
        }
        if configuration.outputs != .none && targets.isEmpty {
            notices.append(EngineRun.noPlaybackPorts)
        }
        return notices
    }

    /// Where nothing is said, loudness is measured if it has a meaning: JACK does not tell which loudspeakers more than
    /// 6 channels are for, and they cost more than a look at the meters is worth.
    private static func meter(_ options: MonitorOptions, _ facts: ServerFacts) throws(LoudnessError) -> LoudnessMeter? {
        let channels = options.unit.channels
        let isMeaningful = channels <= 6 && LoudnessMeter.sampleRates.contains(facts.sampleRate)
        guard options.measuresLoudness ?? isMeaningful else { return nil }
        return try LoudnessMeter(sampleRate: facts.sampleRate, channels: channels)
    }

    func start() throws {
        if let recorder { try recorder.start(unit.addTap(capacityFrames: tapFrames)) }
        if let meter { try meter.start(unit.addTap(capacityFrames: tapFrames)) }
        try stream?.start(run.engine.output, on: run.engine)
        try page?.start(run.engine, fed: fed)
        try osc?.start(self)
        try voice.start()
        try run.start()
        if let refusal = player.refusal { throw refusal }
        // Not before the unit is connected, for nobody would hear it.
        if let source { player.play(source) }
        warn()
    }

    /// What feeds the unit.
    private var fed: any Node { source == nil ? run.engine.input : player }

    /// Looks at what feeds the unit from now on. Thread of `look`: a worker.
    func tapInputs(_ look: @escaping @Sendable (AudioBuffer) -> Void) throws {
        try run.engine.tap(fed, frames: SoundScope.columnFrames(run.engine.sampleRate)) { buffer, _ in look(buffer) }
    }

    /// What is not as it should be, but no reason to stop.
    private func warn() {
        for notice in unconnected + voice.notices { StandardError.complain(notice) }
        if let mix = source?.downMix { StandardError.complain("the source's \(mix)") }
        run.warn()
        if let page { StandardError.complain("the page is at \(page.place)") }
        if let osc {
            StandardError.complain("listening for OSC on \(osc.place)")
            if options.osc?.isLoopback == false {
                StandardError.complain("OSC has no password: whoever reaches that address can change this run")
            }
        }
    }

    /// Leaves the signal alone, or no more so.
    func setBypass(_ isBypassed: Bool) {
        unit.setBypass(isBypassed)
        equaliser?.setBypass(isBypassed)
    }

    private var tapFrames: Int { run.tapFrames(channels: options.unit.channels) }

    /// Notes what the report tells of the end, as far as it has come.
    func noteEnd() {
        noteStartFrame()
        run.noteEnd()
        stream?.noteEnd()
    }

    /// Closes the file. What is missing at its end counts as a gap, but for a pause, which was wanted.
    private func finishRecording() { recorder?.finish(withoutServerUntil: unit.isPaused ? nil : run.outageEnd) }

    /// The unit has ended, and nothing more comes to the file.
    func finish() {
        noteEnd()
        save()
        noteStartFrame()
        isRecordingGone = recorder.map { unsafe access($0.path, F_OK) != 0 } ?? false
        meter?.finish()
        page?.finish()
        run.unlockMemory()
    }

    /// Nothing was heard: nothing is left behind.
    func abandon() {
        run.leaveGraph()
        recorder?.abandon()
        stream?.abandon()
        finish()
    }

    /// Finds the frame at which the source is first heard, while the recording is still in its first file.
    func noteStartFrame() {
        if startFrame == nil, let position = player.startPosition { startFrame = recorder?.frame(atPosition: position) }
    }

    /// Ends the recording where it is, when nothing else can be ended any more. Thread: any.
    func save() {
        finishRecording()
        stream?.finish(withoutServerUntil: run.outageEnd)
    }

    /// Whether the source has ended and its last frame has gone through the unit.
    var isHeardThrough: Bool {
        guard let end = player.endPosition else { return false }
        return run.engine.position >= end
    }

    /// What went wrong while the sound went on.
    var trouble: Failure? {
        if let error = recorder?.failure ?? player.failure { return error.failure }
        if isRecordingGone, let recorder {
            return Failure(
                .inputOutput,
                "the recording \(shown(recorder.path)) was removed while it was made, and is lost; record to a folder that "
                    + "nobody tidies up")
        }
        return stream?.trouble
    }

    var recording: String? {
        guard let recorder else { return nil }
        let dropped = recorder.droppedFrames
        let gaps = recorder.gapCount
        return "\(shown(recorder.path))" + (recorder.state == .paused ? " paused" : "")
            + (gaps > 0 ? "  \(MonitorReport.Recorded.words(gaps: gaps))" : "")
            + (dropped > 0 ? "  \(dropped) frames DROPPED" : "")
    }

    /// What is to be said where the recording goes on in the same file at another rate though it was to be split.
    var conversion: String? {
        guard let recorder, let reason = recorder.conversionReason else { return nil }
        return "the recording goes on in \(recorder.segments.last ?? recorder.path), converted to its rate: \(reason)"
    }

    /// What the loudness meter shows of the whole run, if there is one.
    var loudness: LoudnessReading? { meter?.reading }
    /// What it shows of the time since `restartLoudness`.
    var recentLoudness: LoudnessReading? { meter?.recentReading }
    /// Begins the figures of a view again; those of the report go on.
    func restartLoudness() { meter?.restart() }

    func report() -> MonitorReport {
        let statistics = unit.statistics
        let totals = (0..<unit.configuration.channels).map { unit.meters.totals($0) }
        let parameters = unit.parameters
        func level(_ linear: Double) -> Nullable<Double> { Nullable(linear > 0 ? Decibels.decibels(linear) : nil) }
        func tidy(_ linear: Float) -> Double { (Decibels.decibels(Double(linear)) * 1000).rounded() / 1000 }
        return MonitorReport(
            run: RunReport(run),
            unit: MonitorReport.Unit(
                channels: unit.configuration.channels, gainDecibels: tidy(parameters.gain),
                driveDecibels: tidy(parameters.drive), shape: parameters.shape.name,
                antialias: parameters.antialiasing.name, phase: parameters.phase.name,
                compensate: parameters.hasMakeUpGain,
                equaliser: (equaliser?.bands ?? []).map(BandReport.init), bypass: parameters.isBypassed,
                latencyFrames: parameters.latencyFrames),
            peakDecibels: totals.map { level(Double($0.peak)) },
            rmsDecibels: totals.map { level($0.rms) },
            clippedSamples: totals.reduce(0) { $0 + $1.clipped },
            nonFiniteSamples: statistics.nonFiniteSamples + UInt64(player.nonFiniteSamples),
            voice: Nullable(voice.report),
            loudness: Nullable(loudness.map(MonitorReport.Loudness.init)),
            recorded: Nullable(
                recorder.map {
                    MonitorReport.Recorded(
                        path: $0.path, frames: $0.writtenFrames, droppedFrames: $0.droppedFrames + $0.lostFrames,
                        gaps: $0.gapCount, filledFrames: $0.filledFrames, filledNanoseconds: $0.filledNanoseconds,
                        freewheeledFrames: $0.freewheels.reduce(0) { $0 + $1.frames }, segments: $0.segments,
                        conversionReason: Nullable($0.conversionReason), sidecar: Nullable($0.sidecar))
                }),
            sent: Nullable(stream.map(StreamReport.init)),
            page: Nullable(page.map(PageReport.init)), midi: Nullable(midi.map(MIDIReport.init)),
            osc: Nullable(osc.map(OSCReport.init)),
            source: Nullable(
                source.map {
                    MonitorReport.Played(
                        name: $0.name, sampleRate: $0.sampleRate ?? run.facts.sampleRate, channels: $0.channels,
                        downMix: Nullable($0.downMix.map(MixReport.init)), frames: player.playedFrames,
                        startFrame: Nullable(startFrame),
                        underrunFrames: player.underrunFrames)
                }))
    }
}
