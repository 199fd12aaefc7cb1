import TestSupport

@testable import AudioRealtime
@testable import AudioStreaming

/// What the callbacks of a server at 48 kHz play of a stream that is received, on one channel.
struct ReceiverCallback: ~Copyable {
    private let exchange = Cell(ReceiverExchange())
    private let plan: Cell<Plan>
    private let inputs = PortBuffers(channels: 1)
    private let outputs = PortBuffers(channels: 0)

    init() {
        let state = Cell(ReceiverState(exchange, sampleRate: 48000))
        plan = Cell(
            PlanBuilder.plan(
                row: [PlanNode(.receiver(state), channels: 1), PlanNode(.output(channels: 1), channels: 1)],
                rampFrames: 0))
        plan.pointer.pointee.changeRate(to: 48000)
    }

    /// From the next block on it plays what a stream has; `nil` for nothing, which must be the end.
    func play(_ stream: ReceivedStream?) { exchange.pointer.pointee.offer(stream?.line?.cell) }

    func render(_ frames: Int, from position: Int, at entryNanoseconds: UInt64) {
        var block = TapBlock(run: TapRun(sampleRate: 48000))
        (block.position, block.frames, block.entryNanoseconds) = (UInt64(position), UInt32(frames), entryNanoseconds)
        _ = plan.pointer.pointee.render(inputs, outputs, from: 0, &block)
    }
}
