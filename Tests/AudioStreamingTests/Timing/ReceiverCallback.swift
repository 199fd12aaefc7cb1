import TestSupport

@testable import AudioRealtime
@testable import AudioStreaming

/// What the callbacks of a server at 48 kHz play of a stream that is received, on one channel.
struct ReceiverCallback: ~Copyable {
    private let exchange: Cell<ReceiverExchange>
    private let plan: Cell<Plan>
    private let inputs = PortBuffers(channels: 1)
    private let outputs = PortBuffers(channels: 1)
    private let heard = Planes(channels: 1, capacity: Self.mostFrames)

    /// Of one block.
    private static let mostFrames = 4096

    init(_ exchange: Cell<ReceiverExchange> = Cell(ReceiverExchange())) {
        self.exchange = exchange
        let state = Cell(ReceiverState(exchange, sampleRate: 48000))
        plan = Cell(
            PlanBuilder.plan(
                row: [PlanNode(.receiver(state), channels: 1), PlanNode(.output(channels: 1), channels: 1)],
                rampFrames: 0))
        plan.pointer.pointee.changeRate(to: 48000)
        outputs.set(0, to: heard.run(0, count: Self.mostFrames).baseAddress)
    }

    /// From the next block on it plays what a stream has; `nil` for nothing, which must be the end.
    func play(_ stream: ReceivedStream?) { exchange.pointer.pointee.offer(stream?.line?.cell) }

    /// Renders a block; returns what is heard.
    @discardableResult
    func render(_ frames: Int, from position: Int, at entryNanoseconds: UInt64) -> [Float] {
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        (block.position, block.frames, block.entryNanoseconds) = (UInt64(position), UInt32(frames), entryNanoseconds)
        _ = plan.pointer.pointee.render(inputs, outputs, from: 0, &block)
        let samples = heard.run(0, count: frames)
        return (0..<frames).map { samples[$0] }
    }
}
