import AudioDSP
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
    package func take(_ number: Int) -> TappedBlock? {
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
    package func droppedFrames(_ number: Int) -> UInt64 {
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

/// The audio thread's end of a tap: copies what a node renders, or what goes to the outputs, into a ring, with a description
/// of each block in a second ring. All or nothing for each block (a period, or 8192 frames of a longer one): a block that finds
/// no room in either ring is dropped whole and counted.
@safe package struct TapWriter: ~Copyable {
    private var producer: FrameProducer
    private var blocks: Producer<TapBlock>
    private let cell: Cell<TapAccount>
    private let account: UnsafeMutablePointer<TapAccount>

    init(_ producer: consuming FrameProducer, _ blocks: consuming Producer<TapBlock>, _ account: Cell<TapAccount>) {
        self.producer = producer
        self.blocks = blocks
        cell = account
        unsafe self.account = account.pointer
    }

    /// Whether every reader has room for a period of this length, which comes in so many blocks, and the ring too. Thread: audio.
    /// Wait-free.
    @_noLocks @_noAllocation
    package mutating func hasRoom(for frames: Int, blocks count: Int) -> Bool {
        // SAFETY: here and below, the cell is kept.
        let limit = unsafe account.pointee.limit.load(ordering: .acquiring)
        guard limit != TapAccount.unlimited else { return true }
        let written = unsafe Int(account.pointee.written.load(ordering: .relaxed))
        return written + frames <= limit && producer.hasRoom(for: frames) && blocks.hasRoom(for: count)
    }

    /// Takes a block of at least one frame over, or drops it; returns whether it found room. Thread: audio. Wait-free.
    @discardableResult @_noLocks @_noAllocation
    package mutating func write(
        _ block: borrowing TapBlock, _ planes: borrowing Planes, _ bundle: Bundle
    ) -> Bool {
        let frames = Int(block.frames)
        guard producer.hasRoom(for: frames) && blocks.hasRoom(for: 1) else {
            unsafe account.pointee.dropped.count(UInt64(frames))
            return false
        }
        for channel in 0..<bundle.channels {
            producer.write(planes.run(bundle, channel, count: frames), channel: channel)
        }
        // In this order: who sees a description finds the frames.
        producer.publish(frames)
        unsafe account.pointee.written.count(UInt64(frames))
        return blocks.push(copy block)
    }
}

/// What the rings of one tap have in common, whichever of them the audio thread writes to.
struct TapAccount: ~Copyable {
    /// Frames that found no room in a ring. Written by the audio thread.
    let dropped = Atomic<UInt64>(0)
    /// Frames that were written. The audio thread alone reads and writes it. Atomic because a plain field would make each change
    /// an access to the whole structure, beside the other threads' loads.
    fileprivate let written = Atomic<UInt64>(0)
    /// How many may be, for the readers to have room for each of them. Written by those.
    let limit = Atomic<Int>(TapAccount.unlimited)

    /// As a limit: nobody reads.
    static var unlimited: Int { @_noLocks @_noAllocation get { .max } }
}

/// What the audio thread writes a tap's blocks into, and the end from which they are taken. Guarded by the tap's lock, but for
/// the writer.
private final class TapRing {
    let writer: Cell<TapWriter>
    let capacity: Int
    private var frames: FrameConsumer
    private var blocks: Consumer<TapBlock>

    /// Blocks of this length and more leave room for their descriptions as long as they find room themselves.
    private static let shortestBlockFrames = 16
    /// So many blocks find room for their descriptions in any tap: one of JACK's longest periods in the shortest blocks, those of a
    /// loop whose delay is one frame. And no more in the largest: these take some 20 MB. Of 16 frames they are a minute and a half at
    /// 48 kHz, of 256 more than any tap holds.
    private static let blocks = Plan.maximumFrames...1 << 18

    init(channels: Int, capacity: Int, _ account: Cell<TapAccount>) {
        let frames = FrameRing(channels: channels, capacity: capacity)
        let most = capacity / Self.shortestBlockFrames
        let blocks = Ring<TapBlock>(capacity: max(Self.blocks.lowerBound, min(most, Self.blocks.upperBound)))
        self.capacity = capacity
        writer = Cell(TapWriter(frames.producer, blocks.producer, account))
        self.frames = frames.consumer
        self.blocks = blocks.consumer
    }

    var hasBlock: Bool { blocks.available(wanting: 1) > 0 }

    /// Takes the oldest block; `nil` where there is none.
    func take() -> TappedBlock? {
        guard let block = blocks.pop() else { return nil }
        // The description says that the frames are there: their own count is not looked at, which the audio thread then has
        // for itself.
        let count = Int(block.frames)
        let length = count * frames.channels
        let samples = unsafe [Float](unsafeUninitializedCapacity: length) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            // SAFETY: the buffer holds `length` samples, each of which is written.
            frames.read(interleavedInto: unsafe Samples(base, count: length))
            initialized = length
        }
        frames.release(count)
        return TappedBlock(block: block, samples: samples)
    }
}

/// What waits for one of the readers of a tap. Guarded by the tap's lock.
private struct TapQueue {
    let number: Int
    /// In frames.
    let capacity: Int
    /// Whether it gets no more.
    private(set) var isClosed = false
    private var blocks: [TappedBlock?] = []
    /// The oldest that was not taken.
    private var first = 0
    private var waitingFrames = 0
    /// Frames that found no room here.
    private var dropped: UInt64 = 0
    /// What the audio thread had dropped when this reader joined; and when it left.
    private let droppedBefore: UInt64
    private var droppedAtEnd: UInt64?

    init(number: Int, capacity: Int, droppedBefore: UInt64) {
        self.number = number
        self.capacity = capacity
        self.droppedBefore = droppedBefore
    }

    /// For how many frames there is room; `nil` where none are wanted.
    var room: Int? { isClosed ? nil : capacity - waitingFrames }

    /// Frames that this reader has missed.
    ///
    /// - Parameter droppedNow: what the audio thread has dropped so far, for all readers.
    func droppedFrames(_ droppedNow: UInt64) -> UInt64 { dropped + (droppedAtEnd ?? droppedNow) - droppedBefore }

    mutating func close(_ droppedNow: UInt64) {
        guard !isClosed else { return }
        isClosed = true
        droppedAtEnd = droppedNow
    }

    /// Keeps a block, or drops it whole.
    mutating func put(_ block: TappedBlock) {
        guard let room else { return }
        let frames = Int(block.block.frames)
        guard frames <= room else {
            dropped += UInt64(frames)
            return
        }
        blocks.append(block)
        waitingFrames += frames
    }

    mutating func take() -> TappedBlock? {
        guard first < blocks.count, let block = blocks[first] else { return nil }
        blocks[first] = nil
        first += 1
        waitingFrames -= Int(block.block.frames)
        // Not each time: what is behind has to move.
        if first > blocks.count / 2 {
            blocks.removeFirst(first)
            first = 0
        }
        return block
    }
}
