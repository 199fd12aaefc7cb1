/// What a plan does at one of its nodes.
package enum NodeBody {
    /// Where the ports' sound enters.
    case input
    /// Where what leaves goes to the ports.
    case output(Cell<OutputState>)
    /// The sum of what arrives. Gains and pan are its lines'.
    case mixer
    /// The fast path of the default graph, which by a processor's door takes 1.4 times as long (Tools/bench plan: 64 ns in place of 46
    /// for 64 frames). It returns whether its output is finite, so that a shaper behind it needs no check.
    case shaper(Cell<ShaperState>)
    /// The user's own, or one of ours that needs no more than that: gain, equaliser, compressor, limiter.
    case processor(Cell<ProcessorState>)
    /// Hears nobody. No processor, because it needs the engine's position and the transport (`TapBlock`).
    case player(Cell<PlayerState>)
    /// No processor, because one that closes a loop has two steps in a block: it recalls before the nodes of the loop, and
    /// stores behind them.
    case delay(Cell<DelayState>)
    /// Hears nobody. No processor, because it needs the callback's entry time and the engine's position (`TapBlock`).
    case receiver(Cell<ReceiverState>)
    /// What a worker makes of the sound. No processor, because it needs the cycle of the block (`TapBlock`).
    case detour(Cell<DetourState>)

    /// Takes over at once what the node is to be, and forgets what was heard. Thread: control, while no plan is rendered.
    func reset(sampleRate: Int, rampFrames: Int) {
        // SAFETY: nothing is rendered, so the cells are ours.
        switch self {
        case .input, .mixer: break
        case .output(let output): unsafe output.pointer.pointee.reset()
        case .shaper(let shaper):
            unsafe shaper.pointer.pointee.reset(rampFrames: rampFrames, sampleRate: sampleRate)
        case .processor(let processor): unsafe processor.pointer.pointee.reset(sampleRate: sampleRate)
        case .player(let player): unsafe player.pointer.pointee.reset(sampleRate: sampleRate)
        case .delay(let delay): unsafe delay.pointer.pointee.reset()
        case .receiver(let receiver): unsafe receiver.pointer.pointee.reset(sampleRate: sampleRate)
        case .detour(let detour): unsafe detour.pointer.pointee.reset(sampleRate: sampleRate)
        }
    }
}

/// A node, as a plan's builder sees it.
package struct PlanNode {
    package var body: NodeBody
    package var channels: Int
    /// How much later the sound leaves than it came, in whole frames.
    package var latencyFrames: Int
    /// What hears what it renders beside the nodes behind it.
    package var tap: Cell<TapWriter>?

    package init(_ body: NodeBody, channels: Int, latencyFrames: Int = 0, tap: Cell<TapWriter>? = nil) {
        self.body = body
        self.channels = channels
        self.latencyFrames = latencyFrames
        self.tap = tap
    }

    /// Whether it is rendered for its own sake, and not only where another node hears it.
    var isEnd: Bool { if case .output = body { true } else { tap != nil } }
}

/// A connection, as a plan's builder sees it.
package struct PlanEdge {
    /// Positions in the list of nodes.
    package var source: Int
    package var target: Int
    /// `nil` where the sound goes over as it is.
    package var line: Cell<Line>?

    package init(from source: Int, to target: Int, line: Cell<Line>? = nil) {
        self.source = source
        self.target = target
        self.line = line
    }
}

/// Why nodes and connections make no plan.
package enum PlanError: Error, Equatable {
    /// A loop without a delay in it: the positions of its nodes, in the direction of the sound.
    case loop([Int])
}
