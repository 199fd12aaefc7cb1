import AudioDSP
import AudioRealtime
import Glibc
import TestSupport
import Testing

@Suite("A graph of nodes")
struct NodeGraphTests {
    private func constant(_ value: Float = 1, count: Int) -> [[Float]] { [[Float](repeating: value, count: count)] }

    @Test("sounds at once where it is connected before it runs")
    func connectedBeforeTheStart() throws {
        let rig = GraphRig()
        try rig.graph.connect(rig.input, to: rig.output)
        rig.publish()
        #expect(rig.run(constant(count: 100)) == constant(count: 100))
        #expect(rig.stepCount == 3, "gate, input, output: what is connected as it is takes no step")
    }

    @Test("fades a connection in over a ramp, and out again, frame for frame")
    func connectionsFade() throws {
        let rig = GraphRig(rampFrames: 100)
        #expect(rig.run(constant(count: 32)) == constant(0, count: 32))
        try rig.graph.connect(rig.input, to: rig.output)
        rig.publish()
        let up = rig.run(constant(count: 160))[0]
        for frame in 0..<160 { #expect(abs(up[frame] - min(1, Float(frame) / 100)) < 1e-6) }
        rig.graph.disconnect(rig.input, from: rig.output)
        rig.publish()
        let down = rig.run(constant(count: 160))[0]
        for frame in 0..<160 { #expect(abs(down[frame] - max(0, 1 - Float(frame) / 100)) < 1e-6) }
    }

    @Test("keeps a sound as loud as it was while a node is put into its way")
    func insertion() throws {
        let rig = GraphRig(rampFrames: 100)
        try rig.graph.connect(rig.input, to: rig.output)
        rig.publish()
        _ = rig.run(constant(count: 16))
        let gain = rig.gain(1)
        try rig.graph.connect(rig.input, to: gain)
        try rig.graph.connect(gain, to: rig.output)
        rig.graph.disconnect(rig.input, from: rig.output)
        rig.publish()
        let output = rig.run(constant(count: 400))[0]
        #expect(output.allSatisfy { abs($0 - 1) < 1e-6 })
        #expect(rig.stepCount == 4 && rig.planCount == 1, "nothing is left of the way that was")
    }

    /// A way that sounds, and a delay that takes its place. What settles is its memory: 50 frames of silence.
    private func settling() throws -> (rig: GraphRig, delay: NodeGraph.Identifier) {
        let rig = GraphRig(rampFrames: 10)
        try rig.graph.connect(rig.input, to: rig.output)
        rig.publish()
        _ = rig.run(constant(count: 16))
        let delay = rig.graph.attach(
            .delay(Cell(DelayState(channels: 1, frames: 50, maximumFrames: 50))), channels: 1, settlingFrames: 50)
        try rig.graph.connect(rig.input, to: delay)
        try rig.graph.connect(delay, to: rig.output)
        rig.graph.disconnect(rig.input, from: rig.output)
        rig.publish()
        return (rig, delay)
    }

    @Test("lets what a new node renders settle before it is heard, and what it replaces sound until then")
    func newNodesSettle() throws {
        let (rig, _) = try settling()
        #expect(rig.run(constant(count: 200))[0].allSatisfy { abs($0 - 1) < 1e-6 })
    }

    @Test("lets a new node settle though its gain is changed meanwhile")
    func changeWhileItSettles() throws {
        let (rig, delay) = try settling()
        _ = rig.run(constant(count: 16))
        try rig.graph.connect(delay, to: rig.output, gains: Gains(0.5, 0.5))
        rig.publish()
        // From 1 to ½ in 10 frames, which are steps of a twentieth. Heard earlier, the delay's first sound would be one of ½.
        let output = rig.run(constant(count: 200))[0]
        #expect(output.largestStep < 0.051 && abs(output[199] - 0.5) < 1e-6)
    }

    @Test("aligns parallel ways, also when a latency changes while it runs")
    func alignment() throws {
        let rig = GraphRig(rampFrames: 10)
        // A node that is late by its stated latency.
        let delay = Cell(DelayState(channels: 1, frames: 30, maximumFrames: 100))
        let late = rig.graph.attach(.delay(delay), channels: 1, latencyFrames: 30, settlingFrames: 30)
        let minus = rig.gain(-1)
        try rig.graph.connect(rig.input, to: late)
        try rig.graph.connect(rig.input, to: minus)
        try rig.graph.connect(late, to: rig.output)
        try rig.graph.connect(minus, to: rig.output)
        rig.publish()
        var generator = SeededGenerator(seed: 77)
        #expect(rig.run([generator.signal(count: 500)])[0].allSatisfy { $0 == 0 }, "the one takes the other away")
        delay.pointer.pointee.move(to: 70)
        rig.graph.setLatency(of: late, frames: 70, settlingFrames: 70)
        rig.publish()
        _ = rig.run([generator.signal(count: 320)])
        #expect(rig.run([generator.signal(count: 500)])[0].allSatisfy { $0 == 0 }, "and does so again")
    }

    @Test("takes a node away with its connections, which fade first")
    func detaching() throws {
        let rig = GraphRig(rampFrames: 100)
        let gain = rig.gain(1)
        try rig.graph.connect(rig.input, to: gain)
        try rig.graph.connect(gain, to: rig.output)
        rig.publish()
        _ = rig.run(constant(count: 16))
        rig.graph.detach(gain)
        rig.graph.detach(gain)
        #expect(!rig.graph.isAttached(gain) && !rig.graph.isConnected(gain, to: rig.output))
        rig.publish()
        let output = rig.run(constant(count: 300))[0]
        #expect(output.largestStep <= 0.011 * 2 && output[0] == 1 && output[299] == 0)
    }

    @Test("turns the direction of a connection round: the new one waits until the old one has faded")
    func turningRound() throws {
        let rig = GraphRig(rampFrames: 50)
        let (one, other) = (rig.gain(1), rig.gain(1))
        for node in [one, other] { try rig.graph.connect(node, to: rig.output) }
        try rig.graph.connect(rig.input, to: one)
        try rig.graph.connect(one, to: other)
        rig.publish()
        _ = rig.run(constant(count: 16))
        rig.graph.disconnect(one, from: other)
        try rig.graph.connect(other, to: one)
        rig.publish()
        _ = rig.run(constant(count: 320))
        rig.graph.disconnect(rig.input, from: one)
        try rig.graph.connect(rig.input, to: other)
        rig.publish()
        _ = rig.run(constant(count: 320))
        #expect(rig.run(constant(count: 16)) == constant(2, count: 16))
    }

    @Test("refuses a loop without a delay, and is what it was")
    func loopIsRefused() throws {
        let rig = GraphRig()
        let (one, other) = (rig.gain(1), rig.gain(1))
        try rig.graph.connect(rig.input, to: one)
        try rig.graph.connect(one, to: other)
        try rig.graph.connect(other, to: rig.output)
        #expect(throws: NodeGraphError.loop([one, other])) { try rig.graph.connect(other, to: one) }
        #expect(throws: NodeGraphError.loop([one])) { try rig.graph.connect(one, to: one) }
        #expect(!rig.graph.isConnected(other, to: one))
        rig.publish()
        #expect(rig.run(constant(count: 16)) == constant(count: 16))
    }

    @Test("makes no click in a thousand changes while a sine runs, and arrives at what it is to be", arguments: 1...4)
    func thousandChanges(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rig = GraphRig(rampFrames: 240)
        var nodes: [NodeGraph.Identifier] = []
        // 1000 frames are a whole number of turns.
        let turn = 2 * Double.pi * 0.02
        var frame = 0
        func sine(_ count: Int) -> [[Float]] {
            defer { frame += count }
            return [(frame..<frame + count).map { 0.1 * Float(sin(turn * Double($0))) }]
        }
        var output: [Float] = []
        for _ in 0..<1000 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0 where nodes.count < 8: nodes.append(rig.gain(Float.random(in: -1...1, using: &generator)))
            case 1 where nodes.count > 3:
                rig.graph.detach(nodes.remove(at: Int.random(in: 0..<nodes.count, using: &generator)))
            case 2, 3:
                guard let source = ([rig.input] + nodes).randomElement(using: &generator),
                    let target = ([rig.output] + nodes).randomElement(using: &generator)
                else { break }
                rig.graph.disconnect(source, from: target)
            default:
                guard let source = ([rig.input] + nodes).randomElement(using: &generator),
                    let target = ([rig.output] + nodes).randomElement(using: &generator)
                else { break }
                let gain = Float.random(in: -0.3...0.3, using: &generator)
                // A loop is refused.
                try? rig.graph.connect(source, to: target, gains: Gains(gain, gain))
            }
            rig.publish()
            output += rig.run(sine(16 * Int.random(in: 1...30, using: &generator)))[0]
            #expect(rig.planCount <= 2, "what was replaced has come back")
        }
        // A filter with zeros at DC and on the sine takes the sine away, and leaves what is short.
        let cosine = 2 * Float(cos(turn))
        let rest = (2..<output.count).map { abs(output[$0] - cosine * output[$0 - 1] + output[$0 - 2]) }
        let loudest = output.map(abs).max() ?? 0
        #expect(loudest > 0.02, "something was heard")
        // A jump by a hundredth of the loudest sound would leave as much. The corners of straight ramps leave less: the
        // steepest moves by 1/240 of what it carries in a frame, and turns the sine's slope by an eighth of that.
        #expect((rest.max() ?? 1) < loudest / 100, "\(rest.max() ?? 1) of \(loudest)")

        // Once all has settled it sounds like the same graph that was never changed.
        _ = rig.run(sine(1600))
        let settled = rig.run(sine(1000))[0]
        rig.publish()
        let untouched = PlanRig(rig.graph.plan(isRunning: false, rampFrames: 0), inputs: 1)
        frame -= 1000
        let expected = untouched.run(sine(1000))[0]
        #expect(zip(settled, expected).allSatisfy { abs($0 - $1) < 1e-6 })
    }
}
