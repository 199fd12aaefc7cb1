import AudioDSP
import AudioRealtime

// Nodes and their connections: all may change while sound runs, and nothing clicks.
extension Engine {
    /// Where the ports' sound enters.
    public var input: InputNode { graph.input }
    /// Where the sound leaves for the ports.
    public var output: OutputNode { graph.output }

    /// A mixer that leads to the output: made and connected when it is first asked for.
    public var mixer: Mixer {
        shownMixer.withLock { mixer in
            if let mixer { return mixer }
            let made = Mixer()
            mixer = made
            graph.attach(made)
            // It has as many channels as the output, and leads nowhere else.
            try? graph.connect(made, to: graph.output)
            return made
        }
    }

    /// Takes a node in, and keeps it. It is heard once it is connected. A node that another engine has stays there, and
    /// `connect` tells.
    @discardableResult
    public func attach<Attached: Node>(_ node: Attached) -> Attached {
        graph.attach(node)
        return node
    }

    /// Takes a node away with its connections, which fade out. Does nothing where the engine does not have it.
    public func detach(_ node: some Node) { graph.detach(node) }

    /// Has the sound of one node go to another, where it is added to what arrives there; it fades in. Where they are connected,
    /// changes gain and pan in a ramp.
    ///
    /// - Parameters:
    ///   - source: where the sound comes from.
    ///   - target: where it is added.
    ///   - gainDecibels: −120…60; what lies outside is moved to the nearest end.
    ///   - pan: −1, left, to 1, right, of two channels at the target (see `Pan`); without effect for any other number. `nil`
    ///     leaves the sound as it is: one channel goes to both.
    /// - Throws: `loop`, `channels`, `notAttached`, `wrongDirection`. Nothing has changed then.
    public func connect(
        _ source: some Node, to target: some Node, gainDecibels: Double = 0, pan: Double? = nil
    ) throws(NodeError) {
        let factor = Float(Decibels.linear(Gain.limited(gainDecibels) ?? 0))
        var gains = Gains(factor, factor)
        if let pan, target.channels == 2 {
            let sides = source.channels == 1 ? Pan.constantPower(pan) : Pan.balance(pan)
            gains.left *= sides.left
            gains.right *= sides.right
        }
        try graph.connect(source, to: target, gains: gains)
    }

    /// Takes a connection away, which fades out. Does nothing where there is none.
    public func disconnect(_ source: some Node, from target: some Node) { graph.disconnect(source, from: target) }

    /// Whether the sound of one node goes to the other directly. A connection that fades out does not count.
    public func isConnected(_ source: some Node, to target: some Node) -> Bool {
        graph.isConnected(source, to: target)
    }

    /// Makes all changes of nodes and connections that a function makes heard at once, from the same frame on. Those of other
    /// threads meanwhile are among them.
    public func change<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result { try graph.change(body) }

    /// Has nodes that are attached from now on made for a server's rate, in hertz, and its period in frames: their latency is known
    /// before the start. Thread: control.
    package func expect(sampleRate: Int, periodFrames: Int) {
        graph.expect(sampleRate: sampleRate, periodFrames: periodFrames)
    }

    /// How much later the sound leaves the output than it came to the input, in whole frames. The ports declare it.
    public var latencyFrames: Int { graph.latencyFrames }
    /// In hertz: the server's present rate, or that of the last one; before the first start 48 000.
    public var sampleRate: Int {
        if case .offline(let renderer) = backend { renderer.sampleRate } else { graph.sampleRate }
    }
    /// The levels of the outputs.
    public var meters: Meters { graph.meters }

    /// Frames that were rendered since the engine was made: the number of the next one.
    public var position: UInt64 {
        switch backend {
        case .offline(let renderer): UInt64(renderer.position)
        case .unit(let unit, _): unit.client.position
        }
    }

    /// Samples that were not finite though the inputs were, and became silence; since the engine was made.
    package var runawaySamples: UInt64 { graph.runawaySamples }

    /// Renders the next frames of an offline engine, on this thread. The handlers of taps are called on it too; recorders, and
    /// who reads a tap on a thread of its own, are waited for, so that they miss nothing.
    ///
    /// - Parameters:
    ///   - frames: 0 or more.
    ///   - input: a signal for each input; missing samples are silence.
    /// - Returns: a signal for each output.
    /// - Throws: `wrongState` where the engine is not running or paused, or is a server's.
    public func render(_ frames: Int, input: [[Float]] = []) throws(UnitError) -> [[Float]] {
        try render(frames, input, midi: nil, keepsOutput: true).output
    }

    /// As `render`, with MIDI.
    ///
    /// - Parameter midi: what comes for the nodes, by the frames of the call; in a period, as many as `MIDICycle` has room for.
    /// - Returns: what leaves, and what the nodes have made of MIDI, by the frames of the call.
    package func render(
        _ frames: Int, input: [[Float]], midi: [MIDIEvent]
    ) throws(UnitError) -> (output: [[Float]], midi: [MIDIEvent]) {
        try render(frames, input, midi: midi, keepsOutput: true)
    }

    /// As `render`, of silent inputs, where taps alone want what comes out.
    package func advance(by frames: Int) throws(UnitError) { _ = try render(frames, [], midi: nil, keepsOutput: false) }

    private func render(
        _ frames: Int, _ input: [[Float]], midi: [MIDIEvent]?, keepsOutput: Bool
    ) throws(UnitError) -> (output: [[Float]], midi: [MIDIEvent]) {
        guard case .offline(let renderer) = backend else {
            throw .wrongState("this engine renders when its JACK server asks for sound; make one with Engine(offline:)")
        }
        guard state == .running || state == .paused else {
            throw .wrongState("an engine that is \(state.name) cannot render; start it first")
        }
        return renderer.render(max(0, frames), input, midi: midi, keepsOutput: keepsOutput) {
            if let news = graph.runawayNews { life.log.add(news) }
            for tap in taps.withLock({ $0 }) { tap.deliver() }
        }
    }
}
