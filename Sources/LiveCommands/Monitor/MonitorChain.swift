import AudioIO
import AudioMetering
import AudioRecording
import CommandSyntax
import LiveRuns
import PluginCommands

/// What stands between the source and the recording of a run of `monitor`, on a server or offline: source, equaliser, compressor,
/// shaper, plug-ins, limiter, loudness meter, recorder.
final class MonitorChain {
    let engine: Engine
    let shaper: Shaper
    /// Before the shaper; `nil` where nothing was asked for and no page may ask for it.
    let equaliser: Equaliser?
    /// Behind it; `nil` where it was not asked for.
    let compressor: Compressor?
    /// In the place of the inputs; `nil` for them.
    let source: SourceFeed?
    /// What is fed: the first node of the path.
    private let first: any Node
    /// Behind the shaper, in the order of the path.
    let plugins: PluginChain
    /// Behind them; `nil` where it was not asked for.
    let limiter: Limiter?
    /// `nil` for none.
    let recording: SideRecorder?
    let meter: LoudnessMeter?
    private let options: MonitorOptions
    /// In hertz.
    private let sampleRate: Int
    /// What goes to the output.
    private var last: any Node
    /// Of the recording's frames, the one at which the source is first heard.
    private var startFrame: UInt64?
    /// The engine's frame from which on the run's length counts, where no source begins it.
    private var firstPosition: UInt64?

    /// Connects it all, but for the recording, which leaves a file behind (`beginRecording`).
    ///
    /// - Parameters:
    ///   - engine: with input, shaper and output in a row.
    ///   - sampleRate: of the run, in hertz.
    init(_ options: MonitorOptions, _ engine: Engine, _ shaper: Shaper, sampleRate: Int) throws {
        self.options = options
        self.engine = engine
        self.shaper = shaper
        last = shaper
        self.sampleRate = sampleRate
        let channels = options.unit.channels
        let bands = options.equaliserBands
        equaliser = bands.isEmpty ? nil : Equaliser(bands, channels: channels)
        equaliser?.isBypassed = options.unit.isBypassed
        compressor = options.effects.compressor.map { Compressor($0, channels: channels) }
        limiter = options.effects.limiter.map { Limiter($0, channels: channels) }
        let before: [any Node] = [equaliser as (any Node)?, compressor].compactMap(\.self)
        first = before.first ?? shaper
        if !before.isEmpty { engine.disconnect(engine.input, from: shaper) }
        var fed: any Node = engine.input
        for node in before {
            engine.attach(node)
            try engine.connect(fed, to: node)
            fed = node
        }
        if !before.isEmpty { try engine.connect(fed, to: shaper) }
        source = try options.source.map { [first] in
            try SourceFeed($0, in: engine, to: first, sampleRate: sampleRate, channels: channels)
        }
        recording = options.recording.map { SideRecorder($0, channels: channels) }
        meter = try Self.meter(options, sampleRate: sampleRate)
        plugins = try options.plugins.make(channels: channels, sampleRate: sampleRate)
        if options.unit.isBypassed { for plugin in plugins.nodes { plugin.isBypassed = true } }
        if isFollowed { engine.disconnect(shaper, from: engine.output) }
        last = try plugins.connect(behind: shaper, in: engine)
        if let limiter {
            engine.attach(limiter)
            try engine.connect(last, to: limiter)
            last = limiter
        }
        if isFollowed { try engine.connect(last, to: engine.output) }
    }

    /// Puts the nodes of parts behind all else, or before it.
    func connect(_ parts: RunParts) throws {
        parts.connect(from: heard, to: first, in: engine)
        let next = try parts.connect(behind: last, in: engine)
        guard next !== last else { return }
        engine.disconnect(last, from: engine.output)
        try engine.connect(next, to: engine.output)
        last = next
    }

    /// Whether something stands behind the shaper. The limiter is the last, so that it holds what plug-ins make.
    private var isFollowed: Bool { limiter != nil || !plugins.nodes.isEmpty }

    /// Of as many channels loudness is measured where nothing is said: JACK does not tell which loudspeakers more are for, and they
    /// cost more than a look at the meters is worth.
    static let mostMeteredChannels = 6

    private static func meter(_ options: MonitorOptions, sampleRate: Int) throws(LoudnessError) -> LoudnessMeter? {
        let channels = options.unit.channels
        let isMeaningful = channels <= mostMeteredChannels && LoudnessMeter.sampleRates.contains(sampleRate)
        guard options.measuresLoudness ?? isMeaningful else { return nil }
        return try LoudnessMeter(sampleRate: sampleRate, channels: channels)
    }

    private var player: Player? { source?.player }
    /// What is heard before the equaliser.
    private var heard: [any Node] { [engine.input] + (player.map { [$0] } ?? []) }
    /// What feeds the unit.
    var fed: any Node { player ?? engine.input }

    /// What the recording has from its first frame to its last, and nothing else; `nil` where it has what comes, for as long as the
    /// run lasts.
    private var followed: Player? { options.isUntimed ? player : nil }
    /// What limiter and plug-ins add to the latency.
    private var effectFrames: Int {
        (limiter == nil ? 0 : Limiter.latencyFrames) + plugins.latencyFrames
    }
    /// How much later a recording that follows the source begins and ends than that.
    private var latencyFrames: Int { Int(shaper.latencyFrames.rounded()) + effectFrames }

    var recorder: Recorder? { recording?.recorder }

    /// Begins to record, where that is to be. Last of all that can fail: `--force` replaces a file here.
    func beginRecording() throws {
        if let followed { recording?.follow(followed, latencyFrames: latencyFrames) }
        try recording?.begin(engine, sampleRate: sampleRate)
    }

    /// Begins to measure, before anything is rendered. A second may wait for the meter, which counts where that is not enough.
    func start() throws {
        let most = EngineRun.tapFrames(sampleRate: sampleRate, channels: options.unit.channels)
        try meter?.start(engine.tapReader(engine.output, capacityFrames: min(most, max(4 * 8192, sampleRate))))
    }

    /// Plays the source from the next block on.
    func play() throws {
        firstPosition = engine.position
        try source?.play()
    }

    /// What changes the sound, with what stands before the names of its parameters.
    var effects: [(path: String, node: any Node)] {
        let own: [(path: String, node: (any Node)?)] = [
            ("", shaper), ("eq/", equaliser), ("compressor/", compressor), ("limiter/", limiter),
        ]
        return own.compactMap { path, node in node.map { (path: path, node: $0) } } + plugins.effects
    }

    /// How compressor and limiter stand.
    var effectsNow: Effects {
        var effects = Effects()
        effects.compressor = compressor?.setting
        effects.limiter = limiter?.setting
        return effects
    }

    // The end.

    /// The frame before which all that was to be heard has gone through the unit; `nil` where that is not known.
    private var endPosition: UInt64? {
        let ahead = source?.playback?.remainingFrames.map { engine.position + UInt64($0) }
        var ends = [player?.endPosition ?? (engine.isOffline ? ahead : nil)].compactMap(\.self)
        if options.isUntimed, let seconds = options.seconds {
            let first = source == nil || engine.isOffline ? firstPosition : player?.startPosition
            if let first { ends.append(first + UInt64((seconds * Double(sampleRate)).rounded())) }
        }
        return ends.min().map { $0 + UInt64(latencyFrames) }
    }

    /// How many frames at most are to be rendered until then, in a cycle of this length. Offline alone.
    func frames(ofCycle periodFrames: Int) -> Int {
        endPosition.map { Int(min(UInt64(periodFrames), $0 - min($0, engine.position))) } ?? periodFrames
    }

    /// Whether nothing that comes can be kept or is worth it: a disk is full, or the source cannot be read.
    var isBroken: Bool { recorder?.failure != nil || (player?.failure != nil && player?.isPlaying == false) }

    /// Whether the source has ended and its last frame has gone through the unit, or, of a run without a clock, its time is over.
    var isHeardThrough: Bool { endPosition.map { engine.position >= $0 } ?? false }

    /// Finds the frame at which the source is first heard, while the recording is still in its first file.
    func noteStartFrame() {
        guard startFrame == nil, let position = player?.startPosition else { return }
        startFrame = recorder?.frame(atPosition: position + UInt64(followed == nil ? 0 : latencyFrames))
    }

    /// Nothing more comes.
    func finish() {
        noteStartFrame()
        recording?.finish()
        meter?.finish()
    }

    /// What went wrong while the sound went on.
    var trouble: Failure? {
        if let error = recorder?.failure ?? player?.failure { return error.failure }
        return recording?.trouble ?? plugins.failure?.failure
    }

    // What has come of it.

    /// What the loudness meter shows of the whole run, if there is one.
    var loudness: LoudnessReading? { meter?.reading }

    /// - Parameter nonFiniteSamples: of the inputs, and those that were made of finite ones.
    func report(nonFiniteSamples: UInt64) -> ChainReport {
        ChainReport(
            unit: ChainReport.Unit(
                channels: options.unit.channels, parameters: ParameterReport(setting: shaper.setting),
                equaliser: equaliser?.bands.map(BandReport.init) ?? [],
                compressor: compressor.map { ParameterReport(setting: $0.setting) },
                limiter: limiter.map { ParameterReport(setting: $0.setting) }, plugins: plugins.reports,
                latencyFrames: shaper.setting.latencyFrames + Double(effectFrames)),
            levels: LevelReport(engine.meters, channels: options.unit.channels),
            nonFiniteSamples: nonFiniteSamples + UInt64(player?.nonFiniteSamples ?? 0)
                + plugins.nonFiniteSamples,
            loudness: loudness.map(ChainReport.Loudness.init(reading:)),
            recorded: recording?.report,
            source: source.map { ChainReport.Played(source: $0.report, startFrame: startFrame) })
    }
}
