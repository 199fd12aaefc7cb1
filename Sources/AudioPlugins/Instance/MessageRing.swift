import Synchronization

/// Messages of any length from one thread to another, which allocate nothing: this owns the memory.
@safe final class MessageRing: @unchecked Sendable {
    // Sendable: only the ends touch what is behind the pointers.
    /// Both ends. Valid as long as the ring.
    let messages: Messages

    /// - Parameter capacity: a power of two, in bytes.
    init(capacity: Int) { messages = Messages(capacity: capacity) }

    deinit { messages.free() }
}

/// The ends of a ring of messages: each is a count of bytes, and the bytes. A message that finds no room is refused. Wait-free
/// at both ends.
@safe struct Messages: BitwiseCopyable {
    private let bytes: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private let written: UnsafeMutablePointer<Atomic<Int>>
    private let taken: UnsafeMutablePointer<Atomic<Int>>
    /// Where a message is put together for its reader.
    private let message: UnsafeMutablePointer<UInt8>
    private static var header: Int { @_noLocks @_noAllocation get { 4 } }

    fileprivate init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0)
        self.capacity = capacity
        // Touched now, so that the audio thread meets no page for the first time.
        unsafe bytes = .allocate(capacity: capacity)
        unsafe bytes.initialize(repeating: 0, count: capacity)
        unsafe message = .allocate(capacity: capacity)
        unsafe message.initialize(repeating: 0, count: capacity)
        unsafe written = .allocate(capacity: 1)
        unsafe written.initialize(to: Atomic(0))
        unsafe taken = .allocate(capacity: 1)
        unsafe taken.initialize(to: Atomic(0))
    }

    /// Both ends are gone.
    fileprivate func free() {
        unsafe written.deinitialize(count: 1)
        unsafe written.deallocate()
        unsafe taken.deinitialize(count: 1)
        unsafe taken.deallocate()
        unsafe bytes.deallocate()
        unsafe message.deallocate()
    }

    /// Thread: the writer's, which may be audio.
    @_noLocks @_noAllocation
    func push(_ data: UnsafeRawPointer?, count: Int) -> Bool {
        // SAFETY: here and below, a place is masked, and what lies between the counters is one end's alone.
        let start = unsafe written.pointee.load(ordering: .relaxed)
        let used = unsafe start - taken.pointee.load(ordering: .acquiring)
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
        unsafe written.pointee.store(start + Self.header + count, ordering: .releasing)
        return true
    }

    /// Behind all messages that there are now: a writer may add more as fast as they are taken. Thread: as `pop`.
    var end: Int { @_noLocks @_noAllocation get { unsafe written.pointee.load(ordering: .acquiring) } }

    /// The oldest message before an end, which stays until the next call; `nil` where there is none. Thread: the reader's, which
    /// may be audio.
    @_noLocks @_noAllocation
    func pop(before end: Int) -> UnsafeRawBufferPointer? {
        let start = unsafe taken.pointee.load(ordering: .relaxed)
        guard start < end else { return nil }
        var count = 0
        for index in 0..<Self.header { unsafe count |= Int(bytes[(start + index) & (capacity - 1)]) << (8 * index) }
        let place = (start + Self.header) & (capacity - 1)
        let first = min(count, capacity - place)
        unsafe UnsafeMutableRawPointer(message).copyMemory(from: bytes + place, byteCount: first)
        if count > first {
            unsafe UnsafeMutableRawPointer(message + first).copyMemory(from: bytes, byteCount: count - first)
        }
        unsafe taken.pointee.store(start + Self.header + count, ordering: .releasing)
        return unsafe UnsafeRawBufferPointer(start: message, count: count)
    }
}
