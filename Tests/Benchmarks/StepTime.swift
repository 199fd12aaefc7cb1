import AudioDSP
import AudioIO
import AudioRealtime
import Synchronization
import Threads

/// How long the audio thread is busy between two nodes of an engine, and between the second and a third: of which the first has a
/// tap, and the second has none.
final class StepTime: @unchecked Sendable {
    // Sendable: the memory never moves. The audio thread alone writes; others read what `count` says is there.
    let first: Processor
    let second: Processor
    let third: Processor
    private let memory = Cell(Times())

    fileprivate struct Times: ~Copyable {
        static var capacity: Int { @_noLocks @_noAllocation get { 1 << 17 } }
        let count = Atomic<Int>(0)
        let tapped = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        let bare = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        var begin: UInt64 = 0
        var middle: UInt64 = 0

        init() {
            tapped.initialize(repeating: 0, count: Self.capacity)
            bare.initialize(repeating: 0, count: Self.capacity)
        }

        deinit {
            tapped.deallocate()
            bare.deallocate()
        }

        @_noLocks @_noAllocation
        mutating func note(_ end: UInt64) {
            let place = count.load(ordering: .relaxed)
            guard place < Self.capacity else { return }
            tapped[place] = UInt32(clamping: middle - begin)
            bare[place] = UInt32(clamping: end - middle)
            count.store(place + 1, ordering: .releasing)
        }
    }

    init() {
        let memory = memory
        first = Processor(StepStart(memory), process: stepStart)
        second = Processor(StepMiddle(memory), process: stepMiddle)
        third = Processor(StepEnd(memory), process: stepEnd)
    }

    /// How many times were noted.
    var count: Int { memory.pointer.pointee.count.load(ordering: .acquiring) }

    /// In nanoseconds, those behind the first so many.
    func tapped(from start: Int) -> [Double] {
        (start..<count).map { Double(memory.pointer.pointee.tapped[$0]) }
    }

    /// Likewise.
    func bare(from start: Int) -> [Double] {
        (start..<count).map { Double(memory.pointer.pointee.bare[$0]) }
    }
}

private struct StepStart: AudioProcessor, ~Copyable {
    private let memory: Cell<StepTime.Times>
    private let times: UnsafeMutablePointer<StepTime.Times>

    init(_ memory: Cell<StepTime.Times>) {
        self.memory = memory
        times = memory.pointer
    }

    mutating func process(_ block: borrowing ProcessorBlock) { times.pointee.begin = MonotonicClock.nanoseconds() }
}

@_noLocks @_noAllocation
private func stepStart(_ call: ProcessorCall) { call.process(StepStart.self) }

private struct StepMiddle: AudioProcessor, ~Copyable {
    private let memory: Cell<StepTime.Times>
    private let times: UnsafeMutablePointer<StepTime.Times>

    init(_ memory: Cell<StepTime.Times>) {
        self.memory = memory
        times = memory.pointer
    }

    mutating func process(_ block: borrowing ProcessorBlock) { times.pointee.middle = MonotonicClock.nanoseconds() }
}

@_noLocks @_noAllocation
private func stepMiddle(_ call: ProcessorCall) { call.process(StepMiddle.self) }

private struct StepEnd: AudioProcessor, ~Copyable {
    private let memory: Cell<StepTime.Times>
    private let times: UnsafeMutablePointer<StepTime.Times>

    init(_ memory: Cell<StepTime.Times>) {
        self.memory = memory
        times = memory.pointer
    }

    mutating func process(_ block: borrowing ProcessorBlock) { times.pointee.note(MonotonicClock.nanoseconds()) }
}

@_noLocks @_noAllocation
private func stepEnd(_ call: ProcessorCall) { call.process(StepEnd.self) }
