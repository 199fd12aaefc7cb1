import AudioRealtime

extension PlayerSchedule {
    /// The audio thread's side, as long as the player is attached.
    struct Side: ~Copyable {
        var orders: Producer<PlayerOrder>
        let counters: Cell<PlayerCounters>
        let keeper: PlayerKeeper
        let channels: Int
    }
}

extension PlayerSchedule.Side {
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
