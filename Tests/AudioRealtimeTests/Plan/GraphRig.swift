import AudioDSP
import AudioRealtime

/// A graph whose plans are rendered while it changes.
final class GraphRig {
    var graph = NodeGraph()
    let input: NodeGraph.Identifier
    let output: NodeGraph.Identifier
    private let rampFrames: Int
    private var keeper: PlanKeeper
    private let rig: PlanRig
    private var isRunning = false

    init(channels: Int = 1, rampFrames: Int = 100) {
        input = graph.attach(.input, channels: channels)
        output = graph.attach(.output(channels: channels), channels: channels)
        self.rampFrames = rampFrames
        let first = Cell(graph.plan(isRunning: false, rampFrames: rampFrames))
        keeper = PlanKeeper(first)
        rig = PlanRig(first, inputs: channels)
    }

    func gain(_ gain: Float, channels: Int = 1) -> NodeGraph.Identifier {
        graph.attach(.gain(gain), channels: channels)
    }

    /// How many plans are in use.
    var planCount: Int { keeper.count }
    var stepCount: Int { rig.stepCount }

    /// Publishes what the graph has become.
    func publish() { keeper.offer(Cell(graph.plan(isRunning: isRunning, rampFrames: rampFrames))) }

    /// Does what an engine's worker does from time to time.
    func tidy() {
        keeper.collect()
        if graph.isUnsettled { publish() }
    }

    /// Runs signals through, one for each input, in cycles of 16 frames.
    func run(_ signals: [[Float]]) -> [[Float]] {
        isRunning = true
        let total = signals[0].count
        let cuts = [Int](repeating: 16, count: total / 16) + (total % 16 == 0 ? [] : [total % 16])
        return rig.run(signals, cut: cuts) { _ in self.tidy() }
    }
}
