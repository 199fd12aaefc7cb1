import AudioRealtime
import Synchronization

extension PlayerSchedule {
    /// The audio thread's side, as long as the player is attached.
    struct Side: ~Copyable {
        var orders: Producer<PlayerOrder>
        let counters: Cell<PlayerCounters>
        let keeper: PlayerKeeper
        let channels: Int

        mutating func push(_ order: PlayerOrder) -> Bool { orders.push(order) }

        // SAFETY: the cell keeps the counters.
        var position: UInt64 { unsafe counters.pointer.pointee.position.load(ordering: .relaxed) }

        /// `nil` where the audio thread wants nothing.
        var wantedTransportFrame: Int? {
            let frame = unsafe counters.pointer.pointee.wantedTransportFrame.load(ordering: .acquiring)
            return frame < 0 ? nil : frame
        }

        func noteHorizon(_ frame: UInt64) {
            unsafe counters.pointer.pointee.horizon.store(frame, ordering: .releasing)
        }

        func abandon() { unsafe counters.pointer.pointee.isAbandoned.store(true, ordering: .relaxed) }
    }
}

/// Keeps what the audio thread may look at, however long the control side lives.
final class PlayerKeeper: Sendable {
    private let things = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    func keep(_ thing: any AnyObject & Sendable) { things.withLock { $0[ObjectIdentifier(thing)] = thing } }
    func release(_ thing: any AnyObject & Sendable) { things.withLock { $0[ObjectIdentifier(thing)] = nil } }
}
