import AudioDSP
import AudioFigures
import AudioFiles
import AudioIO
import AudioMeasurement
import AudioMetering
import AudioRecording
import AudioReports
import Foundation
import Jack
import Threads

/// One run of the engine with its source, its recorder and its loudness meter.
final class MonitorSession {
    let unit: IOUnit
    let engine: Engine
    private(set) var facts: ServerFacts
    private let options: MonitorOptions
    private let source: Source?
    private let recorder: Recorder?
    private let meter: LoudnessMeter?
    /// What is to be said where a side of the unit is connected to nothing, though it was meant to be.
    private let unconnected: [String]
    /// Until the unit runs.
    private var probe: ServerProbe?
    private let player = Player()
    private var isMemoryLocked = false
    private var connection: UnitConnection?
    private var startNanoseconds: UInt64 = 0
    private(set) var seconds = 0.0
    /// When the run ended, on the monotonic clock, where the unit was in no graph by then and waited for a server.
    private var outageEnd: UInt64?
    /// Of the recording's frames, the one at which the source is first heard.
    private var startFrame: UInt64?
    /// Whether what was recorded has a name no more, and so is lost.
    private var isRecordingGone = false

    /// Finds out whether all of it can be had, in the order: server, ports, source, meter, file.
    init(_ options: MonitorOptions, server: Server?) throws {
        self.options = options
        var configuration = options.unit
        if let server { configuration.serverName = server.name }
        configuration.shapeTable = try options.shapeTablePath.map { path throws(FileError) in
            try ShapeTableFile(path).table
        }
        let probe = try ServerProbe(options.server, on: server)
        let facts = probe.facts
        try configuration.checkRoutes(on: probe.client)
        unconnected = try Self.unconnected(configuration, on: probe.client)
        self.probe = consume probe
        self.facts = facts

        unit = try IOUnit(configuration)
        engine = try Engine(unit, policy: options.reconnect)
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
        if source != nil {
            engine.attach(player)
            try engine.connect(player, to: unit.shaper)
        }
        recorder = try options.recordPath.map { path throws(SoundFileError) in
            try Recorder(
                path: path, sampleRate: facts.sampleRate, channels: configuration.channels,
                force: options.replacesRecord, gapFill: options.gapFill, onRateChange: options.rateChange)
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
            notices.append(
                "the server has no playback ports, so nothing is connected to the outputs and nobody hears them; name "
                    + "other ports with --output (iounit ports lists them)")
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
        isMemoryLocked = MemoryLock.lock()
        try engine.start()
        // It has been rendering while its connections were made, which takes a second for 256 channels.
        startNanoseconds = unit.recentCycles.first?.entryNanoseconds ?? MonotonicClock.nanoseconds()
        probe = nil
        connection = unit.connection
        if let refusal = player.refusal { throw refusal }
        // Not before the unit is connected, for nobody would hear it.
        if let source { player.play(source) }
        warn()
    }

    /// What is not as it should be, but no reason to stop.
    private func warn() {
        for notice in unconnected { Command.complain(notice) }
        if let mix = source?.downMix { Command.complain("the source's \(mix)") }
        if let name = connection?.clientName, name != options.unit.clientName {
            Command.complain("the name \(shown(options.unit.clientName)) is taken; the unit is called \(shown(name))")
        }
        if facts.realtime.value == true, connection?.scheduling?.isRealtime == false {
            Command.complain("real-time scheduling was refused, so expect xruns; the README tells how to permit it")
        }
        if !isMemoryLocked {
            Command.complain("the memory could not be locked, so swapping may cause xruns; see the README")
        }
    }

    /// Four seconds of sound may wait for a disk or a processor, or as much of them as fits in 64 MiB.
    private var tapFrames: Int {
        max(4 * 8192, min(4 * facts.sampleRate, (64 << 20) / (4 * options.unit.channels)))
    }

    /// Notes what the report tells of the end, as far as it has come.
    func noteEnd() {
        noteStartFrame()
        noteConnection()
        // As long as it rendered or waited for a server, so that frames, lost and absent time add up to it.
        if let end = outageEnd ?? unit.renderedUntilNanoseconds, end > startNanoseconds {
            seconds = Double(end - startNanoseconds) / 1e9
        }
    }

    /// Notes that the run has ended: an outage of the server counts up to here. Once, before anything is closed.
    func noteOutage() {
        switch engine.state {
        case .interrupted(.serverGone), .interrupted(.awaitingConsent): outageEnd = MonotonicClock.nanoseconds()
        // It has waited in vain.
        case .failed where options.reconnect.consent != .never: outageEnd = MonotonicClock.nanoseconds()
        default: break
        }
    }

    /// Nanoseconds at the end of the run without a server.
    private var outageNanoseconds: UInt64 {
        guard let outageEnd, let rendered = unit.renderedUntilNanoseconds, outageEnd > rendered else { return 0 }
        return outageEnd - rendered
    }

    /// Closes the file. What is missing at its end counts as a gap, but for a pause, which was wanted.
    private func finishRecording() { recorder?.finish(withoutServerUntil: unit.isPaused ? nil : outageEnd) }

    /// Closes the clients, in the order of the signal. It changes nothing that `report` reads.
    func leaveGraph() {
        probe = nil
        engine.close()
    }

    /// The unit has ended, and nothing more comes to the file.
    func finish() {
        noteEnd()
        finishRecording()
        noteStartFrame()
        isRecordingGone = recorder.map { unsafe access($0.path, F_OK) != 0 } ?? false
        meter?.finish()
        if isMemoryLocked { MemoryLock.unlock() }
    }

    /// Nothing was heard: nothing is left behind.
    func abandon() {
        leaveGraph()
        recorder?.abandon()
        finish()
    }

    /// Finds the frame at which the source is first heard, while the recording is still in its first file.
    func noteStartFrame() {
        if startFrame == nil, let position = player.startPosition { startFrame = recorder?.frame(atPosition: position) }
    }

    /// Takes note of what may be another than at the start: another period, or another server with another rate.
    func noteConnection() {
        guard let connection = unit.connection else { return }
        self.connection = connection
        facts.sampleRate = connection.sampleRate
        facts.periodFrames = connection.periodFrames
    }

    /// Ends the recording where it is, when nothing else can be ended any more. Thread: any.
    func saveRecording() { finishRecording() }

    /// Whether the source has ended and its last frame has gone through the unit.
    var isHeardThrough: Bool {
        guard let end = player.endPosition else { return false }
        return engine.position >= end
    }

    /// What went wrong while the sound went on.
    var trouble: Failure? {
        if let failure = recorder?.failure { return Failure(failure) }
        if let failure = player.failure { return Failure(failure) }
        if isRecordingGone, let recorder {
            return Failure(
                .inputOutput,
                "the recording \(shown(recorder.path)) was removed while it was made, and is lost; record to a folder that "
                    + "nobody tidies up")
        }
        return nil
    }

    /// Facts about the server, in the order of their weight.
    var title: [String] {
        let period = Double(facts.periodFrames) / Double(facts.sampleRate) * 1000
        return [
            (facts.backend.value.map { "\($0) " } ?? "") + shown(facts.name),
            "\(facts.sampleRate) Hz",
            "\(facts.periodFrames) frames = \(fixed(period, 2)) ms",
            facts.sync.value.map { $0 ? "sync" : "async" },
            connection?.scheduling.map { "\($0.policy.rawValue) \($0.priority)" },
        ].compactMap { $0 }
    }

    var recording: String? {
        guard let recorder else { return nil }
        let dropped = recorder.droppedFrames
        let gaps = recorder.gapCount
        return "\(shown(recorder.path))" + (gaps > 0 ? "  \(MonitorReport.Recorded.words(gaps: gaps))" : "")
            + (dropped > 0 ? "  \(dropped) frames DROPPED" : "")
    }

    /// What is to be said where the recording goes on in the same file at another rate though it was to be split.
    var conversion: String? {
        guard let recorder, let reason = recorder.conversionReason else { return nil }
        return "the recording goes on in \(recorder.segments.last ?? recorder.path), converted to its rate: \(reason)"
    }

    /// What the loudness meter shows, if there is one.
    var loudness: LoudnessReading? { meter?.reading }

    func report() -> MonitorReport {
        let statistics = unit.statistics
        let totals = (0..<unit.configuration.channels).map { unit.meters.totals($0) }
        let parameters = unit.parameters
        func level(_ linear: Double) -> Nullable<Double> { Nullable(linear > 0 ? Decibels.decibels(linear) : nil) }
        func tidy(_ linear: Float) -> Double { (Decibels.decibels(Double(linear)) * 1000).rounded() / 1000 }
        return MonitorReport(
            server: facts,
            unit: MonitorReport.Unit(
                channels: unit.configuration.channels, gainDecibels: tidy(parameters.gain),
                driveDecibels: tidy(parameters.drive), shape: parameters.shape.name,
                antialias: parameters.antialiasing.name, phase: parameters.phase.name,
                compensate: parameters.hasMakeUpGain, bypass: parameters.isBypassed,
                latencyFrames: parameters.latencyFrames),
            cycles: statistics.cycles,
            frames: statistics.frames,
            xruns: statistics.xruns,
            overruns: statistics.overruns,
            frameGaps: statistics.frameGaps,
            lostNanoseconds: statistics.lostNanoseconds,
            absentNanoseconds: statistics.absentNanoseconds + outageNanoseconds,
            resets: engine.resets, endedWithoutServer: outageEnd != nil,
            peakDecibels: totals.map { level(Double($0.peak)) },
            rmsDecibels: totals.map { level($0.rms) },
            clippedSamples: totals.reduce(0) { $0 + $1.clipped },
            nonFiniteSamples: statistics.nonFiniteSamples + UInt64(player.nonFiniteSamples),
            loudness: Nullable(loudness.map(MonitorReport.Loudness.init)),
            recorded: Nullable(
                recorder.map {
                    MonitorReport.Recorded(
                        path: $0.path, frames: $0.writtenFrames, droppedFrames: $0.droppedFrames + $0.lostFrames,
                        gaps: $0.gapCount, filledFrames: $0.filledFrames, filledNanoseconds: $0.filledNanoseconds,
                        freewheeledFrames: $0.freewheels.reduce(0) { $0 + $1.frames }, segments: $0.segments,
                        conversionReason: Nullable($0.conversionReason), sidecar: Nullable($0.sidecar))
                }),
            source: Nullable(
                source.map {
                    MonitorReport.Played(
                        name: $0.name, sampleRate: $0.sampleRate ?? facts.sampleRate, channels: $0.channels,
                        downMix: Nullable($0.downMix.map(MonitorReport.Mix.init)), frames: player.playedFrames,
                        startFrame: Nullable(startFrame),
                        underrunFrames: player.underrunFrames)
                }),
            scheduling: MonitorReport.Scheduling(
                policy: Nullable(connection?.scheduling?.policy.rawValue),
                priority: Nullable(connection?.scheduling?.priority), memoryLocked: isMemoryLocked),
            events: engine.events.map(EventReport.init),
            seconds: (seconds * 1e6).rounded() / 1e6)
    }
}
