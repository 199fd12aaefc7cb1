extension Samples {
    /// Moves from this signal to another: sample + (other − sample) · mix. Thread: any. Wait-free.
    ///
    /// - Parameters:
    ///   - other: as long as this run, and not overlapping it.
    ///   - mix: 0 leaves this signal, 1 gives the other.
    @_noLocks @_noAllocation
    public func crossfade(to other: Samples, along mix: Ramp) {
        precondition(other.count == count)
        let moving = min(mix.remaining, count)
        let whole = moving & ~(Vector.scalarCount - 1)
        var indices = mix.indices
        var index = 0
        while index < whole {
            let sample = load(index)
            store(sample + (other.load(index) - sample) * mix.vector(at: indices), index)
            index += Vector.scalarCount
            indices += Float(Vector.scalarCount)
        }
        if whole < moving {
            let mine = slice(from: whole, count: moving - whole)
            let sample = mine.loadRest()
            let goal = other.slice(from: whole, count: moving - whole).loadRest()
            mine.storeRest(sample + (goal - sample) * mix.vector(at: indices))
        }
        for index in moving..<count {
            self[index] += (other[index] - self[index]) * mix.target
        }
    }
}
