import AudioIO
import CommandSyntax
import Jack
import PluginCommands
import ServerRuns
import TerminalPages

/// An engine that gives sound to the graph, and how it goes there: source, gain, plug-ins, outputs.
package struct MouthRun {
    package let run: EngineRun
    let gain: Gain
    /// Behind it.
    package let plugins: PluginChain
    package let parts: RunParts
    /// What is to be said where the unit is connected to nothing, or not as a whole, though it was meant to be.
    fileprivate let notices: [String]

    /// Finds out whether it can be had, in the order: server, ports.
    ///
    /// - Parameters:
    ///   - private: the private server, where there is one.
    ///   - source: attached here.
    ///   - path: what plug-ins there are; `nil` where none are offered.
    package init(
        _ options: MouthOptions, _ server: ServerOptions, on private: Server?, _ policy: ReconnectPolicy,
        from source: any Node, outputs: Int, plugins path: PluginPath? = nil
    ) throws {
        var configuration = options.engine
        configuration.outputChannels = outputs
        run = try EngineRun(configuration, server, on: `private`, policy, plugins: path)
        notices = Self.notices(configuration, targets: try run.partners(of: configuration).targets.count)
        parts = try RunParts(options.parts, inputs: 0, outputs: outputs)
        let engine = run.engine
        engine.attach(source)
        gain = engine.attach(Gain(decibels: options.gainDecibels, channels: outputs))
        try engine.connect(source, to: gain)
        plugins = try path?.make(channels: outputs, sampleRate: run.facts.sampleRate) ?? .none
        run.plugins = plugins
        let last = try plugins.connect(behind: gain, in: engine)
        try engine.connect(parts.connect(behind: last, in: engine), to: engine.output)
    }

    private static func notices(_ configuration: EngineConfiguration, targets: Int) -> [String] {
        guard configuration.outputs != .none else { return [] }
        if targets == 0 { return [EngineRun.noPlaybackPorts] }
        guard targets > 1, targets < configuration.outputChannels else { return [] }
        return [
            "the sound has \(configuration.outputChannels) channels and there are \(targets) ports to play to, so the last "
                + "\(configuration.outputChannels - targets) are not heard; --channels \(targets) mixes them down"
        ]
    }
}

/// A run whose unit is a mouth, with what it gives.
package protocol MouthSession: LiveSession {
    var mouth: MouthRun { get }
}

extension MouthSession {
    package var run: EngineRun { mouth.run }
    package var parts: RunParts { mouth.parts }
    package var fed: (any Node)? { nil }
    package var plugins: PluginChain { mouth.plugins }
    /// In decibels, now.
    package var gainDecibels: Double { mouth.gain.decibels }

    package func changeGain(by decibels: Double) {
        mouth.gain.decibels = mouth.gain.decibels.rounded() + decibels
    }

    /// What can be changed of each such run.
    package var mouthControls: [Control] {
        Control.all(of: [("", mouth.gain)] + plugins.effects) + parts.controls
    }

    /// What is not as it should be, but no reason to stop.
    package var notices: [String] { mouth.notices + parts.notices }
}
