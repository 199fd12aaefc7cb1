import Synchronization

/// The control ports of a plug-in on their way from and to the audio thread: this owns the memory.
@safe final class PluginControls: @unchecked Sendable {
    // Sendable: the addresses never change, and the values behind them are atomic.
    /// For all threads. Valid as long as this object.
    let values: ControlValues

    /// - Parameter ports: in the order of their index.
    init(_ ports: [PluginPort]) {
        values = ControlValues(
            ports.map { port in
                switch port.purpose {
                case .enabled: 1
                case .latency, .freeWheeling: 0
                case .sideChain, nil: port.isInput ? port.initialNumber : 0
                }
            })
    }

    deinit { values.free() }
}

/// One atomic number for each port of a plug-in.
@safe struct ControlValues: BitwiseCopyable, @unchecked Sendable {
    // Sendable: the addresses never change, and the values behind them are atomic.
    let count: Int
    private let numbers: UnsafeMutablePointer<Atomic<UInt32>>
    /// Grows with each change, so that the audio thread need not look at every port. It lies behind the numbers.
    private var changes: UnsafeMutablePointer<Atomic<UInt32>> {
        @_noLocks @_noAllocation get { unsafe numbers + count }
    }

    fileprivate init(_ numbers: [Float]) {
        count = numbers.count
        unsafe self.numbers = .allocate(capacity: count + 1)
        for (place, number) in (numbers + [0]).enumerated() {
            unsafe (self.numbers + place).initialize(to: Atomic(number.bitPattern))
        }
    }

    /// Nobody has them any more.
    fileprivate func free() {
        unsafe numbers.deinitialize(count: count + 1)
        unsafe numbers.deallocate()
    }

    /// What the port has. Thread: any. Wait-free.
    subscript(place: Int) -> Float {
        @_noLocks @_noAllocation get {
            precondition(place >= 0 && place < count)
            // SAFETY: checked on the line above; so below.
            return unsafe Float(bitPattern: numbers[place].load(ordering: .relaxed))
        }
    }

    /// Thread: any but audio.
    func set(_ place: Int, to number: Float) {
        publish(place, number)
        unsafe changes.pointee.add(1, ordering: .releasing)
    }

    /// For what nobody has to be told of: a meter. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func publish(_ place: Int, _ number: Float) {
        precondition(place >= 0 && place < count)
        unsafe numbers[place].store(number.bitPattern, ordering: .relaxed)
    }

    /// What the port has, which has another number from here on: of several that were set, the last one. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    func take(_ place: Int, leaving number: Float) -> Float {
        precondition(place >= 0 && place < count)
        return unsafe Float(bitPattern: numbers[place].exchange(number.bitPattern, ordering: .relaxed))
    }

    /// Thread: any. Wait-free.
    var changeCount: UInt32 { @_noLocks @_noAllocation get { unsafe changes.pointee.load(ordering: .acquiring) } }
}
