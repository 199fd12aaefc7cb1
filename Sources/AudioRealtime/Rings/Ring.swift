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

    // Generic and inlined: the compiler checks a copy in each annotated caller that names the element's type.

    /// Whether `count` more values fit; as many as the capacity do only when the ring is empty.
    @inline(__always)
    mutating func hasRoom(for count: Int) -> Bool { index.hasRoom(for: count) }

    /// Appends a value. Returns `false`, having done nothing, when the ring is full.
    @inline(__always)
    package mutating func push(_ element: Element) -> Bool {
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

    // Generic and inlined, as above.

    /// How many can be popped; looks again only when fewer than `wanted` are known.
    @inline(__always)
    mutating func available(wanting wanted: Int) -> Int { index.available(wanting: wanted) }

    /// Takes the oldest value, or `nil` when there is none.
    @inline(__always)
    package mutating func pop() -> Element? {
        guard index.available(wanting: 1) > 0 else { return nil }
        // SAFETY: the mask keeps the place within the slots, and the writer is not there (`available`).
        let element = unsafe slots[index.next & mask]
        index.release(1)
        return element
    }
}

extension Consumer where Element == MIDIMessage {
    /// As `pop`, for annotated callers in other modules. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func popRealtime() -> MIDIMessage? { pop() }
}
