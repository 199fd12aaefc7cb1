import AudioDSP
import AudioRealtime
import TestSupport

/// A queue whose audio thread, worker and clocks are all the test. Every cycle runs inside the real-time sanitizer's
/// region.
final class QueueRig {
    let geometry: QueueGeometry
    let state = Cell(QueueState())
    let shaper: ShaperPlan
    private let queue: Cell<QueueUnit>
    let unit: Cell<RenderUnit>
    private let worker: Cell<QueueWorker>
    private var cycles: Consumer<CycleRecord>
    private var buffers: Consumer<CycleRecord>
    private let memory: UnsafeMutablePointer<Float>
    private let channels: Int
    private let longest: Int
    var nanoseconds: UInt64 = 5_000_000_000
    var frameTime: UInt32 = .max - 100
    /// The server's, in hertz; 0 where nobody asks.
    var sampleRate: UInt32 = 0
    /// Buffers handed to the worker in the last cycle.
    private(set) var handed = 0

    init(
        frames: Int, count: Int, channels: Int = 1, format: QueueFormat = .float, longest: Int = 10_000,
        parameters: ShaperSetting = .bypassed, recordCapacity: Int = 4096, process: QueueWorker.Process? = nil
    ) {
        geometry = QueueGeometry(bufferFrames: frames, bufferCount: count)
        self.channels = channels
        self.longest = longest
        shaper = ShaperPlan(channels: channels, parameters: parameters)
        let cycleRing = Ring<CycleRecord>(capacity: recordCapacity)
        let bufferRing = Ring<CycleRecord>(capacity: recordCapacity)
        let ends = Queue(
            geometry, format: format,
            renderer: process == nil
                ? shaper.makeRenderer(records: bufferRing.producer)
                : RenderUnit(.none, inputs: channels, outputs: channels, records: bufferRing.producer),
            meters: shaper.meters, state: state, process: process)
        queue = Cell(ends.unit)
        worker = Cell(ends.worker)
        unit = Cell(
            RenderUnit(
                .queue(queue.pointer), keeping: [queue], inputs: channels, outputs: channels,
                records: cycleRing.producer))
        cycles = cycleRing.consumer
        buffers = bufferRing.consumer
        memory = .allocate(capacity: 2 * channels * longest)
        memory.initialize(repeating: 777, count: 2 * channels * longest)
    }

    deinit { memory.deallocate() }

    var meters: Meters { shaper.meters }
    func send(_ command: Command) { shaper.send(command) }
    func flush() { state.pointer.pointee.flushes.add(1, ordering: .releasing) }
    func drain() { state.pointer.pointee.isDraining.store(true, ordering: .releasing) }
    var isDrained: Bool { state.pointer.pointee.isDrained.load(ordering: .acquiring) }
    var dropped: Int { Int(state.pointer.pointee.droppedFrames.load(ordering: .relaxed)) }
    var inserted: Int { Int(state.pointer.pointee.insertedFrames.load(ordering: .relaxed)) }
    var awaitsWorker: Bool { realtime { !unit.pointer.pointee.isReady(for: 0) } }

    func reset(parameters: ShaperSetting = .bypassed) {
        queue.pointer.pointee.reset()
        shaper.reset(parameters, rampFrames: 0, sampleRate: 48_000)
        worker.pointer.pointee.reset(shaper.plan, rampMilliseconds: 0, run: TapRun(sampleRate: 48_000))
    }

    /// The audio thread's part of a cycle on these inputs, one signal for each channel. The worker does nothing yet.
    func cycle(_ signals: [[Float]], isFreewheeling: Bool = false) -> [[Float]] {
        let frames = signals[0].count
        precondition(frames <= longest)
        for (channel, signal) in signals.enumerated() {
            (memory + channel * longest).update(from: signal, count: frames)
        }
        let outputs = memory + channels * longest
        let (entry, time, rate) = (nanoseconds, frameTime, sampleRate)
        let (channels, longest, memory) = (channels, longest, memory)
        handed = realtime {
            for channel in 0..<channels {
                unit.pointer.pointee.inputs.set(channel, to: memory + channel * longest)
                unit.pointer.pointee.outputs.set(channel, to: outputs + channel * longest)
            }
            let wakes = unit.pointer.pointee.render(
                frames: frames, frameTime: time, entryNanoseconds: entry, sampleRate: rate,
                isFreewheeling: isFreewheeling)
            unit.pointer.pointee.finish(exitNanoseconds: entry + 1000)
            return wakes
        }
        nanoseconds += 1_000_000
        frameTime &+= UInt32(frames)
        return (0..<channels).map { Array(UnsafeBufferPointer(start: outputs + $0 * longest, count: frames)) }
    }

    /// The worker works on at most `limit` buffers; returns how many there were.
    @discardableResult
    func work(atMost limit: Int = .max) -> Int {
        var done = 0
        while done < limit, worker.pointer.pointee.workOnNext(now: { nanoseconds }) { done += 1 }
        return done
    }

    func takeCycles() -> [CycleRecord] { cycles.popAll() }
    func takeBuffers() -> [CycleRecord] { buffers.popAll() }
}

extension Consumer where Element == CycleRecord {
    fileprivate mutating func popAll() -> [CycleRecord] {
        var taken: [CycleRecord] = []
        while let record = pop() { taken.append(record) }
        return taken
    }
}

extension ShaperSetting {
    static var bypassed: ShaperSetting {
        var parameters = ShaperSetting.cubic
        parameters.isBypassed = true
        return parameters
    }
}
