import Synchronization

/// What a node renders, copied once by the audio thread however many read it.
///
/// The audio thread writes into a ring. A reader that finds nothing in a queue of its own takes the oldest block from the ring and
/// leaves it in the queues of all: under a lock that the audio thread never meets, and so briefly that nobody minds. So the quickest
/// reader empties the ring for the others, and a slow one loses frames of its own only, where its queue is full.
package final class Tap: Sendable {
    package let channels: Int
    private let state: Mutex<State>
    private let account: Cell<TapAccount>

    fileprivate struct State: ~Copyable {
        /// The audio thread writes to one after the other, each from some block on, and never to an earlier one again.
        var rings: [TapRing]
        var queues: [TapQueue] = []
        var nextNumber = 0
        /// From the rings.
        var takenFrames = 0
    }

    /// - Parameters:
    ///   - channels: 1 or more.
    ///   - capacity: of the ring, in frames, 1 or more.
    package init(channels: Int, capacity: Int) {
        let account = Cell(TapAccount())
        self.channels = channels
        self.account = account
        state = Mutex(State(rings: [TapRing(channels: channels, capacity: capacity, account)]))
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
                state.rings.append(TapRing(channels: channels, capacity: capacity, account))
            }
            let number = state.nextNumber
            state.nextNumber += 1
            state.queues.append(TapQueue(number: number, capacity: capacity, droppedBefore: droppedSoFar))
            setRoom(&state)
            return number
        }
        return TapReader(self, number: number)
    }

    /// Nothing more comes to a reader; what came before it can still read. Returns whether it was the last one.
    package func close(_ number: Int) -> Bool {
        state.withLock { state in
            while state.deliver() {}
            if let place = state.place(of: number) { state.queues[place].close(droppedSoFar) }
            setRoom(&state)
            return state.queues.allSatisfy(\.isClosed)
        }
    }

    /// A reader is gone.
    func forget(_ number: Int) {
        state.withLock { state in
            state.queues.removeAll { $0.number == number }
            setRoom(&state)
        }
    }

    /// The oldest block that a reader has not taken.
    func take(_ number: Int) -> TappedBlock? {
        state.withLock { state in
            guard let place = state.place(of: number) else { return nil }
            defer { setRoom(&state) }
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
        // SAFETY: here and below, the cell is ours, and what is touched atomic.
        unsafe account.pointer.pointee.dropped.load(ordering: .relaxed)
    }

    /// Tells the audio thread for how many frames all readers have room, whichever ring they go to.
    private func setRoom(_ state: inout State) {
        let room = state.queues.compactMap(\.room).min()
        let limit = room.map { state.takenFrames + $0 } ?? TapAccount.unlimited
        // Release: what found no room before does now.
        unsafe account.pointer.pointee.limit.store(limit, ordering: .releasing)
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
        takenFrames += Int(block.block.frames)
        for place in queues.indices { queues[place].put(block) }
        return true
    }
}
