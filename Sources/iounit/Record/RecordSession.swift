import AudioDSP
import AudioFiles
import AudioIO
import AudioRealtime
import AudioRecording
import AudioReports
import Foundation
import Jack
import Threads

/// One run of an engine that records: a recorder for each FILE, which hear the same and are asked the same.
final class RecordSession: LiveSession {
    let run: EngineRun
    let recorders: [Recorder]
    let formats: [SoundFileFormat]
    let options: RecordOptions
    private let gain: Gain
    private let unconnected: [String]
    private var marks = 0
    /// Files that had a name no more when they were finished.
    private var removed: [String] = []

    /// Finds out whether all of it can be had, in the order: server, ports, files.
    init(_ options: RecordOptions, server: Server?) throws {
        self.options = options
        var configuration = options.engine
        if let server { configuration.serverName = server.name }
        let probe = try ServerProbe(options.server, on: server)
        let channels = configuration.inputChannels
        unconnected = try Self.unconnected(configuration, on: probe.client)
        let sampleRate = probe.facts.sampleRate

        let engine = try Engine(configuration, policy: options.reconnect)
        guard let unit = engine.unit else { throw Failure(.inputOutput, "an engine on a server has no unit") }
        run = EngineRun(engine, unit, clientName: configuration.clientName, probe: probe)
        gain = engine.attach(Gain(decibels: options.gainDecibels, channels: channels))
        try engine.connect(engine.input, to: gain)
        try engine.connect(gain, to: engine.output)

        formats = options.targets.map(\.format)
        var recorders: [Recorder] = []
        do {
            for target in options.targets {
                recorders.append(
                    try Recorder(
                        target.name, sampleRate: sampleRate, channels: channels,
                        Self.settings(of: target, options, sampleRate: sampleRate, channels: channels)))
            }
        } catch {
            for recorder in recorders { recorder.abandon() }
            throw error
        }
        self.recorders = recorders
    }

    /// What lacks the server's rate, as Opus and MP3 lack some, gets the nearest that it has.
    private static func settings(
        of target: RecordOptions.Target, _ options: RecordOptions, sampleRate: Int, channels: Int
    ) -> RecordingSettings {
        var settings = options.settings
        settings.format = target.format
        let width = target.name.isByChannel ? 1 : channels
        if settings.sampleRate == nil, !target.format.takes(sampleRate: sampleRate, channels: width) {
            settings.sampleRate = target.format.nearest(sampleRate: sampleRate, channels: width)?.sampleRate
        }
        if !target.format.encoding.hasQuality { settings.encoder.quality = nil }
        if target.format.container != .flac { settings.encoder.compressionLevel = nil }
        return settings
    }

    private static func unconnected(
        _ configuration: EngineConfiguration, on client: borrowing Client
    ) throws(UnitError) -> [String] {
        let (sources, targets) = try configuration.partners(on: client)
        var notices: [String] = []
        if configuration.inputs != .none && sources.isEmpty {
            notices.append(
                "the server has no capture ports, so nothing is connected to the inputs and silence is recorded; name "
                    + "other ports with --input (iounit ports lists them)")
        } else if configuration.inputs != .none, sources.count > 1, sources.count < configuration.inputChannels {
            notices.append(
                "there are \(sources.count) ports to record and \(configuration.inputChannels) inputs, so the last "
                    + "\(configuration.inputChannels - sources.count) are silent")
        }
        if configuration.outputs != .none && targets.isEmpty { notices.append(EngineRun.noPlaybackPorts) }
        return notices
    }

    func start() throws {
        // Before the first cycle, so that all have the same first frame.
        for recorder in recorders { try recorder.start(run.engine.tapReader(gain, capacityFrames: tapFrames)) }
        try run.start()
        for notice in unconnected { Command.complain(notice) }
        run.warn()
    }

    /// Four seconds of sound may wait for a disk or a reader, or as much of them as fits in 64 MiB.
    private var tapFrames: Int {
        max(4 * 8192, min(4 * run.facts.sampleRate, (64 << 20) / (4 * options.engine.inputChannels)))
    }

    // What is asked for, at one frame for all.

    /// As near as it is safe: every recorder must hear of it before it reads the frame.
    private var nextPosition: UInt64 {
        run.engine.position + UInt64(max(2 * run.facts.periodFrames, run.facts.sampleRate / 50))
    }

    var state: Recorder.State {
        let states = recorders.map(\.state)
        for state in [Recorder.State.recording, .paused, .waiting] where states.contains(state) { return state }
        return .over
    }

    func begin() { ask { $0.begin(atPosition: $1) } }
    func split() { ask { $0.split(atPosition: $1) } }

    /// Begins, pauses or goes on, whatever is next.
    func toggle() {
        switch state {
        case .waiting: begin()
        case .recording: ask { $0.pause(atPosition: $1) }
        case .paused: ask { $0.resume(atPosition: $1) }
        case .over: break
        }
    }

    func mark() {
        guard state == .recording else { return }
        marks += 1
        let label = "mark \(marks)"
        ask { $0.mark(label, atPosition: $1) }
    }

    private func ask(_ body: (Recorder, UInt64) -> Void) {
        let position = nextPosition
        for recorder in recorders { body(recorder, position) }
    }

    // The end.

    /// Whether so much was rendered that every recorder would be at its end if it had kept pace.
    var isDue: Bool {
        guard case .immediately = options.settings.start, let seconds = options.settings.maximumSeconds,
            recorders.allSatisfy({ $0.wantedGapCount == 0 })
        else { return false }
        return Double(run.engine.position) >= seconds * Double(run.facts.sampleRate)
    }

    /// In the longest file.
    var recordedSeconds: Double { recorders.map(\.writtenSeconds).max() ?? 0 }

    /// What it waits for, in words.
    var waiting: String {
        let kept = options.settings.prerollSeconds
        let preroll = kept > 0 ? "; \(fixed(kept, kept < 10 ? 1 : 0)) s before it are kept" : ""
        switch options.settings.start {
        case .sound(let trigger): return "waiting for a sound of \(fixed(trigger.thresholdDecibels, 1)) dB\(preroll)"
        case .at: return "waiting until \(options.startWords ?? "")\(preroll)"
        case .onRequest: return "waiting for the key space, or SIGUSR2\(preroll)"
        case .immediately: return "waiting for the first cycle"
        }
    }

    func noteEnd() { run.noteEnd() }

    /// What is missing at the end counts as a gap, but for a pause, which was wanted.
    func save() {
        let end = state == .paused ? nil : run.outageEnd
        for recorder in recorders { recorder.finish(withoutServerUntil: end) }
    }

    func finish() {
        save()
        removed = recorders.flatMap(\.segments).filter { unsafe $0 != "-" && access($0, F_OK) != 0 }
        noteEnd()
        run.unlockMemory()
    }

    func abandon() {
        run.leaveGraph()
        for recorder in recorders { recorder.abandon() }
        run.unlockMemory()
    }

    /// What went wrong first, in the order of the files.
    var trouble: Failure? {
        if let failure = recorders.lazy.compactMap(\.failure).first { return Failure(failure) }
        guard let path = removed.first else { return nil }
        return Failure(
            .inputOutput,
            "the recording \(shown(path)) was removed while it was made, and is lost; record to a folder that nobody tidies "
                + "up")
    }

    /// What is to be said where the files are not as they were to be.
    var notices: [String] {
        recorders.flatMap { recorder in
            [
                recorder.conversionReason.map {
                    "the recording goes on in \(recorder.segments.last ?? recorder.path), converted to its rate: \($0)"
                },
                recorder.splitRefusal.map {
                    "the recording goes on in \(recorder.segments.last ?? recorder.path), and not in the next file: \($0)"
                },
            ].compactMap(\.self)
        }
    }

    var writesToOutput: Bool { options.usesOutput }

    func report() -> RecordReport { RecordReport(self) }
}
