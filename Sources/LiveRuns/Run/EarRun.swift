import AudioIO
import AudioRealtime
import CommandSyntax
import Jack
import PluginCommands
import ServerRuns
import TerminalPages

/// An engine that takes sound out of the graph, and what it renders: inputs, gain, plug-ins, outputs.
package struct EarRun {
    package let run: EngineRun
    let gain: Gain
    /// `nil` for the inputs.
    private let source: SourceFeed?
    /// Behind it.
    package let plugins: PluginChain
    /// What comes out of it.
    package let heard: any Node
    /// What is to be said where a side of the unit is connected to nothing, or not as a whole, though it was meant to be.
    private let notices: [String]
    /// Of the server, in hertz.
    package let sampleRate: Int
    package let parts: RunParts

    /// Finds out whether it can be had, in the order: server, ports.
    ///
    /// - Parameters:
    ///   - private: the private server, where there is one.
    ///   - path: what plug-ins there are; `nil` where none are offered.
    ///   - verb, done: what is done to the sound, as in `send` and `sent`.
    package init(
        _ options: EarOptions, _ server: ServerOptions, on private: Server?, _ policy: ReconnectPolicy,
        plugins path: PluginPath? = nil, to verb: String, done: String
    ) throws {
        let configuration = options.engine
        run = try EngineRun(configuration, server, on: `private`, policy, plugins: path)
        notices = Self.notices(configuration, try run.partners(of: configuration), verb, done)
        sampleRate = run.facts.sampleRate
        parts = try RunParts(
            options.parts, inputs: configuration.inputChannels, outputs: configuration.outputChannels)
        let engine = run.engine
        let gain = engine.attach(Gain(decibels: options.gainDecibels, channels: configuration.inputChannels))
        try engine.connect(engine.input, to: gain)
        self.gain = gain
        source = try options.source.map { [sampleRate] in
            try SourceFeed(
                $0, in: engine, to: gain, sampleRate: sampleRate, channels: configuration.inputChannels)
        }
        plugins = try path?.make(channels: configuration.inputChannels, sampleRate: sampleRate) ?? .none
        heard = try parts.connect(behind: plugins.connect(behind: gain, in: engine), in: engine)
        try engine.connect(heard, to: engine.output)
        parts.connect(
            from: [engine.input] + [source?.player as (any Node)?].compactMap(\.self), to: gain, in: engine)
        run.plugins = plugins
    }

    private static func notices(
        _ configuration: EngineConfiguration, _ partners: (sources: [String], targets: [String]), _ verb: String,
        _ done: String
    ) -> [String] {
        let (sources, targets) = partners
        var notices: [String] = []
        if configuration.inputs != .none && sources.isEmpty {
            notices.append(
                "the server has no capture ports, so nothing is connected to the inputs and silence is \(done); name "
                    + "other ports with --input (iounit ports lists them)")
        } else if configuration.inputs != .none, sources.count > 1, sources.count < configuration.inputChannels {
            notices.append(
                "there are \(sources.count) ports to \(verb) and \(configuration.inputChannels) inputs, so the last "
                    + "\(configuration.inputChannels - sources.count) are silent")
        }
        if configuration.outputs != .none && targets.isEmpty { notices.append(EngineRun.noPlaybackPorts) }
        return notices
    }

    /// What feeds it.
    var fed: any Node { source?.player ?? run.engine.input }
    /// Whether it is fed by a file, and that has been heard to its end.
    var isHeardThrough: Bool { source?.isHeardThrough(latencyFrames: plugins.latencyFrames) ?? false }
    /// What went wrong with the sound.
    package var trouble: Failure? { source?.trouble ?? plugins.failure?.failure }

    /// What can be changed of each such run.
    package var controls: [Control] {
        Control.all(of: [("", gain)] + plugins.effects) + parts.controls
    }

    package func start() throws {
        try run.start()
        for notice in notices + parts.notices { StandardError.complain(notice) }
        run.warn()
        // Not before all is connected that is to hear it.
        try source?.play()
    }
}

/// A run whose unit is an ear, with what is made of its sound.
package protocol EarSession: LiveSession {
    var ear: EarRun { get }
}

extension EarSession {
    package var run: EngineRun { ear.run }
    package var parts: RunParts { ear.parts }
    package var fed: (any Node)? { ear.fed }
    package var isHeardThrough: Bool { ear.isHeardThrough }
    /// In decibels, now.
    package var gainDecibels: Double { ear.gain.decibels }
    package var plugins: PluginChain { ear.plugins }
}
