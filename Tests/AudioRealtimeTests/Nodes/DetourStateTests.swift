import AudioDSP
import AudioRealtime
import TestSupport
import Testing

/// A detour behind a queue. The audio thread, the queue's worker and the detour's are all the test.
private final class QueuedDetourRig {
    private static let pieceFrames = 480

    let report = Cell(DetourReport())
    private let queue: Cell<QueueUnit>
    private let worker: Cell<QueueWorker>
    private let unit: Cell<RenderUnit>
    private let plan: Cell<Plan>
    private var near: TapReader
    private var back: FrameProducer
    private var block: [Float] = []
    private var signal: [Float] = []
    private var returned = 0
    private var frameTime: UInt32 = 0

    /// - Parameter loopFrames: of a delay in a loop, which cuts each buffer.
    init(_ geometry: QueueGeometry, loopFrames: Int) throws {
        let tap = Tap(channels: 1, capacity: 1 << 16)
        let ring = FrameRing(channels: 1, capacity: 1 << 16)
        near = tap.reader(capacity: 1 << 16)
        back = ring.producer
        let detour = DetourState(tap.writer, ring.consumer, report, sampleRate: 48_000)
        let delay = DelayState(channels: 1, frames: loopFrames, maximumFrames: loopFrames)
        let nodes = [
            PlanNode(.input, channels: 1), PlanNode(.output(channels: 1), channels: 1), PlanNode(.mixer, channels: 1),
            PlanNode(.delay(Cell(delay)), channels: 1), PlanNode(.gain(0.5), channels: 1),
            PlanNode(.detour(Cell(detour)), channels: 1),
        ]
        let edges = [(0, 2), (2, 3), (3, 4), (4, 2), (2, 5), (5, 1)].map { PlanEdge(from: $0.0, to: $0.1) }
        plan = Cell(try PlanBuilder.plan(nodes, edges, rampFrames: 0))
        let ends = Queue(
            geometry, format: .float, renderer: RenderUnit(.none, keeping: [plan], inputs: 1, outputs: 1),
            meters: Meters(channels: 1), state: Cell(QueueState()), process: nil)
        queue = Cell(ends.unit)
        worker = Cell(ends.worker)
        unit = Cell(RenderUnit(.queue(queue.pointer), keeping: [queue]))
        worker.pointer.pointee.reset(plan.pointer, rampMilliseconds: 0, run: TapRun(sampleRate: 48_000))
    }

    /// A cycle, whose buffers the queue's worker renders one after the other. The detour's has returned by then the whole pieces
    /// of all that came before; on a freewheeling server it does when it is waited for, and not before.
    func cycle(_ frames: Int, isFreewheeling: Bool = false) {
        if !isFreewheeling { returnPieces() }
        unit.pointer.pointee.render(
            frames: frames, frameTime: frameTime, entryNanoseconds: 0, isFreewheeling: isFreewheeling)
        unit.pointer.pointee.finish(exitNanoseconds: 0)
        frameTime &+= UInt32(frames)
        while worker.pointer.pointee.workOnNext(now: { 0 }, pause: returnPieces) {}
    }

    /// - Returns: whether there were any.
    @discardableResult private func returnPieces() -> Bool {
        while near.readBlock(interleavedInto: &block) != nil { signal += block }
        let count = signal.count / Self.pieceFrames * Self.pieceFrames - returned
        if count > 0 {
            var piece = Array(signal[returned..<returned + count])
            back.copyFinite(from: &piece, count: count, channel: 0)
            back.publish(count)
            returned += count
        }
        return count > 0
    }
}

@Suite("A detour")
struct DetourStateTests {
    @Test(arguments: [
        (256, 128, 480), (1024, 128, 1024), (1024, 480, 1440), (2048, 480, 2400), (2048, 1024, 2048),
        (1024, 1024, 1024),
        (256, 1000, 1000),
    ])
    func `behind a queue waits for all buffers of a cycle, and no longer`(
        periodFrames: Int, bufferFrames: Int, burstFrames: Int
    ) throws {
        let least = QueueGeometry(bufferFrames: bufferFrames, bufferCount: 2).leastCount(periodFrames: periodFrames)
        let rig = try QueuedDetourRig(
            QueueGeometry(bufferFrames: bufferFrames, bufferCount: least), loopFrames: 100)
        for _ in 0..<200 { rig.cycle(periodFrames) }
        #expect(rig.report.pointer.pointee.underrunFrames.load(ordering: .relaxed) == 0)
        #expect(rig.report.pointer.pointee.waitFrames.load(ordering: .relaxed) == 480 + max(480, burstFrames) + 5)
    }

    @Test func `behind a queue is waited for where the server freewheels`() throws {
        let rig = try QueuedDetourRig(QueueGeometry(bufferFrames: 480, bufferCount: 4), loopFrames: 100)
        for _ in 0..<200 { rig.cycle(1024, isFreewheeling: true) }
        #expect(rig.report.pointer.pointee.underrunFrames.load(ordering: .relaxed) == 0)
    }
}
