import AudioDSP

/// A ring of values between two threads: what one end pushes, the other pops, in order.
///
/// Lock-free and wait-free: neither end waits, spins or allocates. When the ring is full, `push` says so and
/// nothing changes. Ownership is the thread rule: each end can be in one place only.
@frozen package struct Ring<Element: BitwiseCopyable>: ~Copyable {
    package var producer: Producer<Element>
    package var consumer: Consumer<Element>

    /// - Parameter capacity: how many elements fit, 1 or more.
    package init(capacity: Int) {
        precondition(capacity >= 1)
        let memory = RingMemory<Element>(capacity: capacity)
        producer = Producer(memory, capacity: capacity)
        consumer = Consumer(memory)
    }
}

/// The memory of a ring. Each end keeps it; the audio thread never touches the reference.
@safe final class RingMemory<Element: BitwiseCopyable>: @unchecked Sendable {
    // Sendable: only addresses are read from it, and they never change.
    let indices = Cell(RingIndices())
    let slots: Row<Element>

    init(capacity: Int) { slots = Row(zeros: slotCount(forCapacity: capacity)) }
}

/// The end of a ring that is written to, by one thread at a time.
@safe package struct Producer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it writes, and only where atomic indices keep the reader
    // out.
    private let memory: RingMemory<Element>
    private let slots: UnsafeMutablePointer<Element>
    private let mask: Int
    private var index: WriteIndex

    fileprivate init(_ memory: RingMemory<Element>, capacity: Int) {
        self.memory = memory
        unsafe slots = memory.slots.base
        mask = memory.slots.count - 1
        index = unsafe WriteIndex(memory.indices.pointer, capacity: capacity)
    }

    /// Whether `count` more values fit; as many as the capacity do only when the ring is empty. Wait-free.
    mutating func hasRoom(for count: Int) -> Bool { fits(count) }

    /// Appends a value. Returns `false`, having done nothing, when the ring is full. Wait-free.
    package mutating func push(_ element: Element) -> Bool { put(element) }

    @inline(__always)
    fileprivate mutating func fits(_ count: Int) -> Bool { index.hasRoom(for: count) }

    @inline(__always)
    fileprivate mutating func put(_ element: Element) -> Bool {
        guard index.hasRoom(for: 1) else { return false }
        // SAFETY: the mask keeps the place within the slots, and the reader is not there (`hasRoom`).
        unsafe slots[index.next & mask] = element
        index.publish(1)
        return true
    }
}

/// The end of a ring that is read from, by one thread at a time.
@safe package struct Consumer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable: it cannot be copied, so that only the thread that holds it reads, and only what atomic indices say is written.
    private let memory: RingMemory<Element>
    private let slots: UnsafeMutablePointer<Element>
    private let mask: Int
    private var index: ReadIndex

    fileprivate init(_ memory: RingMemory<Element>) {
        self.memory = memory
        unsafe slots = memory.slots.base
        mask = memory.slots.count - 1
        index = unsafe ReadIndex(memory.indices.pointer)
    }

    /// How many can be popped; looks again only when fewer than `wanted` are known. Wait-free.
    mutating func available(wanting wanted: Int) -> Int { count(wanting: wanted) }

    /// Takes the oldest value, or `nil` when there is none. Wait-free.
    package mutating func pop() -> Element? { take() }

    @inline(__always)
    fileprivate mutating func count(wanting wanted: Int) -> Int { index.available(wanting: wanted) }

    @inline(__always)
    fileprivate mutating func take() -> Element? {
        guard index.available(wanting: 1) > 0 else { return nil }
        // SAFETY: the mask keeps the place within the slots, and the writer is not there (`available`).
        let element = unsafe slots[index.next & mask]
        index.release(1)
        return element
    }
}

// What the audio thread calls, at the types that it has: a copy that the compiler checks is made in this file alone, where others
// are compiled one by one.

extension Producer where Element == CycleRecord {
    @inline(__always) @_noLocks @_noAllocation
    mutating func push(_ record: CycleRecord) -> Bool { put(record) }
}

extension Producer where Element == QueuedBuffer {
    @_noLocks @_noAllocation
    mutating func push(_ buffer: QueuedBuffer) -> Bool { put(buffer) }
}

extension Consumer where Element == QueuedBuffer {
    @_noLocks @_noAllocation
    mutating func pop() -> QueuedBuffer? { take() }

    @_noLocks @_noAllocation
    mutating func available(wanting wanted: Int) -> Int { count(wanting: wanted) }
}

extension Consumer where Element == PlayerOrder {
    @_noLocks @_noAllocation
    mutating func pop() -> PlayerOrder? { take() }
}

extension Producer where Element == ReceiverReading {
    @_noLocks @_noAllocation
    mutating func push(_ reading: ReceiverReading) -> Bool { put(reading) }
}

extension Producer where Element == TapBlock {
    @_noLocks @_noAllocation
    mutating func push(_ block: TapBlock) -> Bool { put(block) }

    @_noLocks @_noAllocation
    mutating func hasRoom(for count: Int) -> Bool { fits(count) }
}

extension Producer where Element == MIDIMessage {
    @_noLocks @_noAllocation
    mutating func push(_ message: MIDIMessage) -> Bool { put(message) }
}

extension Consumer where Element == MIDIMessage {
    @_noLocks @_noAllocation
    package mutating func pop() -> MIDIMessage? { take() }
}
