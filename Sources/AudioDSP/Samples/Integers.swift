/// A run of 16-bit samples of one channel, in memory that somebody else owns. Full scale is 32768.
@safe public struct Integers {
    private let base: UnsafeMutablePointer<Int16>
    /// Length in frames, never negative.
    public let count: Int

    /// - Parameters:
    ///   - base: the first sample. It must stay valid for `count` samples while the value is in use.
    ///   - count: length in frames, 0 or more.
    @unsafe @_noLocks @_noAllocation
    public init(_ base: UnsafeMutablePointer<Int16>, count: Int) {
        precondition(count >= 0)
        unsafe self.base = base
        self.count = count
    }

    /// - Parameter index: from 0; checked in debug builds.
    public subscript(index: Int) -> Int16 {
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

    /// Takes over samples of the same number, each rounded to the nearest of the 65536 values (of two that are as
    /// near, to the even one) and held between them: −1 is −32768, and 1 comes to 32767. There is no dither, so that
    /// what was 16-bit before is the same after. What is not finite comes to any value. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func round(from source: Samples) {
        precondition(source.count == count)
        // Between 2²³ and 2²⁴ a float has no fraction: an addition there rounds, and leaves the integer in the low bits.
        let shift: Float = 12_582_912
        for index in 0..<count {
            let scaled = source[index] * 32_768
            let lower = scaled < 32_767 ? scaled : 32_767
            let limited = lower > -32_768 ? lower : -32_768
            let bits = (limited + shift).bitPattern &- shift.bitPattern
            self[index] = Int16(truncatingIfNeeded: bits)
        }
    }
}

extension Samples {
    /// Takes over 16-bit samples of the same number, exactly: each is a multiple of 1/32768. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func copy(from source: Integers) {
        precondition(source.count == count)
        for index in 0..<count { self[index] = Float(source[index]) * (1 / 32_768) }
    }
}
