import AudioDSP
import AudioRealtime
import Synchronization
import TestSupport
import Testing

import func Glibc.pthread_self

@Suite("A processor of the user's own")
struct ProcessorTests {
    /// Between the input and the output.
    private func rig(_ processor: Cell<ProcessorState>, channels: Int = 2) throws -> PlanRig {
        PlanRig(try row([.processor(processor)], channels), inputs: channels)
    }

    private func row(_ bodies: [NodeBody], _ channels: Int) throws -> Plan {
        let nodes = ([.input] + bodies + [.output(channels: channels)]).map { PlanNode($0, channels: channels) }
        return PlanBuilder.plan(row: nodes, rampFrames: 0)
    }

    private func processor<State: AudioProcessor & ~Copyable>(
        _ state: consuming State, _ function: ProcessorFunction
    ) -> Cell<ProcessorState> { Cell(ProcessorState(state, function, sampleRate: 48_000)) }

    private func signals(_ seed: UInt64, channels: Int = 2, count: Int = 1500) -> [[Float]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<channels).map { _ in generator.signal(count: count) }
    }

    @Test("gives the same bits as the gain node, if it is one")
    func isTheGain() throws {
        let input = signals(1)
        let own = try rig(processor(Halving(), halving)).run(input)
        let gain = PlanRig(try row([.gain(0.5)], 2), inputs: 2).run(input)
        #expect(own.map(\.bits) == gain.map(\.bits))
        #expect(own[0].contains { $0 != 0 })
    }

    @Test("gives the same bits however the signal is cut, with what it remembers", arguments: 1...20)
    func blocksMakeNoDifference(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let input = signals(seed)
        let whole = try rig(processor(Wobble(), wobble)).run(input)
        let cut = try rig(processor(Wobble(), wobble)).run(input, cut: generator.split(input[0].count))
        #expect(cut.map(\.bits) == whole.map(\.bits))
    }

    @Test("is told what its block is: channels, sample rate, position, and any number of frames from 1 to 8192")
    func blockIsDescribed() throws {
        let cuts = [1, 8192, 3, 8193, 1]
        let input = [[Float]](repeating: [Float](repeating: 0, count: cuts.reduce(0, +)), count: 3)
        func told(_ subject: Writer.Subject) throws -> [Float] {
            let output = try rig(processor(Writer(value: 0, subject: subject), writer), channels: 3)
                .run(input, cut: cuts)
            #expect(output[0] == output[1] && output[1] == output[2], "all channels are its own")
            return output[2]
        }
        // A longer cycle is rendered in slices.
        let blocks = [1, 8192, 3, 8192, 1, 1]
        #expect(try told(.frames) == blocks.flatMap { [Float](repeating: Float($0), count: $0) })
        var position = 0
        let positions = blocks.flatMap { length in
            defer { position += length }
            return [Float](repeating: Float(position), count: length)
        }
        #expect(try told(.position) == positions)
        #expect(try told(.channels).allSatisfy { $0 == 3 })
        #expect(try told(.sampleRate).allSatisfy { $0 == 48_000 })
    }

    @Test("has two channels' samples at once")
    func spansLieSideBySide() throws {
        let input = signals(2)
        #expect(try rig(processor(Swapping(), swapping)).run(input) == [input[1], input[0]])
    }

    @Test("changes nothing beside its own channels")
    func isConfined() throws {
        // The processor hears a copy, beside which the input goes on.
        let nodes = [
            PlanNode(.input, channels: 2), PlanNode(.output(channels: 2), channels: 2),
            PlanNode(.processor(processor(Writer(value: 100), writer)), channels: 2),
        ]
        let edges = [PlanEdge(from: 0, to: 2), PlanEdge(from: 0, to: 1), PlanEdge(from: 2, to: 1)]
        let rig = PlanRig(try PlanBuilder.plan(nodes, edges, rampFrames: 0), inputs: 2)
        #expect(rig.run([[1, 2], [3, 4]]) == [[101, 102], [103, 104]])
    }

    @Test("plays into an output that nothing else plays into")
    func playsFromSilence() throws {
        let nodes = [
            PlanNode(.output(channels: 2), channels: 2),
            PlanNode(.processor(processor(Writer(value: 0.25), writer)), channels: 2),
        ]
        let plan = try PlanBuilder.plan(nodes, [PlanEdge(from: 1, to: 0)], rampFrames: 0)
        #expect(PlanRig(plan, inputs: 1, outputs: 2).run([[1, 1]]) == [[0.25, 0.25], [0.25, 0.25]])
    }

    @Test("has a state of its own, though another one has the same function")
    func statesAreApart() throws {
        let bodies: [NodeBody] = [
            .processor(processor(Wobble(period: 5), wobble)), .processor(processor(Wobble(period: 9), wobble)),
        ]
        let input = signals(3)
        let both = PlanRig(try row(bodies, 2), inputs: 2).run(input)
        let first = try rig(processor(Wobble(period: 5), wobble)).run(input)
        let second = try rig(processor(Wobble(period: 9), wobble)).run(first)
        #expect(both.map(\.bits) == second.map(\.bits))
    }

    @Test("begins again when a stream begins: state, position and sample rate")
    func resetIsPassedOn() throws {
        let cell = processor(Wobble(), wobble)
        let rig = try rig(cell)
        let input = signals(4)
        let first = rig.run(input)
        #expect(rig.run(input).map(\.bits) != first.map(\.bits), "it goes on where it was")
        cell.pointer.pointee.reset(sampleRate: 48_000)
        #expect(rig.run(input).map(\.bits) == first.map(\.bits))

        let told = processor(Writer(value: 0, subject: .position), writer)
        let other = try self.rig(told)
        _ = other.run([[0, 0], [0, 0]])
        told.pointer.pointee.reset(sampleRate: 96_000)
        #expect(other.run([[0], [0]])[0] == [0])
        let rate = processor(Writer(value: 0, subject: .sampleRate), writer)
        rate.pointer.pointee.reset(sampleRate: 96_000)
        #expect(try self.rig(rate).run([[0], [0]])[0] == [96_000])
    }

    @Test("is told that a stream begins before its first block")
    func beginsWithReset() throws {
        #expect(try rig(processor(Rate(), rate), channels: 1).run([[0, 0]]) == [[48_000, 48_000]])
    }

    @Test("hears of another sample rate while it runs, and goes on where it was")
    func rateChanges() throws {
        let cell = processor(Writer(value: 0, subject: .sampleRate), writer)
        let rig = try rig(cell, channels: 1)
        #expect(rig.run([[0, 0]]) == [[48_000, 48_000]])
        realtime { cell.pointer.pointee.changeRate(to: 44_100) }
        #expect(rig.run([[0]]) == [[44_100]])
    }

    @Test("spoils nobody with NaN or infinity: they are silence, and counted")
    func nonFiniteIsSilence() throws {
        let cell = processor(Reciprocal(), reciprocal)
        // Behind it is a node that remembers what it hears.
        let rig = PlanRig(try row([.processor(cell), .processor(processor(Wobble(), wobble))], 1), inputs: 1)
        var input = [Float](repeating: 4, count: 40)
        for frame in [0, 9, 39] { input[frame] = 0 }
        let output = rig.run([input])[0]
        var expected = [Float](repeating: 0.25, count: 40)
        for frame in [0, 9, 39] { expected[frame] = 0 }
        #expect(output == (try self.rig(processor(Wobble(), wobble), channels: 1).run([expected])[0]))
        #expect(cell.pointer.pointee.nonFinite.load(ordering: .relaxed) == 3)
    }

    @Test("is replaced and removed while it sounds, without a jump beyond the ramp, and each state ends once")
    func isReplaced() throws {
        let rig = GraphRig(rampFrames: 100)
        let silence = [[Float](repeating: 0, count: 800)]
        // Each adds one; so whatever is not a ramp is a jump.
        func attach(_ log: EndLog) throws -> NodeGraph.Identifier {
            let node = rig.graph.attach(.processor(processor(Mortal(log: log), mortal)), channels: 1)
            try rig.graph.connect(node, to: rig.output)
            return node
        }
        let logs = [EndLog(), EndLog()]
        let first = try attach(logs[0])
        rig.publish()
        #expect(rig.run(silence)[0].last == 1)

        let second = try attach(logs[1])
        rig.graph.detach(first)
        rig.publish()
        #expect(rig.run(silence)[0].allSatisfy { abs($0 - 1) < 1e-5 }, "one fades into the other")
        #expect(logs.map { $0.count.load(ordering: .relaxed) } == [1, 0])

        rig.graph.detach(second)
        rig.publish()
        let removed = rig.run(silence)[0]
        for (one, next) in zip(removed, removed.dropFirst()) { #expect(abs(next - one) <= 0.0101) }
        #expect(removed.first == 1 && removed.last == 0)
        #expect(logs.map { $0.count.load(ordering: .relaxed) } == [1, 1])
    }

    @Test("ends once and on the control thread, while the audio thread goes on")
    func endsOnTheControlThread() throws {
        final class Watch: Sendable {
            let cycles = Atomic(0)
            let isOver = Atomic(false)
        }
        let watch = Watch()
        let log = EndLog()
        // Nobody but the keeper has the plan, as in an engine.
        func begin(_ address: inout UInt) throws -> PlanKeeper {
            let plan = Cell(try row([.processor(processor(Mortal(log: log), mortal))], 1))
            address = UInt(bitPattern: plan.pointer)
            return PlanKeeper(plan)
        }
        var address: UInt = 0
        var keeper = try begin(&address)
        let audio = TestThread { [address] in
            guard var plan = UnsafeMutablePointer<Plan>(bitPattern: address) else { return }
            let inputs = PortBuffers(channels: 1)
            let outputs = PortBuffers(channels: 1)
            while !watch.isOver.load(ordering: .relaxed) {
                realtime {
                    plan = plan.pointee.goOn() ?? plan
                    var block = TapBlock(frames: 16)
                    _ = plan.pointee.render(inputs, outputs, from: 0, &block)
                }
                watch.cycles.add(1, ordering: .relaxed)
            }
        }
        func wait(until isDone: () -> Bool) {
            var patience = Patience()
            while !isDone(), patience.wait() {}
        }
        wait { watch.cycles.load(ordering: .relaxed) > 10 }
        #expect(log.count.load(ordering: .relaxed) == 0)
        keeper.offer(Cell(try row([], 1)))
        wait {
            keeper.collect()
            return keeper.count == 1
        }
        let cycles = watch.cycles.load(ordering: .relaxed)
        wait { watch.cycles.load(ordering: .relaxed) > cycles + 10 }
        watch.isOver.store(true, ordering: .relaxed)
        audio.join()
        #expect(log.count.load(ordering: .relaxed) == 1)
        #expect(log.thread.load(ordering: .relaxed) == UInt(pthread_self()))
    }

    /// Runs a block of one channel and eight frames in a process of its own.
    private static func runAlone<State: AudioProcessor & ~Copyable>(
        _ state: consuming State, _ function: ProcessorFunction
    ) throws {
        let tests = ProcessorTests()
        _ = try tests.rig(tests.processor(state, function), channels: 1).run([[0, 0, 0, 0, 0, 0, 0, 0]])
    }

    @Test("may touch the first frame and the last")
    func boundsHold() async {
        await #expect(processExitsWith: .success) {
            try Self.runAlone(Careless(), careless)
            try Self.runAlone(Careless(frame: 7), careless)
            try Self.runAlone(CarelessSpan(frame: 7), carelessSpan)
        }
    }

    @Test("ends the program where it touches a frame or a channel that is not there")
    func boundsAreChecked() async {
        await #expect(processExitsWith: .failure) { try Self.runAlone(Careless(frame: 8), careless) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(Careless(frame: -1), careless) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(Careless(channel: 1), careless) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(Careless(channel: -1), careless) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(CarelessSpan(frame: 8), carelessSpan) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(CarelessSpan(channel: 1), carelessSpan) }
    }

    @Test("is refused if its function asks for a state of another type, or for none")
    func stateMatchesFunction() async {
        await #expect(processExitsWith: .failure) { try Self.runAlone(Halving(), careless) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(Halving(), { _ in }) }
    }

    @Test("is refused if its function is not annotated", .enabled(if: isDebugBuild))
    func annotationIsMissed() async {
        let isChecked = ProcessorContract(of: unannotated).isChecked
        #expect(!isChecked)
        await #expect(processExitsWith: .failure) { try Self.runAlone(Allocating(), unannotated) }
        await #expect(processExitsWith: .failure) { try Self.runAlone(Halving(), { $0.process(Halving.self) }) }
    }

    @Test("is taken if its function is annotated, in any build")
    func annotationIsSeen() {
        for function: ProcessorFunction in [halving, wobble, writer, mortal] {
            #expect(ProcessorContract(of: function).isChecked)
        }
    }

    @Test("that allocates is found by the real-time sanitizer", .enabled(if: RealtimeSanitizer.isLinked))
    func sanitizerSeesInside() async {
        // Outside a region of the test's own: the call of a processor is one.
        await #expect(processExitsWith: .exitCode(43)) {
            let samples = UnsafeMutablePointer<Float>.allocate(capacity: 8)
            samples.initialize(repeating: 0, count: 8)
            let block = Cell(
                ProcessorBlock(Samples(samples, count: 8), stride: 8, channels: 1, sampleRate: 48_000, position: 0))
            let state = Cell(Allocating())
            run(unannotated, state.pointer, block.pointer)
        }
    }
}

private let isDebugBuild: Bool = {
    var isDebug = false
    assert(
        {
            isDebug = true; return true
        }())
    return isDebug
}()
