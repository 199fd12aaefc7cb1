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

    private struct Offered { weak var plan: Cell<Plan>? }
    private var offered: [Offered] = []

    /// How many of the plans that were published are there yet.
    var planCount: Int { offered.count { $0.plan != nil } }
    var stepCount: Int { rig.stepCount }

    /// Publishes what the graph has become.
    func publish() {
        let plan = Cell(graph.plan(isRunning: isRunning, rampFrames: rampFrames))
        offered.removeAll { $0.plan == nil }
        offered.append(Offered(plan: plan))
        keeper.offer(plan)
    }

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
