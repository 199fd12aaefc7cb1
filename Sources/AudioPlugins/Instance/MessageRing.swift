import AudioDSP
import Synchronization

/// Messages of any length from one thread to another, which allocate nothing: each is a count of bytes, and the bytes. A message
/// that finds no room is refused. Wait-free at both ends.
@safe struct MessageRing: ~Copyable {
    private let ring: Row<UInt8>
    /// Where a message is put together for its reader.
    private let message: Row<UInt8>
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)
    private static var header: Int { @_noLocks @_noAllocation get { 4 } }

    /// - Parameter capacity: a power of two, in bytes.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0)
        ring = Row(zeros: capacity)
        message = Row(zeros: capacity)
    }

    /// Thread: the writer's, which may be audio.
    @_noLocks @_noAllocation
    func push(_ data: UnsafeRawPointer?, count: Int) -> Bool {
        // SAFETY: here and below, a place is masked, and what lies between the counters is one end's alone.
        let (bytes, capacity) = unsafe (ring.base, ring.count)
        let start = written.load(ordering: .relaxed)
        let used = start - taken.load(ordering: .acquiring)
        guard count >= 0, count <= capacity - Self.header, used + count + Self.header <= capacity else { return false }
        for index in 0..<Self.header {
            unsafe bytes[(start + index) & (capacity - 1)] = UInt8(truncatingIfNeeded: count >> (8 * index))
        }
        if let data = unsafe data, count > 0 {
            let place = (start + Self.header) & (capacity - 1)
            let first = min(count, capacity - place)
            unsafe UnsafeMutableRawPointer(bytes + place).copyMemory(from: data, byteCount: first)
            if count > first {
                unsafe UnsafeMutableRawPointer(bytes).copyMemory(from: data + first, byteCount: count - first)
            }
        }
        written.store(start + Self.header + count, ordering: .releasing)
        return true
    }

    /// Behind all messages that there are now: a writer may add more as fast as they are taken. Thread: as `pop`.
    var end: Int { @_noLocks @_noAllocation get { written.load(ordering: .acquiring) } }

    /// The oldest message before an end, which stays until the next call; `nil` where there is none. Thread: the reader's, which
    /// may be audio.
    @_noLocks @_noAllocation
    func pop(before end: Int) -> UnsafeRawBufferPointer? {
        let start = taken.load(ordering: .relaxed)
        guard start < end else { return nil }
        let (bytes, capacity) = unsafe (ring.base, ring.count)
        let message = unsafe message.base
        var count = 0
        for index in 0..<Self.header { unsafe count |= Int(bytes[(start + index) & (capacity - 1)]) << (8 * index) }
        let place = (start + Self.header) & (capacity - 1)
        let first = min(count, capacity - place)
        unsafe UnsafeMutableRawPointer(message).copyMemory(from: bytes + place, byteCount: first)
        if count > first {
            unsafe UnsafeMutableRawPointer(message + first).copyMemory(from: bytes, byteCount: count - first)
        }
        taken.store(start + Self.header + count, ordering: .releasing)
        return unsafe UnsafeRawBufferPointer(start: message, count: count)
    }
}
