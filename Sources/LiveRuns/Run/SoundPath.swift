import AudioIO
import PluginCommands

/// What a run does to the sound beside its plug-ins.
package struct RunEffects {
    /// In the order of the path: before the plug-ins, one at least, and behind them.
    let before: [any Node]
    let behind: [any Node]
    /// In the order in which they are listed, each with what stands before the names of its parameters.
    let named: [(path: String, node: any Node)]
    /// `nil` where it is not all that is done.
    private(set) var gain: Gain?

    package init(before: [any Node], behind: [any Node], named: [(path: String, node: any Node)]) {
        (self.before, self.behind, self.named) = (before, behind, named)
    }

    /// No other than a gain.
    init(_ gain: Gain) {
        self.init(before: [gain], behind: [], named: [("", gain)])
        self.gain = gain
    }
}

/// The one way that sound goes through an engine, on a server or offline: what sounds, effects, plug-ins, effects, parts, outputs.
package struct SoundPath {
    /// `nil` where nothing takes the place of the inputs.
    package let source: SourceFeed?
    package let plugins: PluginChain
    /// What sounds: the inputs, what is in their place, or what plays.
    package let fed: any Node
    /// What goes to the outputs.
    package let heard: any Node

    /// - Parameters:
    ///   - entry: the inputs, or what plays.
    ///   - source: in place of the inputs; `nil` for them.
    ///   - parts: `nil` offline, where there are none.
    ///   - sampleRate: of the run, in hertz.
    ///   - channels: from the effects on.
    package init(
        from entry: any Node, _ source: SourceOptions?, through effects: RunEffects, _ plugins: PluginPath,
        _ parts: RunParts?, in engine: Engine, sampleRate: Int, channels: Int
    ) throws {
        let first = effects.before[0]
        engine.attach(first)
        self.source = try source.map {
            try SourceFeed($0, in: engine, to: first, sampleRate: sampleRate, channels: channels)
        }
        fed = self.source?.player ?? entry
        self.plugins = try plugins.make(channels: channels, sampleRate: sampleRate)
        let row: [any Node] = effects.before + self.plugins.nodes + effects.behind
        for node in row.dropFirst() { engine.attach(node) }
        for (node, next) in zip([entry] + row, row) { try engine.connect(node, to: next) }
        heard = try parts?.connect(behind: row[row.count - 1], in: engine) ?? row[row.count - 1]
        try engine.connect(heard, to: engine.output)
        try parts?.connect(from: [entry] + (self.source.map { [$0.player] } ?? []), to: first, in: engine)
    }
}
