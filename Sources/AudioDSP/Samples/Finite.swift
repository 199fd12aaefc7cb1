extension Samples {
    /// The largest magnitude taken for sound, 260 dB over full scale: beyond it a sample is as broken as infinity.
    /// With 60 dB of gain, the squares of a whole block of what is below still add up in single precision.
    public static var largestMagnitude: Float {
        @_noLocks @_noAllocation get { 1e13 }
    }

    /// Copies `source`, which must not overlap, with silence in place of each sample that is NaN,
    /// infinite or beyond `largestMagnitude`.
    ///
    /// - Returns: how many samples were replaced.
    ///
    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func copyFinite(from source: Samples) -> Int {
        precondition(source.count == count)
        let high = Vector(repeating: Self.largestMagnitude)
        let low = Vector(repeating: -Self.largestMagnitude)
        var allFinite = SIMDMask<SIMD8<Int32>>(repeating: true)
        let whole = wholeCount
        var index = 0
        while index < whole {
            let sample = source.load(index)
            // A comparison with NaN is false, so that one test finds all three.
            allFinite = allFinite .& (sample .<= high) .& (sample .>= low)
            store(sample, index)
            index += Vector.scalarCount
        }
        // The rare second pass is of all samples, the usual one of those behind the last whole vector.
        var replaced = 0
        for index in (allFinite == SIMDMask<SIMD8<Int32>>(repeating: true) ? whole : 0)..<count {
            let sample = source[index]
            let finite = sample <= Self.largestMagnitude && sample >= -Self.largestMagnitude
            self[index] = finite ? sample : 0
            replaced += finite ? 0 : 1
        }
        return replaced
    }

    /// Writes silence in place of each sample that is NaN, infinite or beyond `largestMagnitude`.
    ///
    /// - Returns: how many samples were replaced.
    ///
    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func silenceNotFinite() -> Int {
        let high = Vector(repeating: Self.largestMagnitude)
        let low = Vector(repeating: -Self.largestMagnitude)
        var allFinite = SIMDMask<SIMD8<Int32>>(repeating: true)
        let whole = wholeCount
        var index = 0
        while index < whole {
            let sample = load(index)
            allFinite = allFinite .& (sample .<= high) .& (sample .>= low)
            index += Vector.scalarCount
        }
        // As above.
        var replaced = 0
        for index in (allFinite == SIMDMask<SIMD8<Int32>>(repeating: true) ? whole : 0)..<count {
            let sample = self[index]
            if sample <= Self.largestMagnitude && sample >= -Self.largestMagnitude { continue }
            self[index] = 0
            replaced += 1
        }
        return replaced
    }
}
