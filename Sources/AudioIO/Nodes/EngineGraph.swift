import AudioRealtime
import Synchronization

/// The control side of an engine's nodes: what is attached and connected, and the plans that are rendered.
///
/// Thread: any but audio, one at a time. Of a user's code, a processor's `init`, `reset`, `deinit` and latency run under its lock.
package final class EngineGraph: Sendable {
    package let input: InputNode
    package let output: OutputNode
    /// The levels of the outputs.
    package let meters: Meters
    /// What nodes hear and send of MIDI.
    package let midi = Cell(MIDICycle())
    private let number = EngineGraph.nextNumber.add(1, ordering: .relaxed).newValue
    private let toldRunaways = Atomic<UInt64>(0)
    let inputs: Int
    private let latency = Atomic<Int>(0)
    private let state: Mutex<GraphPlans>

    private static let nextNumber = Atomic<Int>(0)

    /// - Parameters:
    ///   - inputs: 0…256.
    ///   - outputs: 1…256.
    ///   - rampMilliseconds: how long a change lasts.
    ///   - isLive: whether an audio thread renders, and not the caller.
    package init(inputs: Int, outputs: Int, rampMilliseconds: Double, isLive: Bool = true) {
        self.inputs = inputs
        input = InputNode(channels: max(1, inputs))
        meters = Meters(channels: outputs)
        output = OutputNode(channels: outputs, meters)
        state = Mutex(GraphPlans(output, rampMilliseconds: rampMilliseconds, isLive: isLive, midi: midi))
        attach(input)
        attach(output)
    }

    /// The nodes may be attached to another engine.
    deinit {
        state.withLock { state in
            for node in state.members.values { node.core.detach() }
        }
    }

    /// What renders the plans, once it has begun with the first. It keeps this object, and so the plans, because libjack may call
    /// the callback even after a close has timed out and the engine has been released. Made once. Thread: control.
    ///
    /// - Parameter records: takes the record of each cycle; `nil` where nobody reads them.
    package func makeRenderer(records: consuming Producer<CycleRecord>? = nil) -> RenderUnit {
        // SAFETY: it points at nothing yet.
        unsafe RenderUnit(.none, keeping: [self], inputs: inputs, outputs: meters.channels, records: records)
    }
}

// Nodes and their connections.
extension EngineGraph {
    /// Does nothing where the node has a place already, here or in another engine.
    package func attach(_ node: some Node) {
        state.withLock { state in
            guard node.core.place == nil else { return }
            let channels = node.core.channels ?? output.core.channels ?? 1
            let driver = node.core.driver
            let identifier = state.graph.attach(
                driver.makeBody(state.format(channels: channels)), channels: channels,
                latencyFrames: driver.latencyFrames, settlingFrames: driver.settlingFrames)
            guard node.core.attach(NodeCore.Place(graph: number, identifier: identifier, channels: channels)) else {
                return state.graph.detach(identifier)
            }
            state.members[identifier] = node
            if state.isRunning { driver.follow(state.format(channels: channels)) }
        }
    }

    /// Takes a node away with its connections, which fade out. Does nothing where it is not attached here, or is the input or the
    /// output.
    package func detach(_ node: some Node) {
        let isDetached = state.withLock { state in
            guard let place = place(of: node), node.core !== input.core, node.core !== output.core else { return false }
            state.graph.detach(place.identifier)
            state.members[place.identifier] = nil
            node.core.detach()
            state.publish(noting: latency)
            return true
        }
        // Not under the lock: a worker may have to be waited for.
        if isDetached { node.core.driver.end() }
    }

    /// - Parameter gains: of the left and the right channel of a pair; of any other number, the left one's.
    package func connect(
        _ source: some Node, to target: some Node, gains: Gains = .unity
    ) throws(NodeError) {
        try state.withLock { state throws(NodeError) in
            let (from, to) = (try attached(source), try attached(target))
            if source.core === output.core { throw .wrongDirection(source.core.kind) }
            if target.core.driver.isSource { throw .wrongDirection(target.core.kind) }
            try check(source.core, from, target.core, to)
            var gains = gains
            if to.channels == 1 && from.channels > 1 {
                gains.left /= Float(from.channels)
                gains.right /= Float(from.channels)
            }
            do throws(NodeGraphError) {
                try state.graph.connect(from.identifier, to: to.identifier, gains: gains)
            } catch {
                guard case .loop(let way) = error else { return }
                let kinds = way.map { state.members[$0]?.core.kind ?? "node" }
                throw .loop(kinds + kinds.prefix(1))
            }
            state.publish(noting: latency)
        }
    }

    /// Does nothing where they are not connected.
    package func disconnect(_ source: some Node, from target: some Node) {
        state.withLock { state in
            guard let from = place(of: source), let to = place(of: target) else { return }
            state.graph.disconnect(from.identifier, from: to.identifier)
            state.publish(noting: latency)
        }
    }

    package func isConnected(_ source: some Node, to target: some Node) -> Bool {
        state.withLock { state in
            guard let from = place(of: source), let to = place(of: target) else { return false }
            return state.graph.isConnected(from.identifier, to: to.identifier)
        }
    }

    /// Makes all changes that the function makes heard at once, in one block.
    package func change<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        state.withLock { $0.beginBatch() }
        defer { state.withLock { $0.endBatch(noting: latency) } }
        return try body()
    }

    private func place(of node: some Node) -> NodeCore.Place? {
        node.core.place.flatMap { $0.graph == number ? $0 : nil }
    }

    private func attached(_ node: some Node) throws(NodeError) -> NodeCore.Place {
        guard let place = place(of: node) else { throw .notAttached(node.core.kind) }
        return place
    }

    /// A mixer takes one channel for all of its own, and many for its only one; else there must be as many on both sides.
    private func check(
        _ source: NodeCore, _ from: NodeCore.Place, _ target: NodeCore, _ to: NodeCore.Place
    ) throws(NodeError) {
        let isEmptyInput = source === input.core && inputs == 0
        let isMixed = target.kind == "mixer" && (from.channels == 1 || to.channels == 1)
        guard !isEmptyInput, from.channels == to.channels || isMixed else {
            throw .channels(
                source: source.kind, sourceChannels: isEmptyInput ? 0 : from.channels, target: target.kind,
                targetChannels: to.channels)
        }
    }
}

// Taps and pause.
extension EngineGraph {
    /// Of all channels of a tap together: a quarter of a gibibyte. Recorders ask for a quarter of that.
    private static let mostTapSamples = 1 << 26

    /// Has a reader hear what a node renders, from the next block on or, as the first one of the node, the next plan on.
    ///
    /// - Parameter capacityFrames: see `Engine.tapReader`.
    package func tapReader(_ node: some Node, capacityFrames: Int) throws(NodeError) -> TapReader {
        try state.withLock { state throws(NodeError) in
            let place = try attached(node)
            let most = Self.mostTapSamples / place.channels
            let capacity = max(min(capacityFrames, most), Plan.maximumFrames)
            let tap = state.graph.tap(place.identifier, channels: place.channels, capacity: capacity)
            let reader = tap.reader(capacity: capacity)
            state.publish(noting: latency)
            return reader
        }
    }

    /// Nothing more comes to a reader of a node.
    package func closeReader(_ number: Int, of tap: Tap, from node: some Node) {
        state.withLock { state in
            guard tap.close(number), let place = place(of: node) else { return }
            state.graph.removeTap(tap, from: place.identifier)
            state.publish(noting: latency)
        }
    }

    /// Fades the outputs out; once they are silent, nothing goes to the taps. Or fades them in.
    // SAFETY: here and below, the node keeps its state, and each access is atomic.
    package func setPause(_ isOn: Bool) { unsafe output.state.pointer.pointee.setPause(isOn) }
    package var isPausing: Bool { unsafe output.state.pointer.pointee.isPaused }
}

// Rendering.
extension EngineGraph {
    /// How much later the sound leaves than it came, in whole frames: of the longest way from the inputs to the outputs.
    package var latencyFrames: Int { latency.load(ordering: .relaxed) }

    /// Samples that were not finite though the inputs were, and became silence; since the graph was made.
    package var runawaySamples: UInt64 { unsafe output.state.pointer.pointee.runawaySamples }

    /// What to tell of them: once of each run. Thread: any but audio, one at a time.
    var runawayNews: EngineEvent.Kind? {
        let count = runawaySamples
        guard count > toldRunaways.load(ordering: .relaxed) else { return nil }
        toldRunaways.store(.max, ordering: .relaxed)
        return .trouble(
            "the sound within the graph grew beyond all bounds and was silenced: lower the gain of a loop, or of what "
                + "amplifies")
    }

    /// In hertz.
    package var sampleRate: Int { state.withLock { $0.sampleRate } }
    var rampMilliseconds: Double { state.withLock { $0.rampMilliseconds } }

    /// - Throws: `invalidConfiguration` where a node cannot work at a sample rate, in hertz.
    func check(sampleRate: Int) throws(UnitError) {
        try state.withLock { state throws(UnitError) in
            for node in state.members.values { try node.check(sampleRate: sampleRate) }
        }
    }

    /// What to tell of sample rates that the server has changed to, in hertz: a node that cannot work at one is silent.
    func news(of sampleRates: [Int]) -> [EngineEvent.Kind] {
        var news: [EngineEvent.Kind] = []
        for rate in sampleRates {
            news.append(.sampleRateChanged(hertz: rate))
            do throws(UnitError) { try check(sampleRate: rate) } catch { news.append(.trouble(error.description)) }
        }
        return news
    }

    /// Begins to render. Thread: control, while nothing is rendered.
    ///
    /// - Parameter body: gets the plan to begin with.
    @unsafe package func begin(sampleRate: Int, _ body: (UnsafeMutablePointer<Plan>) -> Void) {
        state.withLock { state in
            toldRunaways.store(runawaySamples, ordering: .relaxed)
            let plan = state.begin(sampleRate: sampleRate, noting: latency)
            // SAFETY: the state keeps it.
            unsafe body(plan.pointer)
        }
    }

    /// Has what is attached from now on made for cycles of so many frames, at a rate in hertz. Thread: control, before the start.
    package func expect(sampleRate: Int, periodFrames: Int) {
        state.withLock { $0.expect(sampleRate: sampleRate, periodFrames: periodFrames) }
    }

    /// Makes the nodes ready for a sample rate, in hertz. Thread: control, while nothing is rendered.
    package func follow(sampleRate: Int) {
        state.withLock { state in
            guard !state.isRunning else { return }
            state.follow(sampleRate: sampleRate)
        }
    }

    /// Nothing is rendered any more. Thread: control.
    package func end() { state.withLock { $0.end() } }

    /// The engine is closed: the nodes' workers end. Thread: control.
    package func close() {
        let nodes = state.withLock { Array($0.members.values) }
        for node in nodes { node.core.driver.end() }
    }

    /// Frees what is no longer rendered, and follows what has changed: a hundred times a second, or, offline, before each
    /// block.
    ///
    /// - Parameter sampleRate: the present one, in hertz.
    package func tick(sampleRate: Int) {
        state.withLock { $0.tick(sampleRate: sampleRate, noting: latency) }
    }

    /// Has the nodes do what their workers would. Thread: the renderer's, offline.
    package func renderAhead(to frame: UInt64) {
        let nodes = state.withLock { Array($0.members.values) }
        for node in nodes { node.core.driver.renderAhead(to: frame) }
    }
}
