import CAudioDSP

/// The filtering branch of a linear-phase half-band filter, laid over the planes of a workspace.
///
/// The taps are symmetric: each is multiplied with the sum of two samples, of which the workspace holds one as much
/// before the middle as the other behind it.
@safe struct FoldedFilter: BitwiseCopyable {
    /// One tap of each pair.
    let taps: UnsafePointer<Float>
    /// Where in the workspace the later sample of each pair lies for the first of the outputs.
    let later: UnsafePointer<Int32>
    /// Where the earlier one lies.
    let earlier: UnsafePointer<Int32>
    let pairs: Int
}

extension Samples {
    /// How many outputs are computed at once. As many may be written behind the last one asked for.
    static var filterStep: Int { 2 * Vector.scalarCount }

    /// Filters what this workspace holds: output i is Σ tap · (later + earlier), all taken i frames on. Outputs are
    /// computed by sixteen, each for itself and in the order of the taps. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func filter(_ filter: FoldedFilter, to output: Int, count: Int, _ instructions: InstructionSet) {
        check(filter, output, count)
        if let number = instructions.number {
            // SAFETY: the places were checked on the line above.
            unsafe caudiodsp_filter(
                number, base, filter.taps, filter.later, filter.earlier, filter.pairs, output, count)
            return
        }
        var index = 0
        while index < count {
            let (low, high) = sums(filter, index)
            store(low, output + index)
            store(high, output + index + Vector.scalarCount)
            index += Self.filterStep
        }
    }

    /// As `filter`, for the whole of a half-band filter with a gain of 1: half of the branch, and half of the delayed
    /// sample that the other branch comes to.
    @_noLocks @_noAllocation
    func halveBand(
        _ halving: OversamplingFilters.Halving, to output: Int, count: Int, _ instructions: InstructionSet
    ) {
        check(halving.filter, output, count)
        if let number = instructions.number {
            let filter = halving.filter
            // SAFETY: as above, and so is the delayed run, which ends before the latest of the others.
            unsafe caudiodsp_halve_band(
                number, base, filter.taps, filter.later, filter.earlier, filter.pairs, halving.delayed, output, count)
            return
        }
        var index = 0
        while index < count {
            let (low, high) = sums(halving.filter, index)
            let delayed = halving.delayed + index
            store(0.5 * (load(delayed) + low), output + index)
            store(0.5 * (load(delayed + Vector.scalarCount) + high), output + index + Vector.scalarCount)
            index += Self.filterStep
        }
    }

    /// In debug builds: that all that is read and written lies in the workspace.
    @inline(__always) @_noLocks @_noAllocation
    private func check(_ filter: FoldedFilter, _ output: Int, _ count: Int) {
        let length = (count + Self.filterStep - 1) & ~(Self.filterStep - 1)
        assert(output >= 0 && output + length <= self.count)
        for pair in 0..<filter.pairs {
            // SAFETY: there are so many places.
            assert(unsafe filter.earlier[pair] >= 0 && Int(filter.later[pair]) + length <= self.count)
        }
    }

    @inline(__always) @_noLocks @_noAllocation
    private func sums(_ filter: FoldedFilter, _ index: Int) -> (Vector, Vector) {
        var low = Vector.zero
        var high = Vector.zero
        for pair in 0..<filter.pairs {
            // SAFETY: a filter has so many taps and places, within the workspace.
            let tap = unsafe filter.taps[pair]
            let later = unsafe Int(filter.later[pair]) + index
            let earlier = unsafe Int(filter.earlier[pair]) + index
            low += tap * (load(later) + load(earlier))
            high += tap * (load(later + Vector.scalarCount) + load(earlier + Vector.scalarCount))
        }
        return (low, high)
    }
}
