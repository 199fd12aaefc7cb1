import AudioDSP
import AudioRealtime
import Synchronization

/// The nodes that an engine has, how they are connected, and the plans that are made of them: what `EngineGraph` guards.
struct GraphPlans: ~Copyable {
    /// How the nodes are connected. After a change, call `publish`.
    var graph = NodeGraph()
    var members: [NodeGraph.Identifier: any Node] = [:]
    private(set) var sampleRate = 48_000
    /// Of the cycles that are expected; 0 where that is not known.
    private var periodFrames = 0
    let rampMilliseconds: Double
    /// Whether a plan is being rendered, so that what changes must fade.
    private(set) var isRunning = false
    private let isLive: Bool
    private let midi: Cell<MIDICycle>
    private let output: OutputNode
    /// `nil` before anything is rendered.
    private var keeper: PlanKeeper?
    /// How many batches of changes are open, and whether there were any changes.
    private var batches = 0
    private var isStale = false

    /// - Parameters:
    ///   - output: is attached before anything is rendered, and stays.
    init(_ output: OutputNode, rampMilliseconds: Double, isLive: Bool, midi: Cell<MIDICycle>) {
        self.output = output
        self.rampMilliseconds = rampMilliseconds
        self.isLive = isLive
        self.midi = midi
    }

    /// What a node of so many channels works with.
    func format(channels: Int) -> NodeFormat {
        NodeFormat(
            channels: channels, sampleRate: sampleRate, periodFrames: periodFrames, rampMilliseconds: rampMilliseconds,
            hasWorkers: isLive, isRunning: isRunning, midi: midi)
    }

    /// Makes the nodes ready for a rate, in hertz.
    mutating func follow(sampleRate: Int) {
        self.sampleRate = max(1, sampleRate)
        for node in members.values { node.core.driver.follow(format(channels: node.core.channels ?? 1)) }
    }

    /// Nodes attached from now on are made for cycles like these, at a rate in hertz: their latency is known before the start.
    mutating func expect(sampleRate: Int, periodFrames: Int) {
        self.periodFrames = periodFrames
        follow(sampleRate: sampleRate)
    }

    /// Begins to render, at a rate in hertz; returns the plan to begin with, which this value keeps.
    mutating func begin(sampleRate: Int, noting latency: borrowing Atomic<Int>) -> Cell<Plan> {
        follow(sampleRate: sampleRate)
        noteLatencies()
        isStale = false
        let plan = Cell(graph.firstPlan(sampleRate: self.sampleRate, rampFrames: rampFrames))
        keeper = PlanKeeper(plan)
        isRunning = true
        note(latency)
        return plan
    }

    /// Nothing is rendered any more.
    mutating func end() { isRunning = false }

    /// Frees what is no longer rendered, and follows what has changed.
    ///
    /// - Parameter sampleRate: the present one, in hertz; 0 where none is known.
    mutating func tick(sampleRate: Int, noting latency: borrowing Atomic<Int>) {
        guard isRunning else { return }
        keeper?.collect()
        if sampleRate > 0 && sampleRate != self.sampleRate { follow(sampleRate: sampleRate) }
        if noteLatencies() || graph.isUnsettled { publish(noting: latency) }
    }

    /// From now on changes wait for the end of the batch.
    mutating func beginBatch() { batches += 1 }

    mutating func endBatch(noting latency: borrowing Atomic<Int>) {
        batches -= 1
        if isStale { publish(noting: latency) }
    }

    /// Hands a plan of the present connections over, where one is rendered and no batch is open. Before that it says how late it
    /// will be.
    ///
    /// - Parameter latency: of the longest way from the inputs to the outputs, in frames: written here, and read under no lock.
    mutating func publish(noting latency: borrowing Atomic<Int>) {
        isStale = true
        guard batches == 0 else { return }
        defer { note(latency) }
        guard isRunning else { return }
        isStale = false
        let plan = Cell(graph.plan(isRunning: true, rampFrames: rampFrames))
        keeper?.offer(plan)
    }

    private func note(_ latency: borrowing Atomic<Int>) {
        guard let place = output.core.place else { preconditionFailure("the output is attached in `init`, and stays") }
        latency.store(graph.latencyFrames(of: place.identifier), ordering: .relaxed)
    }

    /// Whether the latency of a node is another than before.
    @discardableResult
    private mutating func noteLatencies() -> Bool {
        var hasChanged = false
        for (identifier, node) in members {
            let driver = node.core.driver
            if graph.setLatency(
                of: identifier, frames: driver.latencyFrames, settlingFrames: driver.settlingFrames)
            {
                hasChanged = true
            }
        }
        return hasChanged
    }

    private var rampFrames: Int { Ramp.frames(milliseconds: rampMilliseconds, sampleRate: sampleRate) }
}
