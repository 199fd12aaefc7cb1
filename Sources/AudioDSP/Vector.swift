/// Eight samples that are computed at once: two SSE registers, or one of AVX.
public typealias Vector = SIMD8<Float>

extension SIMD8<Float> {
    /// Each lane held between −`limit` and `limit`. (`clamped` is six times slower with this compiler.)
    @inline(__always) @_noLocks @_noAllocation
    func limited(to limit: Float) -> Self {
        let high = Self(repeating: limit)
        let low = Self(repeating: -limit)
        let upper = self.replacing(with: high, where: self .> high)
        return upper.replacing(with: low, where: upper .< low)
    }

    /// Each lane without its sign.
    var magnitudes: Self {
        @inline(__always) @_noLocks @_noAllocation get {
            self.replacing(with: Self.zero - self, where: self .< Self.zero)
        }
    }
}
