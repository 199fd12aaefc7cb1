import CJack
import Jack
import Synchronization

/// Looks at each cycle from a process callback, and can be told to be late.
final class CycleProbe: Sendable {
    private struct Cell: ~Copyable {
        var handle: ClientHandle?
        var input: Port?
        var output: Port?
        let cycles = Atomic<Int>(0)
        let frames = Atomic<Int>(0)
        let stepsNotForward = Atomic<Int>(0)
        let lastTime = Atomic<UInt32>(0)
        let denormalBits = Atomic<UInt32>(0)
        let delayMicroseconds = Atomic<UInt32>(0)
    }

    /// Freed with the probe, which must outlive the client.
    nonisolated(unsafe) private let cell: UnsafeMutablePointer<Cell>

    init() {
        cell = .allocate(capacity: 1)
        cell.initialize(to: Cell())
    }

    deinit {
        cell.deinitialize(count: 1)
        cell.deallocate()
    }

    func attach(to client: borrowing Client) throws(JackError) {
        cell.pointee.handle = client.handle
        try client.setProcess(probe, context: cell)
    }

    var cycles: Int { cell.pointee.cycles.load(ordering: .acquiring) }
    var frames: Int { cell.pointee.frames.load(ordering: .acquiring) }
    var stepsNotForward: Int { cell.pointee.stepsNotForward.load(ordering: .acquiring) }
    var denormalProduct: Float { Float(bitPattern: cell.pointee.denormalBits.load(ordering: .acquiring)) }

    /// The next cycle takes this much longer.
    func delayOnce(microseconds: UInt32) { cell.pointee.delayMicroseconds.store(microseconds, ordering: .releasing) }

    static var denormalProductHere: Float { small(1e-20) * small(1e-20) }

    /// A factor that the optimiser does not know.
    @inline(never) private static func small(_ value: Float) -> Float { value }

    @inline(never) fileprivate static func product() -> Float { small(1e-20) * small(1e-20) }

    fileprivate static func see(_ frames: jack_nframes_t, _ context: UnsafeMutableRawPointer) {
        let cell = context.assumingMemoryBound(to: Cell.self)
        guard let handle = cell.pointee.handle else { return }
        let delay = cell.pointee.delayMicroseconds.exchange(0, ordering: .acquiring)
        if delay > 0 { usleep(delay) }
        let cycle = Cycle(handle, frames: frames)
        let time = cycle.frameTime
        let last = cell.pointee.lastTime.exchange(time, ordering: .relaxed)
        let step = Int32(bitPattern: time &- last)
        if cell.pointee.cycles.load(ordering: .relaxed) > 0 && step <= 0 {
            cell.pointee.stepsNotForward.add(1, ordering: .relaxed)
        }
        cell.pointee.frames.store(cycle.frames, ordering: .relaxed)
        cell.pointee.denormalBits.store(product().bitPattern, ordering: .relaxed)
        cycle.end()
        cell.pointee.cycles.add(1, ordering: .releasing)
    }
}

@c(iounit_test_probe)
private func probe(_ frames: jack_nframes_t, _ context: UnsafeMutableRawPointer?) -> CInt {
    if let context { CycleProbe.see(frames, context) }
    return 0
}
