/// Values in a row at a fixed address, in memory that is allocated once and freed with this. Who reads or writes them stays
/// below `count`.
@safe @frozen @usableFromInline package struct Row<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline package let base: UnsafeMutablePointer<Element>
    @usableFromInline package let count: Int

    /// All bits zero: where that is no value, it is written before it is read.
    package init(zeros count: Int) {
        self.init(count: count)
        // Touches every page now, so that the audio thread meets none for the first time.
        unsafe UnsafeMutableRawPointer(base).initializeMemory(
            as: UInt8.self, repeating: 0, count: count * MemoryLayout<Element>.stride)
    }

    package init(_ elements: [Element]) {
        self.init(count: elements.count)
        _ = unsafe UnsafeMutableBufferPointer(start: base, count: count).initialize(from: elements)
    }

    private init(count: Int) {
        let size = count * MemoryLayout<Element>.stride
        // On as few cache lines as they need, so that no vector lies across two: other programs have used the caches since the
        // last cycle. A few short rows share one.
        var alignment = 16
        while alignment < min(size, 64) { alignment *= 2 }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
        unsafe base = memory.bindMemory(to: Element.self, capacity: count)
        self.count = count
    }

    deinit {
        // SAFETY: allocated above, and nobody else frees it; the elements need no destruction.
        unsafe UnsafeMutableRawPointer(base).deallocate()
    }
}

extension Row<Float> {
    /// All of it.
    package var samples: Samples {
        @_noLocks @_noAllocation get {
            // SAFETY: so much was allocated.
            unsafe Samples(base, count: count)
        }
    }
}
