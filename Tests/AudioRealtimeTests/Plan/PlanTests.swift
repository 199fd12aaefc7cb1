import AudioDSP
import AudioRealtime
import TestSupport
import Testing

@Suite("A plan")
struct PlanTests {
    private func rig(_ graph: RandomGraph, attaching order: [Int]? = nil) throws -> PlanRig {
        let (nodes, edges) = graph.planParts(attaching: order)
        return PlanRig(try PlanBuilder.plan(nodes, edges, rampFrames: 0), inputs: 2)
    }

    private func signals(_ seed: UInt64, count: Int = 1500) -> [[Float]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<2).map { _ in generator.signal(count: count) }
    }

    @Test("renders what a naive walk over the same nodes gives, in double precision", arguments: 1...40)
    func isTheReference(_ seed: UInt64) throws {
        let graph = RandomGraph(seed: seed, loops: Int(seed % 4))
        let input = signals(seed)
        let output = try rig(graph).run(input)
        let expected = graph.reference(input)
        var loudest = 0.0
        for channel in 0..<2 {
            for frame in 0..<input[0].count {
                let error = abs(Double(output[channel][frame]) - expected[channel][frame])
                loudest = max(loudest, abs(expected[channel][frame]))
                try #require(error <= 1e-4 * max(1, loudest), "frame \(frame) of channel \(channel)")
            }
        }
        #expect(loudest > 1e-3, "something is heard")
    }

    @Test("gives the same bits however the signal is cut", arguments: 1...40)
    func blocksMakeNoDifference(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 1000 + seed)
        let graph = RandomGraph(seed: seed, loops: Int(seed % 4))
        let input = signals(seed)
        let whole = try rig(graph).run(input)
        for _ in 0..<3 {
            let cut = try rig(graph).run(input, cut: generator.split(input[0].count))
            #expect(cut.map(\.bits) == whole.map(\.bits))
        }
    }

    @Test("gives the same bits in whatever order its nodes were attached", arguments: 1...40)
    func orderOfAttachingMakesNoDifference(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: 2000 + seed)
        let graph = RandomGraph(seed: seed, loops: Int(seed % 4))
        let input = signals(seed)
        let first = try rig(graph).run(input)
        for _ in 0..<3 {
            let order = graph.kinds.indices.shuffled(using: &generator)
            #expect(try rig(graph, attaching: order).run(input).map(\.bits) == first.map(\.bits))
        }
    }

    @Test("adds up a hundred players into a mixer on no more planes than five of them need")
    func planesAreUsedAgain() throws {
        let gains = (1...100).map { Float($0) / 100 }
        let nodes =
            [PlanNode(.input, channels: 2), PlanNode(.output(channels: 2), channels: 2), PlanNode(.mixer, channels: 2)]
            + gains.map { PlanNode(.gain($0), channels: 2) }
        let edges =
            (3..<103).flatMap { [PlanEdge(from: 0, to: $0), PlanEdge(from: $0, to: 2)] } + [PlanEdge(from: 2, to: 1)]
        let rig = PlanRig(try PlanBuilder.plan(nodes, edges, rampFrames: 0), inputs: 2)
        // The input's, the sum's, and four more to be added to it; and the scratch plane.
        #expect(rig.planeCount <= 2 * 6 + 1)
        let output = rig.run([[1], [-1]])
        #expect(abs(output[0][0] - gains.reduce(0, +)) < 1e-3 && output[1][0] == -output[0][0])
    }

    @Test("copies nothing in a row of nodes, and once where two read and one writes")
    func copiesOnlyWhereItMust() throws {
        let gain = { PlanNode(.gain(0.5), channels: 1) }
        let ends = [PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1)]
        let row = try PlanBuilder.plan(
            ends + [gain(), gain()], [PlanEdge(from: 0, to: 2), PlanEdge(from: 2, to: 3), PlanEdge(from: 3, to: 1)],
            rampFrames: 0)
        #expect(row.stepCount == 3 + 2 && row.planeCount == 1 + 1)
        // The input goes to the output, too, beside a gain.
        let fork = try PlanBuilder.plan(
            ends + [gain()], [PlanEdge(from: 0, to: 2), PlanEdge(from: 2, to: 1), PlanEdge(from: 0, to: 1)],
            rampFrames: 0)
        #expect(fork.stepCount == 4 + 2, "gate, input, copy, gain, add, output")
        #expect(PlanRig(fork, inputs: 1).run([[2]]) == [[3]])
    }

    @Test("is silent where nothing leads to the output, and writes nothing where there is no output")
    func unconnectedIsSilent() throws {
        let nodes = [
            PlanNode(.input, channels: 2), PlanNode(.mixer, channels: 2), PlanNode(.output(channels: 2), channels: 2),
        ]
        let plan = try PlanBuilder.plan(nodes, [PlanEdge(from: 0, to: 1)], rampFrames: 0)
        #expect(PlanRig(plan, inputs: 2).run([[1, 1], [1, 1]]) == [[0, 0], [0, 0]])
        let none = try PlanBuilder.plan([], [], rampFrames: 0)
        #expect(PlanRig(none, inputs: 1).run([[1]]) == [[PortMemory.untouched]])
    }

    @Test("writes to the outputs behind all that reads an input, which may be the same memory")
    func outputIsLast() throws {
        let tap = Tap(channels: 1, capacity: 64)
        var reader = tap.reader(capacity: 64)
        // Nothing connects them, and the output is visited first.
        let nodes = [PlanNode(.output(channels: 1), channels: 1), PlanNode(.input, channels: 1, tap: tap.writer)]
        let plan = Cell(try PlanBuilder.plan(nodes, [], rampFrames: 0))
        let ports = PortMemory(channels: 1, frames: 2)
        let before = ports.signals[0]
        var block = TapBlock(frames: 2)
        realtime { _ = plan.pointer.pointee.render(ports.buffers, ports.buffers, from: 0, &block) }
        var heard: [Float] = []
        let count = reader.read(interleavedInto: &heard, capacity: 64)
        #expect(count == 2 && heard == before)
        #expect(ports.signals == [[0, 0]])
    }

    @Test("is refused for a loop without a delay, whose way the error names")
    func loopIsRefused() throws {
        let nodes = [PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1)]
        let mixers = (0..<3).map { _ in PlanNode(.mixer, channels: 1) }
        let edges = [
            PlanEdge(from: 0, to: 2), PlanEdge(from: 2, to: 3), PlanEdge(from: 3, to: 4), PlanEdge(from: 4, to: 2),
            PlanEdge(from: 4, to: 1),
        ]
        let error = #expect(throws: PlanError.self) { try PlanOrder(nodes + mixers, edges) }
        guard case .loop(let way) = try #require(error) else { return }
        // Wherever it begins: 2 → 3 → 4.
        let start = try #require(way.firstIndex(of: 2))
        #expect(Array(way[start...] + way[..<start]) == [2, 3, 4])
        #expect(throws: PlanError.loop([2])) {
            try PlanOrder(nodes + mixers, [PlanEdge(from: 2, to: 2), PlanEdge(from: 2, to: 1)])
        }
    }

    @Test("hears a delay of one frame in a loop as the frame before, in blocks of any length")
    func shortestLoop() throws {
        // y[n] = x[n] + ½ y[n − 1]
        let nodes = [
            PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1), PlanNode(.mixer, channels: 1),
            PlanNode(.delay(Cell(DelayState(channels: 1, frames: 1, maximumFrames: 10))), channels: 1),
            PlanNode(.gain(0.5), channels: 1),
        ]
        let edges = [
            PlanEdge(from: 0, to: 2), PlanEdge(from: 2, to: 1), PlanEdge(from: 2, to: 3), PlanEdge(from: 3, to: 4),
            PlanEdge(from: 4, to: 2),
        ]
        let rig = PlanRig(try PlanBuilder.plan(nodes, edges, rampFrames: 0), inputs: 1)
        #expect(rig.run([[1, 0, 0, 0, 0]]) == [[1, 0.5, 0.25, 0.125, 0.0625]])
    }

    @Test("aligns ways of different latency, a loop's delay left out")
    func alignment() throws {
        let nodes = [
            PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1),
            PlanNode(.mixer, channels: 1, latencyFrames: 70),
            PlanNode(.mixer, channels: 1, latencyFrames: 5), PlanNode(.mixer, channels: 1),
            PlanNode(.delay(Cell(DelayState(channels: 1, frames: 9, maximumFrames: 9))), channels: 1),
        ]
        let edges = [
            PlanEdge(from: 0, to: 2), PlanEdge(from: 0, to: 3), PlanEdge(from: 0, to: 4), PlanEdge(from: 2, to: 4),
            PlanEdge(from: 3, to: 4), PlanEdge(from: 4, to: 1), PlanEdge(from: 4, to: 5), PlanEdge(from: 5, to: 3),
        ]
        let order = try PlanOrder(nodes, edges)
        #expect(order.alignment(nodes, edges) == [0, 0, 70, 0, 65, 0, 0, 0])
    }
}
