/// One value at a fixed address, shared by the audio thread and others.
///
/// The object owns the memory; the audio thread reaches the value through `pointer` and so touches no reference
/// count. The code that hands the pointer out keeps the cell until the audio thread has ended.
@safe package final class Cell<Value: ~Copyable>: @unchecked Sendable {
    // Sendable: it has only a pointer, which never changes. The value behind it can be reached only in code marked `unsafe`, and
    // that code touches only atomics, or what belongs to its own thread at that time.
    package let pointer: UnsafeMutablePointer<Value>

    package init(_ value: consuming Value) {
        // What is longer than a cache line begins with one, so that a value's first fields lie in the same.
        let size = MemoryLayout<Value>.size
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: size, alignment: size < 64 ? MemoryLayout<Value>.alignment : 64)
        unsafe pointer = memory.bindMemory(to: Value.self, capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        // SAFETY: initialised above, and nobody else frees it.
        unsafe pointer.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(pointer).deallocate()
    }
}
