import AudioDSP
import AudioRealtime
import Synchronization

/// Hands longer histories of a plug-in's input to the audio thread, and takes the shorter ones back: a bypass needs as much history
/// as the plug-in is late.
@safe final class DryExchange: Sendable {
    private let cell = Cell(Slots())
    var slots: UnsafeMutablePointer<Slots> { unsafe cell.pointer }
    private let channels: Int
    /// Of a history only the capacity is read here, which never changes; the rest is the audio thread's until it gives the history
    /// back.
    private let kept: Mutex<[Cell<History>]>

    @safe struct Slots: ~Copyable {
        /// A longer one; `nil` where there is none.
        let next = unsafe Atomic<UnsafeMutablePointer<History>?>(nil)
        /// One that is used no more.
        let last = unsafe Atomic<UnsafeMutablePointer<History>?>(nil)
    }

    /// - Parameter latencyFrames: how late the plug-in is; `nil` where nothing has to be remembered.
    init(channels: Int, latencyFrames: Int?) {
        self.channels = channels
        let capacity = latencyFrames.map(Self.capacity) ?? 1
        kept = Mutex([Cell(History(channels: channels, capacity: capacity))])
    }

    /// Twice the latency, so that one that grows bit by bit needs few of them; and what needs no more memory than a shorter one.
    private static func capacity(latencyFrames: Int) -> Int {
        min(max(2 * latencyFrames, Plan.maximumFrames), InstanceSide.longestLatency)
    }

    /// The longest, which the audio thread begins with or gets next.
    var newest: UnsafeMutablePointer<History> {
        unsafe kept.withLock { kept in
            guard let newest = unsafe kept.last?.pointer else { preconditionFailure("there is always one") }
            return unsafe newest
        }
    }

    /// Hands a longer one over, where a plug-in is later than the longest remembers; frees those that are used no more. Thread: any
    /// but audio.
    func reach(latencyFrames: Int) {
        let done = kept.withLock { kept in
            var done = unsafe [Self.remove(slots.pointee.last.exchange(nil, ordering: .acquiring), from: &kept)]
            guard let longest = unsafe kept.last?.pointer.pointee.capacity, longest > 1, longest < latencyFrames else {
                return done
            }
            let longer = Cell(History(channels: channels, capacity: Self.capacity(latencyFrames: latencyFrames)))
            kept.append(longer)
            // One that was not taken yet gives way.
            let unused = unsafe slots.pointee.next.exchange(longer.pointer, ordering: .acquiringAndReleasing)
            unsafe done.append(Self.remove(unused, from: &kept))
            return done
        }
        // Freed here, and not under the lock.
        _ = done
    }

    private static func remove(
        _ history: UnsafeMutablePointer<History>?, from kept: inout [Cell<History>]
    ) -> Cell<History>? {
        kept.firstIndex { unsafe $0.pointer == history }.map { kept.remove(at: $0) }
    }
}

/// The input of a plug-in, as far back as the plug-in is late. All calls are the audio thread's, and wait-free.
@safe struct DryMemory: ~Copyable {
    private let exchange: DryExchange
    private let slots: UnsafeMutablePointer<DryExchange.Slots>
    private var present: UnsafeMutablePointer<History>
    /// Written beside the present one until it can take its place, and how many frames it has.
    private var longer: UnsafeMutablePointer<History>?
    private var filled = 0

    init(_ exchange: DryExchange) {
        self.exchange = exchange
        unsafe slots = exchange.slots
        unsafe present = exchange.newest
        unsafe longer = nil
    }

    @_noLocks @_noAllocation
    mutating func write(_ source: Samples, channel: Int) {
        // SAFETY: here and below, the exchange keeps what it hands out until it is given back.
        unsafe present.pointee.write(source, channel: channel)
        unsafe longer?.pointee.write(source, channel: channel)
    }

    /// What a channel was so many frames ago; of less, where the memory does not reach so far yet.
    @_noLocks @_noAllocation
    func read(into target: Samples, channel: Int, delay: Int) {
        unsafe present.pointee.read(into: target, channel: channel, delay: min(delay, present.pointee.capacity))
    }

    /// Ends a block of a plug-in that is so late.
    @_noLocks @_noAllocation
    mutating func advance(by frames: Int, latencyFrames: Int) {
        unsafe present.pointee.advance(by: frames)
        if let longer = unsafe longer {
            unsafe longer.pointee.advance(by: frames)
            filled += frames
            let wanted = unsafe max(present.pointee.capacity, min(latencyFrames, longer.pointee.capacity))
            guard filled >= wanted, unsafe slots.pointee.last.load(ordering: .relaxed) == nil else { return }
            unsafe slots.pointee.last.store(present, ordering: .releasing)
            unsafe present = unsafe longer
            unsafe self.longer = nil
        } else if unsafe slots.pointee.next.load(ordering: .relaxed) != nil {
            unsafe longer = unsafe slots.pointee.next.exchange(nil, ordering: .acquiring)
            filled = 0
        }
    }

    /// Between two blocks.
    @_noLocks @_noAllocation
    mutating func clear() {
        unsafe present.pointee.clear()
        unsafe longer?.pointee.clear()
        filled = 0
    }
}
