import AudioDSP
import AudioRealtime
import TestSupport
import Testing

/// A receiver whose audio thread and worker are both the test.
private final class ReceiverRig {
    private let plan: Cell<Plan>
    private let inputs = PortBuffers(channels: 1)
    let exchange = Cell(ReceiverExchange())
    private var ends: [End] = []
    private var position: UInt64 = 0
    /// When the next block begins, on the monotonic clock.
    var entryNanoseconds: UInt64 = 0
    /// Of the next block.
    var cycle = TapCycle()

    /// A feed, and the worker's ends of it.
    private final class End {
        let cell: Cell<ReceiverFeed>
        var frames: FrameProducer
        var readings: Consumer<ReceiverReading>

        init(first: Int, from place: Int, at start: UInt64, step: Double, sampleRate: Int) {
            let ring = FrameRing(channels: 1, capacity: 4096)
            let readings = Ring<ReceiverReading>(capacity: 16)
            cell = Cell(
                ReceiverFeed(
                    ring.consumer, readings: readings.producer, step: step, first: first, from: place, at: start,
                    sampleRate: sampleRate))
            frames = ring.producer
            self.readings = readings.consumer
        }
    }

    init() {
        let state = Cell(ReceiverState(exchange, sampleRate: 48000))
        let nodes = [PlanNode(.receiver(state), channels: 1), PlanNode(.output(channels: 1), channels: 1)]
        plan = Cell(PlanBuilder.plan(row: nodes, rampFrames: 0))
        plan.pointer.pointee.changeRate(to: 48000)
    }

    func offer(first: Int = 0, from place: Int, at start: UInt64 = 0, step: Double = 1, sampleRate: Int = 48000) {
        let end = End(first: first, from: place, at: start, step: step, sampleRate: sampleRate)
        ends.append(end)
        exchange.pointer.pointee.offer(end.cell)
    }

    func deliver(_ signal: [Float]) {
        var signal = signal
        signal.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            ends.last?.frames.write(Samples(base, count: buffer.count), channel: 0)
        }
        ends.last?.frames.publish(signal.count)
    }

    func jump(by frames: Int) { ends.last?.cell.pointer.pointee.jump(by: frames) }
    func setStep(_ step: Double) { ends.last?.cell.pointer.pointee.setStep(step) }
    var isTaken: Bool { exchange.pointer.pointee.isTaken }
    func reading() -> ReceiverReading? { ends.last?.readings.pop() }

    func render(_ count: Int) -> [Float] {
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        block.position = position
        block.entryNanoseconds = entryNanoseconds
        block.cycle = cycle
        block.frames = UInt32(count)
        let outputs = PortMemory(channels: 1, frames: count)
        realtime { _ = plan.pointer.pointee.render(inputs, outputs.buffers, from: 0, &block) }
        position += UInt64(count)
        return outputs.signals[0]
    }
}

@Suite("A receiver on the audio thread") struct ReceiverStateTests {
    /// Slow enough that the filter leaves it as it is.
    private func ramp(_ range: Range<Int>) -> [Float] { range.map { Float($0) / 10000 } }

    @Test func `without a feed, and with one of another rate, it is silent`() {
        let rig = ReceiverRig()
        #expect(rig.render(64).allSatisfy { $0 == 0 })
        rig.offer(from: 0, sampleRate: 44100)
        rig.deliver(ramp(1..<1000))
        #expect(rig.render(64).allSatisfy { $0 == 0 } && rig.reading() == nil)
    }

    @Test func `the place moves on until the first block, and the exchange tells how long blocks are`() {
        let rig = ReceiverRig()
        #expect(rig.exchange.pointer.pointee.period == nil)
        rig.entryNanoseconds = 5_000_000_000
        rig.offer(from: 100, at: 4_900_000_000, step: 0.5)
        rig.deliver(ramp(0..<4000))
        _ = rig.render(64)
        #expect(rig.reading()?.streamFrame == 100 + 0.1 * 24000)
        rig.entryNanoseconds = 6_000_000_000
        _ = rig.render(64)
        #expect(rig.reading()?.streamFrame == 100 + 0.1 * 24000 + 32)
        #expect(rig.exchange.pointer.pointee.period == 64)
    }

    @Test func `a cycle that is rendered in parts is told once, with its whole length`() {
        let rig = ReceiverRig()
        rig.offer(from: 0)
        rig.deliver(ramp(0..<1000))
        rig.cycle.burstFrames = 64
        for entry in [1_000_000, 2_000_000] as [UInt64] {
            rig.cycle.entryNanoseconds = entry
            _ = rig.render(48)
            _ = rig.render(16)
        }
        let (first, second) = (rig.reading(), rig.reading())
        #expect(first?.frames == 64 && first?.streamFrame == 0)
        #expect(second?.frames == 64 && second?.streamFrame == 64)
        #expect(rig.reading() == nil && rig.exchange.pointer.pointee.period == 64)
    }

    /// As after a long gap, when the clocks are known.
    @Test func `a stream that is by its clock a little faster than the fastest is read like that`() {
        let rig = ReceiverRig()
        rig.offer(from: 0, step: 8.004)
        rig.deliver(ramp(0..<4000))
        _ = rig.render(64)
        _ = rig.render(64)
        #expect(rig.reading()?.streamFrame == 0 && rig.reading()?.streamFrame == 8 * 64)
    }

    @Test func `the place that it says is the one that is heard`() {
        let rig = ReceiverRig()
        rig.offer(from: 100, step: 1)
        rig.deliver(ramp(0..<3000))
        rig.setStep(1.25)
        for _ in 0..<10 {
            let heard = rig.render(100)
            guard let reading = rig.reading() else { return #expect(Bool(false)) }
            guard reading.streamFrame > 200 else { continue }
            for (index, value) in heard.enumerated() {
                let place = reading.streamFrame + 1.25 * Double(index)
                #expect(abs(Double(value) - place / 10000) < 1e-4)
            }
        }
    }

    @Test func `before the first frame it waits in silence, and what is late is passed over`() {
        let rig = ReceiverRig()
        rig.offer(first: 0, from: -200)
        #expect(rig.render(100).allSatisfy { $0 == 0 })
        #expect(rig.reading()?.underrunFrames == 0)
        rig.deliver(ramp(0..<50))
        _ = rig.render(200)
        _ = rig.render(100)
        _ = rig.reading()
        _ = rig.reading()
        // Up to frame 199 + 33 all was to be there, and 50 were.
        rig.deliver(ramp(50..<2000))
        let heard = rig.render(200)
        #expect(rig.reading()?.underrunFrames == 200 + 33 - 50)
        #expect(rig.reading() == nil)
        // It goes on at the place where it would be, as if nothing had happened.
        let late = heard[120]
        #expect(abs(late - Float(200 + 120) / 10000) < 1e-4, "\(late)")
    }

    @Test func `jumps are taken once, in full, and counted`() {
        let rig = ReceiverRig()
        rig.offer(from: 0)
        rig.deliver(ramp(0..<3000))
        _ = rig.render(100)
        _ = rig.reading()
        rig.jump(by: 500)
        rig.jump(by: -100)
        _ = rig.render(100)
        guard let reading = rig.reading() else { return #expect(Bool(false)) }
        #expect(reading.streamFrame == 500 && reading.jumps == 2)
        _ = rig.render(100)
        #expect(rig.reading()?.streamFrame == 600)
    }

    @Test func `another feed takes over at a block`() {
        let rig = ReceiverRig()
        rig.offer(from: 0)
        rig.deliver(ramp(0..<1000))
        _ = rig.render(100)
        #expect(rig.isTaken)
        rig.offer(first: 700, from: 700)
        #expect(!rig.isTaken)
        rig.deliver([Float](repeating: 0.5, count: 1000))
        let heard = rig.render(200)
        #expect(rig.isTaken && abs(heard[150] - 0.5) < 1e-4)
    }
}
