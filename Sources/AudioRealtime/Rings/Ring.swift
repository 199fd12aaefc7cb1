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
    let indices: UnsafeMutablePointer<RingIndices>
    let slots: UnsafeMutablePointer<Element>
    let mask: Int

    init(capacity: Int) {
        let count = slotCount(forCapacity: capacity)
        mask = count - 1
        unsafe indices = .allocate(capacity: 1)
        unsafe indices.initialize(to: RingIndices())
        unsafe slots = .allocate(capacity: count)
        // Touch every page now, so that the audio thread meets none for the first time.
        unsafe UnsafeMutableRawPointer(slots).initializeMemory(
            as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }

    deinit {
        // SAFETY: both ends are gone; elements are bitwise copyable and need no destruction.
        unsafe indices.deinitialize(count: 1)
        unsafe indices.deallocate()
        unsafe slots.deallocate()
    }
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
        unsafe slots = memory.slots
        mask = memory.mask
        index = unsafe WriteIndex(memory.indices, capacity: capacity)
    }

    // Generic, here and below, so that each annotated caller in this module gets a copy that the compiler checks.

    /// Appends a value. Returns `false`, having done nothing, when the ring is full. Thread: the writer's. Wait-free.
    @inline(__always)
    package mutating func push(_ element: Element) -> Bool {
        guard index.hasRoom(for: 1) else { return false }
        // SAFETY: the mask keeps the place within the slots, and the reader is not there (`hasRoom`).
        unsafe slots[index.next & mask] = element
        index.publish(1)
        return true
    }

    /// Whether `count` more values fit; as many as the capacity do only when the ring is empty. Thread: the writer's. Wait-free.
    @inline(__always)
    mutating func hasRoom(for count: Int) -> Bool { index.hasRoom(for: count) }
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
        unsafe slots = memory.slots
        mask = memory.mask
        index = unsafe ReadIndex(memory.indices)
    }

    /// Takes the oldest value, or `nil` when there is none. Thread: the reader's. Wait-free.
    @inline(__always)
    package mutating func pop() -> Element? {
        guard index.available(wanting: 1) > 0 else { return nil }
        // SAFETY: the mask keeps the place within the slots, and the writer is not there (`available`).
        let element = unsafe slots[index.next & mask]
        index.release(1)
        return element
    }

    /// How many can be popped; looks again only when fewer than `wanted` are known. Thread: the reader's. Wait-free.
    @inline(__always)
    mutating func available(wanting wanted: Int) -> Int { index.available(wanting: wanted) }
}

extension Consumer where Element == MIDIMessage {
    /// As `pop`, for the audio thread's code in other modules. Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package mutating func popRealtime() -> MIDIMessage? { pop() }
}
