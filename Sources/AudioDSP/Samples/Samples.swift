/// A run of samples of one channel, in memory that somebody else owns.
///
/// The only type of this module that touches raw memory: every kernel works through it.
/// Bounds are checked in debug builds, once per vector.
@safe @frozen public struct Samples {
    @usableFromInline let base: UnsafeMutablePointer<Float>
    /// Length in frames, never negative.
    public let count: Int

    /// - Parameters:
    ///   - base: the first sample. It must stay valid for `count` samples while the value is in use.
    ///   - count: length in frames, 0 or more.
    @unsafe @inlinable @_noLocks @_noAllocation
    public init(_ base: UnsafeMutablePointer<Float>, count: Int) {
        precondition(count >= 0)
        unsafe self.base = base
        self.count = count
    }

    /// The first sample's address, for who hands it on.
    @unsafe package var baseAddress: UnsafeMutablePointer<Float> { @_noLocks @_noAllocation get { unsafe base } }

    /// The `length` samples from frame `start` on.
    @inlinable @_noLocks @_noAllocation
    public func slice(from start: Int, count length: Int) -> Samples {
        precondition(start >= 0 && length >= 0 && start + length <= count)
        // SAFETY: the range was just checked against this run's own.
        return unsafe Samples(base + start, count: length)
    }

    /// - Parameter index: from 0; checked in debug builds.
    @inlinable public subscript(index: Int) -> Float {
        @_noLocks @_noAllocation get {
            assert(index >= 0 && index < count)
            // SAFETY: kernels count below `count`; debug builds check it.
            return unsafe base[index]
        }
        @_noLocks @_noAllocation nonmutating set {
            assert(index >= 0 && index < count)
            // SAFETY: as above.
            unsafe base[index] = newValue
        }
    }

    /// Copies another run of the same length; the two must not overlap.
    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func copy(from other: Samples) {
        precondition(other.count == count)
        // SAFETY: both runs hold `count` samples.
        unsafe UnsafeMutableRawPointer(base).copyMemory(
            from: other.base, byteCount: count * MemoryLayout<Float>.stride)
    }

    /// Copies this run as one channel of frames that lie interleaved, and leaves their other channels alone.
    /// Thread: any. Wait-free.
    ///
    /// - Parameter frames: as many as this run has samples; the two must not overlap.
    @_noLocks @_noAllocation
    package func interleave(into frames: Samples, _ channel: Int, of channels: Int) {
        precondition(channel >= 0 && channel < channels && frames.count == count * channels)
        for frame in 0..<count {
            // SAFETY: `frames` holds `channels` samples for each of this run's.
            unsafe frames.base[frame * channels + channel] = base[frame]
        }
    }

    /// Lends the run as a span, for code that is not to see an address.
    public func withSpan<Result>(_ body: (inout MutableSpan<Float>) -> Result) -> Result {
        // SAFETY: the run holds `count` samples, and the span ends with the call.
        var span = unsafe MutableSpan(_unsafeStart: base, count: count)
        return body(&span)
    }

    /// Writes silence. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func clear() {
        // SAFETY: the run holds `count` samples.
        unsafe base.update(repeating: 0, count: count)
    }
}

// The vector access that the kernels are made of.
extension Samples {
    @inline(__always) @_noLocks @_noAllocation
    func load(_ index: Int) -> Vector {
        assert(index >= 0 && index + Vector.scalarCount <= count)
        // SAFETY: callers stay below `wholeCount`; debug builds check it.
        return unsafe UnsafeRawPointer(base + index).loadUnaligned(as: Vector.self)
    }

    @inline(__always) @_noLocks @_noAllocation
    func store(_ value: Vector, _ index: Int) {
        assert(index >= 0 && index + Vector.scalarCount <= count)
        // SAFETY: as for `load`.
        unsafe UnsafeMutableRawPointer(base + index).storeBytes(of: value, as: Vector.self)
    }

    /// How many samples lie in whole vectors. The rest goes through `loadRest` and `storeRest`, so that one
    /// formula serves both and a block's length never changes a sample's value.
    var wholeCount: Int {
        @inline(__always) @_noLocks @_noAllocation get { count & ~(Vector.scalarCount - 1) }
    }

    @inline(never) @_noLocks @_noAllocation
    func loadRest() -> Vector {
        var vector = Vector.zero
        let start = wholeCount
        for lane in 0..<(count - start) { vector[lane] = self[start + lane] }
        return vector
    }

    @inline(never) @_noLocks @_noAllocation
    func storeRest(_ vector: Vector) {
        let start = wholeCount
        for lane in 0..<(count - start) { self[start + lane] = vector[lane] }
    }
}
