import AudioFigures
import AudioIO
import AudioReports
import CommandSyntax
import Jack
import PluginCommands
import TerminalPages

/// An engine and the one way that sound goes through it: what sounds, gain, plug-ins, parts, outputs.
package struct UnitRun {
    package let run: EngineRun
    /// In hertz, of the server.
    package let sampleRate: Int
    package let channels: Int
    /// What comes from outside: the inputs, or what stands in their place; `nil` of a unit that plays.
    let fed: (any Node)?
    /// `nil` where nothing takes the place of the inputs.
    package let source: SourceFeed?
    private let freewheels: Bool
    private let gain: Gain
    /// Behind it.
    package let plugins: PluginChain
    package let parts: RunParts
    /// What goes to the outputs.
    package let heard: any Node
    private let ownNotices: [String]

    /// Finds out whether it can be had, in the order: server, ports.
    ///
    /// - Parameters:
    ///   - private: the private server, where there is one.
    ///   - player: what plays, and is attached here; `nil` for the inputs, or what the options have in their place.
    ///   - channels: of what plays; `nil` for as many as the options say.
    package init(
        _ options: UnitOptions, on private: Server?, from player: (any Node)? = nil, channels: Int? = nil
    ) throws {
        var configuration = options.engine
        if let channels { configuration.outputChannels = channels }
        self.channels = configuration.outputChannels
        run = try EngineRun(
            configuration, options.server, on: `private`, options.reconnect, plugins: options.plugins)
        sampleRate = run.facts.sampleRate
        let (sources, targets) = try run.partners(of: configuration)
        let notices =
            options.deed.map { Self.notices(configuration, sources: sources.count, $0) }
            ?? Self.notices(configuration, targets: targets.count)
        let isMute = configuration.outputs != .none && targets.isEmpty
        ownNotices = notices + (isMute ? [EngineRun.noPlaybackPorts] : [])
        parts = try RunParts(
            options.parts, inputs: configuration.inputChannels, outputs: configuration.outputChannels)

        freewheels = options.server.freewheels
        let engine = run.engine
        if let player { engine.attach(player) }
        let gain = engine.attach(Gain(decibels: options.gainDecibels, channels: self.channels))
        let entry: any Node = player ?? engine.input
        try engine.connect(entry, to: gain)
        self.gain = gain
        source = try options.source.map { [sampleRate, channels = self.channels] in
            try SourceFeed($0, in: engine, to: gain, sampleRate: sampleRate, channels: channels)
        }
        fed = options.deed == nil ? nil : source?.player ?? entry
        plugins = try options.plugins.make(channels: self.channels, sampleRate: sampleRate)
        heard = try parts.connect(behind: plugins.connect(behind: gain, in: engine), in: engine)
        try engine.connect(heard, to: engine.output)
        parts.connect(
            from: [entry] + (source.map { [$0.player] } ?? []), to: gain, in: engine)
        run.plugins = plugins
    }

    private static func notices(
        _ configuration: EngineConfiguration, sources: Int, _ deed: UnitOptions.Deed
    ) -> [String] {
        guard configuration.inputs != .none else { return [] }
        if sources == 0 { return [EngineRun.noCapturePorts("silence is \(deed.done)")] }
        guard sources > 1, sources < configuration.inputChannels else { return [] }
        return [
            "there are \(sources) ports to \(deed.verb) and \(configuration.inputChannels) inputs, so the last "
                + "\(configuration.inputChannels - sources) are silent"
        ]
    }

    private static func notices(_ configuration: EngineConfiguration, targets: Int) -> [String] {
        guard configuration.outputs != .none, targets > 1, targets < configuration.outputChannels else { return [] }
        return [
            "the sound has \(configuration.outputChannels) channels and there are \(targets) ports to play to, so the last "
                + "\(configuration.outputChannels - targets) are not heard; --channels \(targets) mixes them down"
        ]
    }

    /// Whether a file in place of the inputs has been heard to its end.
    package var isHeardThrough: Bool { source?.isHeardThrough(latencyFrames: plugins.latencyFrames) ?? false }
    /// What went wrong with the sound.
    package var trouble: Failure? { source?.trouble ?? plugins.failure?.failure }
    /// What is not as it should be, but no reason to stop.
    package var notices: [String] { ownNotices + parts.notices }
    /// In decibels, now.
    package var gainDecibels: Double { gain.decibels }

    /// What can be changed of each such run.
    package var controls: [Control] {
        Control.all(of: [("", gain)] + plugins.effects) + parts.controls
    }

    /// - Parameter warnings: what is to be said besides.
    package func start(warnings: [String] = []) throws {
        try run.start()
        for notice in notices + warnings { StandardError.complain(notice) }
        run.warn()
        // A source that began before would lose what the clock takes meanwhile.
        if freewheels { try run.freewheel() }
        // Not before all is connected that is to hear it.
        try source?.play()
        if let mix = source?.mix { StandardError.complain(mix) }
    }
}

/// A run with a way of sound of its own.
package protocol UnitSession: LiveSession {
    var unit: UnitRun { get }
}

extension UnitSession {
    package var run: EngineRun { unit.run }
    package var parts: RunParts { unit.parts }
    package var fed: (any Node)? { unit.fed }
    package var plugins: PluginChain { unit.plugins }

    /// What the keys up and down do.
    package func changeGain(_ key: Key) {
        // Why it was refused the table of controls keeps, for the view.
        try? controls.step("gain", key == .up ? 1 : -1, by: .key)
    }
    package var trouble: Failure? { unit.trouble ?? parts.trouble }
    package var figures: [OSCFigure] { run.figures { [unowned self] in trouble } }
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

    package init(_ session: some UnitSession) {
        channels = session.unit.channels
        gainDecibels = thousandths(session.unit.gainDecibels)
        plugins = session.plugins.reports
        levels = LevelReport(session.run.engine.meters, channels: channels)
        source = session.unit.source?.report
        parts = session.parts.report()
        run = RunReport(session.run)
    }

    /// Of the inputs, and those that plug-ins made.
    package var nonFiniteSamples: UInt64 {
        plugins.reduce(run.statistics.nonFiniteSamples) { $0 + $1.nonFiniteSamples }
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
