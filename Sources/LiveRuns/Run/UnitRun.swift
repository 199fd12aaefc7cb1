import AudioFigures
import AudioIO
import AudioReports
import CommandSyntax
import Jack
import TerminalPages

/// An engine on a server and the way that sound goes through it, with the parts that it has beside.
package struct UnitRun {
    package let run: EngineRun
    /// In hertz, of the server.
    package let sampleRate: Int
    package let channels: Int
    package let path: SoundPath
    package let parts: RunParts
    private let effects: RunEffects
    private let plays: Bool
    private let freewheels: Bool
    private let ownNotices: [String]

    /// Finds out whether it can be had, in the order: server, its rate, ports, parts, source, plug-ins.
    ///
    /// - Parameters:
    ///   - private: the private server, where there is one.
    ///   - player: what plays, and is attached here; `nil` for the inputs, or what the options have in their place.
    ///   - channels: of what plays; `nil` for as many as the options say.
    ///   - effects: `nil` for a gain.
    ///   - check: whether they can be had at a sample rate in hertz.
    package init(
        _ options: UnitOptions, on private: Server?, from player: (any Node)? = nil, channels: Int? = nil,
        through effects: RunEffects? = nil, check: (_ sampleRate: Int) throws -> Void = { _ in }
    ) throws {
        var configuration = options.engine
        if let channels { configuration.outputChannels = channels }
        self.channels = configuration.outputChannels
        self.effects = effects ?? RunEffects(Gain(decibels: options.gainDecibels, channels: self.channels))
        run = try EngineRun(
            configuration, options.server, on: `private`, options.reconnect, plugins: options.plugins)
        sampleRate = run.facts.sampleRate
        try check(sampleRate)
        run.engine.expect(sampleRate: sampleRate, periodFrames: run.facts.periodFrames)
        let (sources, targets) = try run.partners(of: configuration)
        let notices =
            options.deed.map { Self.notices(configuration, sources: sources.count, $0) }
            ?? Self.notices(configuration, targets: targets.count)
        let isMute = configuration.outputs != .none && targets.isEmpty
        ownNotices = notices + (isMute ? [Self.noPlaybackPorts] : [])
        parts = try RunParts(
            options.parts, inputs: configuration.inputChannels, outputs: configuration.outputChannels)

        plays = options.deed == nil
        freewheels = options.server.freewheels
        if let player { run.engine.attach(player) }
        path = try SoundPath(
            from: player ?? run.engine.input, options.source, through: self.effects, options.plugins, parts,
            in: run.engine, sampleRate: sampleRate, channels: self.channels)
        run.plugins = path.plugins
    }

    private static let noPlaybackPorts =
        "the server has no playback ports, so nothing is connected to the outputs and nobody hears them; name other ports with "
        + "--output (iounit ports lists them)"

    private static func notices(
        _ configuration: EngineConfiguration, sources: Int, _ deed: UnitOptions.Deed
    ) -> [String] {
        guard configuration.inputs != .none else { return [] }
        if sources == 0 {
            return [
                "the server has no capture ports, so nothing is connected to the inputs and silence is \(deed.done); name other "
                    + "ports with --input (iounit ports lists them), or play something with --source"
            ]
        }
        guard sources > 1, sources < configuration.inputChannels else { return [] }
        return [
            "there are \(sources) ports to \(deed.verb) and \(configuration.inputChannels) inputs, so "
                + "\(last(configuration.inputChannels - sources)) silent"
        ]
    }

    private static func notices(_ configuration: EngineConfiguration, targets: Int) -> [String] {
        guard configuration.outputs != .none, targets > 1, targets < configuration.outputChannels else { return [] }
        return [
            "the sound has \(configuration.outputChannels) channels and there are \(targets) ports to play to, so "
                + "\(last(configuration.outputChannels - targets)) not heard; --channels \(targets) mixes them down"
        ]
    }

    private static func last(_ count: Int) -> String { count == 1 ? "the last is" : "the last \(count) are" }

    /// Whether a file in place of the inputs has been heard to its end.
    package var isHeardThrough: Bool {
        path.source?.isHeardThrough(latencyFrames: run.engine.latencyFrames) ?? false
    }
    /// What comes from outside: the inputs, or what stands in their place; `nil` of a unit that plays.
    var fed: (any Node)? { plays ? nil : path.fed }
    /// What went wrong with the sound.
    package var trouble: Failure? { path.source?.trouble ?? path.plugins.failure?.failure }
    /// What is not as it should be, but no reason to stop.
    package var notices: [String] { ownNotices + parts.notices }
    /// In decibels, now: of the gain that a run has without effects of its own.
    package var gainDecibels: Double { effects.gain?.decibels ?? 0 }

    /// What can be changed of each such run.
    package var controls: [Control] {
        Control.all(of: effects.named + path.plugins.effects) + parts.controls
    }

    /// - Parameter warnings: what is to be said besides.
    package func start(warnings: [String] = []) throws {
        try run.start()
        for notice in notices + warnings { StandardError.complain(notice) }
        run.warn()
        // A source that began before would lose what the clock takes meanwhile.
        if freewheels { try run.freewheel() }
        // Not before all is connected that is to hear it.
        try path.source?.play()
        if let mix = path.source?.mix { StandardError.complain(mix) }
    }
}

/// What the report of each such run has; each report gives its fields their places.
package struct UnitReport<Parts: PartList> {
    package let channels: Int
    package let gainDecibels: Double
    package let plugins: [PluginReport]
    package let levels: LevelReport
    /// `nil` where nothing took the place of the inputs.
    package let source: SourceReport?
    package let parts: PartsReport<Parts>
    package let run: RunReport
    private let sourceNonFiniteSamples: UInt64

    package init(_ session: some LiveSession) {
        channels = session.unit.channels
        gainDecibels = thousandths(session.unit.gainDecibels)
        plugins = session.plugins.reports
        levels = LevelReport(session.run.engine.meters, channels: channels)
        source = session.unit.path.source?.report
        parts = session.parts.report()
        run = RunReport(session.run)
        sourceNonFiniteSamples = UInt64(session.unit.path.source?.player.nonFiniteSamples ?? 0)
    }

    /// Of the inputs or what took their place, and those that plug-ins made.
    package var nonFiniteSamples: UInt64 {
        plugins.reduce(run.statistics.nonFiniteSamples + sourceNonFiniteSamples) { $0 + $1.nonFiniteSamples }
    }

    /// For people: the last lines of a run that takes sound out of the graph.
    package var ending: [String] {
        [
            source?.line,
            "  peak \(levels.peak), clipped \(levels.clippedSamples), non-finite \(nonFiniteSamples), \(run.losses)",
        ].compactMap(\.self) + run.ending(parts)
    }

    package var pluginLines: [String] { plugins.map { "  plugin \($0.summary)" } }
}
