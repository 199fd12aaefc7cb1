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

    /// Which of the three nodes.
    fileprivate enum Place {
        case begin
        case middle
        case end
    }

    fileprivate struct Times: ~Copyable {
        static var capacity: Int { @_noLocks @_noAllocation get { 1 << 17 } }
        let count = Atomic<Int>(0)
        let tapped = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        let bare = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        private var begin: UInt64 = 0
        private var middle: UInt64 = 0

        init() {
            tapped.initialize(repeating: 0, count: Self.capacity)
            bare.initialize(repeating: 0, count: Self.capacity)
        }

        deinit {
            tapped.deallocate()
            bare.deallocate()
        }

        @_noLocks @_noAllocation
        mutating func note(_ time: UInt64, _ place: Place) {
            switch place {
            case .begin: begin = time
            case .middle: middle = time
            case .end:
                let number = count.load(ordering: .relaxed)
                guard number < Self.capacity else { return }
                tapped[number] = UInt32(clamping: middle - begin)
                bare[number] = UInt32(clamping: time - middle)
                count.store(number + 1, ordering: .releasing)
            }
        }
    }

    init() {
        let memory = memory
        first = Processor(Stamp(memory, .begin), process: stamp)
        second = Processor(Stamp(memory, .middle), process: stamp)
        third = Processor(Stamp(memory, .end), process: stamp)
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

private struct Stamp: AudioProcessor, ~Copyable {
    private let memory: Cell<StepTime.Times>
    private let times: UnsafeMutablePointer<StepTime.Times>
    private let place: StepTime.Place

    init(_ memory: Cell<StepTime.Times>, _ place: StepTime.Place) {
        self.memory = memory
        self.place = place
        times = memory.pointer
    }

    mutating func process(_ block: borrowing ProcessorBlock) {
        times.pointee.note(MonotonicClock.nanoseconds(), place)
    }
}

@_noLocks @_noAllocation
private func stamp(_ call: ProcessorCall) { call.process(Stamp.self) }
