import AudioIO
import AudioMetering
import AudioRecording
import CommandSyntax
import LiveRuns

/// What a run of `monitor` is, on a server or offline: the way of its sound, its loudness meter, its recording, and its end.
final class MonitorChain {
    let effects: MonitorEffects
    let path: SoundPath
    /// `nil` for none.
    let recording: SideRecorder?
    let meter: LoudnessMeter?
    private let engine: Engine
    private let options: MonitorOptions
    /// In hertz.
    private let sampleRate: Int
    /// Of the recording's frames, the one at which the source is first heard.
    private var startFrame: UInt64?
    /// The engine's frame of it, once that was rendered.
    private var heardPosition: UInt64?
    /// The engine's frame from which on the run's length counts, where no source begins it.
    private var firstPosition: UInt64?

    /// Begins to record, where that is to be. Last of all that can fail: `--force` replaces a file here.
    ///
    /// - Parameters:
    ///   - path: of the effects.
    ///   - sampleRate: of the run, in hertz.
    init(
        _ options: MonitorOptions, _ effects: MonitorEffects, _ path: SoundPath, in engine: Engine, sampleRate: Int
    ) throws {
        (self.options, self.effects, self.path, self.engine) = (options, effects, path, engine)
        self.sampleRate = sampleRate
        if options.shaper.isBypassed { for plugin in path.plugins.nodes { plugin.isBypassed = true } }
        meter = try Self.meter(options, sampleRate: sampleRate)
        recording = options.recording.map { SideRecorder($0, channels: options.channels) }
        if let followed { recording?.follow(followed, latencyFrames: engine.latencyFrames) }
        try recording?.begin(engine, sampleRate: sampleRate)
    }

    /// Of as many channels loudness is measured where nothing is said: JACK does not tell which loudspeakers more are for, and they
    /// cost more than a look at the meters is worth.
    static let mostMeteredChannels = 6

    private static func meter(_ options: MonitorOptions, sampleRate: Int) throws(LoudnessError) -> LoudnessMeter? {
        let isMeaningful =
            options.channels <= mostMeteredChannels && LoudnessMeter.sampleRates.contains(sampleRate)
        guard options.measuresLoudness ?? isMeaningful else { return nil }
        return try LoudnessMeter(sampleRate: sampleRate, channels: options.channels)
    }

    private var player: Player? { path.source?.player }
    /// What the recording has from its first frame to its last, and nothing else; `nil` where it has what comes, for as long as the
    /// run lasts.
    private var followed: Player? { options.isUntimed ? player : nil }
    /// What limiter and plug-ins add to the latency.
    private var effectFrames: Int {
        (effects.limiter == nil ? 0 : Limiter.latencyFrames) + path.plugins.latencyFrames
    }

    var recorder: Recorder? { recording?.recorder }

    /// Begins to measure, before anything is rendered. A second may wait for the meter, which counts where that is not enough.
    func start() throws {
        let most = EngineRun.tapFrames(sampleRate: sampleRate, channels: options.channels)
        try meter?.start(engine.tapReader(engine.output, capacityFrames: min(most, max(4 * 8192, sampleRate))))
    }

    /// What is rendered from now on belongs to the run's length.
    func noteStart() { firstPosition = engine.position }

    // The end.

    /// The frame before which all that was to be heard has gone through the unit; `nil` where that is not known.
    private var endPosition: UInt64? {
        let ahead = path.source?.playback?.remainingFrames.map { engine.position + UInt64($0) }
        var ends = [player?.endPosition ?? (engine.isOffline ? ahead : nil)].compactMap(\.self)
        if options.isUntimed, let seconds = options.seconds {
            let first = path.source == nil || engine.isOffline ? firstPosition : player?.startPosition
            if let first { ends.append(first + UInt64((seconds * Double(sampleRate)).rounded())) }
        }
        return ends.min().map { $0 + UInt64(engine.latencyFrames) }
    }

    /// How many frames at most are to be rendered until then, in a cycle of this length. Offline alone.
    func frames(ofCycle periodFrames: Int) -> Int {
        endPosition.map { Int(min(UInt64(periodFrames), $0 - min($0, engine.position))) } ?? periodFrames
    }

    /// Whether nothing that comes can be kept or is worth it: a disk is full, or the source cannot be read.
    var isBroken: Bool { recorder?.failure != nil || (player?.failure != nil && player?.isPlaying == false) }

    /// Whether the source has ended and its last frame has gone through the unit, or, of a run without a clock, its time is over.
    ///
    /// - Parameter frames: so many more have gone through behind it.
    func isHeardThrough(behind frames: Int = 0) -> Bool {
        endPosition.map { engine.position >= $0 + UInt64(frames) } ?? false
    }

    /// Finds the frame at which the source is first heard, while the recording is still in its first file.
    func noteStartFrame() {
        guard let start = player?.startPosition else { return }
        let position = heardPosition ?? start + UInt64(engine.latencyFrames)
        guard followed != nil || engine.position >= position else { return }
        heardPosition = position
        // A gap before that frame is listed many cycles later: what is known last counts.
        startFrame = recorder?.frame(atPosition: position) ?? startFrame
    }

    /// Nothing more comes.
    func finish() {
        noteStartFrame()
        recording?.finish()
        meter?.finish()
    }

    /// What went wrong while the sound went on.
    func trouble(_ rank: TroubleRank) -> Failure? {
        switch rank {
        case .recording: recording?.trouble
        case .sound: player?.failure?.failure ?? path.plugins.failure?.failure
        case .sending: nil
        }
    }

    // What has come of it.

    /// What the loudness meter shows of the whole run, if there is one.
    var loudness: LoudnessReading? { meter?.reading }

    /// - Parameter nonFiniteSamples: of the inputs, and those that were made of finite ones.
    func report(nonFiniteSamples: UInt64) -> ChainReport {
        ChainReport(
            unit: ChainReport.Unit(
                channels: options.channels, parameters: ParameterReport(setting: effects.shaper.setting),
                equaliser: effects.equaliser?.bands.map(BandReport.init) ?? [],
                compressor: effects.compressor.map { ParameterReport(setting: $0.setting) },
                limiter: effects.limiter.map { ParameterReport(setting: $0.setting) },
                plugins: path.plugins.reports,
                latencyFrames: effects.shaper.setting.latencyFrames + Double(effectFrames)),
            levels: LevelReport(engine.meters, channels: options.channels),
            nonFiniteSamples: nonFiniteSamples + UInt64(player?.nonFiniteSamples ?? 0)
                + path.plugins.nonFiniteSamples,
            loudness: loudness.map(ChainReport.Loudness.init(reading:)),
            recorded: recording?.report,
            source: path.source.map { ChainReport.Played(source: $0.report, startFrame: startFrame) })
    }
}
