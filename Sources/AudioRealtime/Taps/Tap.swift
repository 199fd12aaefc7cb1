import Synchronization

/// What a node renders, copied once by the audio thread however many read it.
///
/// The audio thread writes into a ring. A reader that finds nothing in a queue of its own takes the oldest block from the ring and
/// leaves it in the queues of all: under a lock that the audio thread never meets, and so briefly that nobody minds. So the quickest
/// reader empties the ring for the others, and a slow one loses frames of its own only, where its queue is full.
package final class Tap: Sendable {
    package let channels: Int
    private let state: Mutex<State>
    /// What found no room in a ring. Written by the audio thread alone.
    private let dropped: Cell<Atomic<UInt64>>

    fileprivate struct State: ~Copyable {
        /// The audio thread writes to one after the other, each from some block on, and never to an earlier one again.
        var rings: [TapRing]
        var queues: [TapQueue] = []
        var nextNumber = 0
    }

    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: of the ring, in frames, 1 or more.
    package init(channels: Int, capacity: Int) {
        let dropped = Cell(Atomic<UInt64>(0))
        self.channels = channels
        self.dropped = dropped
        state = Mutex(State(rings: [TapRing(channels: channels, capacity: capacity, dropped: dropped)]))
    }

    /// What the audio thread is to write to from the next plan on. Another one after `reader`, where that asks for a deeper ring.
    package var writer: Cell<TapWriter> { state.withLock { $0.rings[$0.rings.count - 1].writer } }

    /// A reader of what comes from now on.
    ///
    /// - Parameter capacity: how many frames may wait for it, 1 or more.
    package func reader(capacity: Int) -> TapReader {
        let number = state.withLock { state in
            // What was rendered before is for those who were there.
            while state.deliver() {}
            if state.rings.allSatisfy({ $0.capacity < capacity }) {
                state.rings.append(TapRing(channels: channels, capacity: capacity, dropped: dropped))
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.queues.append(TapQueue(number: number, capacity: capacity, droppedBefore: droppedSoFar))
            state.setRoom()
            return number
        }
        return TapReader(self, number: number)
    }

    /// Nothing more comes to a reader; what came before it can still read. Returns whether it was the last one.
    package func close(_ number: Int) -> Bool {
        state.withLock { state in
            while state.deliver() {}
            if let place = state.place(of: number) { state.queues[place].close(droppedSoFar) }
            state.setRoom()
            return state.queues.allSatisfy(\.isClosed)
        }
    }

    /// A reader is gone.
    func forget(_ number: Int) {
        state.withLock { state in
            state.queues.removeAll { $0.number == number }
            state.setRoom()
        }
    }

    /// The oldest block that a reader has not taken.
    func take(_ number: Int) -> TappedBlock? {
        state.withLock { state in
            guard let place = state.place(of: number) else { return nil }
            defer { state.setRoom() }
            while true {
                if let block = state.queues[place].take() { return block }
                guard !state.queues[place].isClosed, state.deliver() else { return nil }
            }
        }
    }

    /// Frames that a reader has missed.
    func droppedFrames(_ number: Int) -> UInt64 {
        state.withLock { state in
            state.place(of: number).map { state.queues[$0].droppedFrames(droppedSoFar) } ?? 0
        }
    }

    private var droppedSoFar: UInt64 {
        // SAFETY: the cell is ours.
        unsafe dropped.pointer.pointee.load(ordering: .relaxed)
    }
}

extension Tap.State {
    fileprivate func place(of number: Int) -> Int? { queues.firstIndex { $0.number == number } }

    /// Takes the oldest block from the rings and leaves it with all readers; returns whether there was one.
    fileprivate mutating func deliver() -> Bool {
        // In this order: where a ring has a block, those before it are complete.
        guard let newest = rings.lastIndex(where: \.hasBlock),
            let oldest = rings[...newest].firstIndex(where: \.hasBlock), let block = rings[oldest].take()
        else { return false }
        rings.removeFirst(oldest)
        for place in queues.indices { queues[place].put(block) }
        return true
    }

    /// Tells the audio thread how much more finds room. A later ring has none until those before it are empty.
    fileprivate func setRoom() {
        let room = queues.compactMap(\.room).min()
        for (place, ring) in rings.enumerated() { ring.setRoom(place == 0 ? room : room.map { _ in 0 }) }
    }
}
