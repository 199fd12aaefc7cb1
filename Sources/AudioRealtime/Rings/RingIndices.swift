import Synchronization

/// A counter on cache lines of its own (two, because processors fetch them in pairs).
struct PaddedCounter: ~Copyable {
    let value = Atomic<Int>(0)
    private let padding = InlineArray<15, Int>(repeating: 0)
}

/// Where a ring's writer and reader are: counts since the beginning, which never wrap in a machine's lifetime.
///
/// One thread writes and one reads. Neither ever waits for the other.
struct RingIndices: ~Copyable {
    let written = PaddedCounter()
    let read = PaddedCounter()
}

/// The writer's side of the counters.
@safe struct WriteIndex: ~Copyable {
    private let shared: UnsafeMutablePointer<RingIndices>
    private let capacity: Int
    /// How many elements were written: the next one's number.
    private(set) var next = 0
    /// The reader's count as last seen. Its cache line is fetched only when the ring seems full.
    private var knownRead = 0

    init(_ shared: UnsafeMutablePointer<RingIndices>, capacity: Int) {
        unsafe self.shared = shared
        self.capacity = capacity
    }

    /// Whether `count` more elements fit.
    @_noLocks @_noAllocation
    mutating func hasRoom(for count: Int) -> Bool {
        if next - knownRead + count <= capacity { return true }
        // SAFETY: the ring's memory outlives both ends. Acquire: the reader is done with what it counted.
        knownRead = unsafe shared.pointee.read.value.load(ordering: .acquiring)
        return next - knownRead + count <= capacity
    }

    /// Hands `count` elements, written at `next` and after, to the reader.
    @_noLocks @_noAllocation
    mutating func publish(_ count: Int) {
        next += count
        // SAFETY: as above. Release: the elements are visible before the count is.
        unsafe shared.pointee.written.value.store(next, ordering: .releasing)
    }
}

/// The reader's side of the counters.
@safe struct ReadIndex: ~Copyable {
    private let shared: UnsafeMutablePointer<RingIndices>
    /// How many elements were read: the next one's number.
    private(set) var next = 0
    private var knownWritten = 0

    init(_ shared: UnsafeMutablePointer<RingIndices>) {
        unsafe self.shared = shared
    }

    /// How many elements can be read; looks at the writer's count only when fewer than `wanted` are known.
    @_noLocks @_noAllocation
    mutating func available(wanting wanted: Int) -> Int {
        if knownWritten - next < wanted {
            // SAFETY: the ring's memory outlives both ends. Acquire: the elements counted are visible.
            knownWritten = unsafe shared.pointee.written.value.load(ordering: .acquiring)
        }
        return knownWritten - next
    }

    /// Gives the place of `count` elements back to the writer.
    @_noLocks @_noAllocation
    mutating func release(_ count: Int) {
        next += count
        // SAFETY: as above. Release: we are done with the elements before the writer may reuse them.
        unsafe shared.pointee.read.value.store(next, ordering: .releasing)
    }
}

/// The number of slots that a ring of this capacity has: the next power of two, so that a count turns into a
/// place by masking.
func slotCount(forCapacity capacity: Int) -> Int {
    var slots = 1
    while slots < capacity { slots *= 2 }
    return slots
}
