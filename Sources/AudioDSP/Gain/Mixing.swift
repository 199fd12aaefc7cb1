extension Samples {
    /// Adds another signal, each sample multiplied by the ramp's value. The ramp itself does not advance. Both must be finite.
    /// Thread: any. Wait-free.
    ///
    /// - Parameters:
    ///   - other: as long as this run, and not overlapping it.
    ///   - gain: linear.
    @_noLocks @_noAllocation
    public func add(_ other: Samples, gain: Ramp) {
        precondition(other.count == count)
        if gain.remaining == 0 { return add(other, gain: gain.target) }
        let moving = min(gain.remaining, count)
        let whole = moving & ~(Vector.scalarCount - 1)
        var indices = gain.indices
        var index = 0
        while index < whole {
            store(load(index) + other.load(index) * gain.vector(at: indices), index)
            index += Vector.scalarCount
            indices += Float(Vector.scalarCount)
        }
        if whole < moving {
            let mine = slice(from: whole, count: moving - whole)
            let theirs = other.slice(from: whole, count: moving - whole)
            mine.storeRest(mine.loadRest() + theirs.loadRest() * gain.vector(at: indices))
        }
        let rest = count - moving
        slice(from: moving, count: rest).add(other.slice(from: moving, count: rest), gain: gain.target)
    }

    @_noLocks @_noAllocation
    private func add(_ other: Samples, gain: Float) {
        let factor = Vector(repeating: gain)
        let whole = wholeCount
        var index = 0
        while index < whole {
            store(load(index) + other.load(index) * factor, index)
            index &+= Vector.scalarCount
        }
        if index < count { storeRest(loadRest() + other.loadRest() * factor) }
    }

    /// Adds four other signals, each multiplied by its gain, to the bit as one after the other would be: the sum goes to memory
    /// once. All must be finite. Thread: any. Wait-free.
    ///
    /// - Parameters:
    ///   - others: as long as this run, and not overlapping it.
    ///   - gains: linear.
    @_noLocks @_noAllocation
    public func add(
        _ others: (Samples, Samples, Samples, Samples), gains: (Float, Float, Float, Float)
    ) {
        precondition(
            others.0.count == count && others.1.count == count && others.2.count == count && others.3.count == count)
        let whole = wholeCount
        var index = 0
        while index < whole {
            var sum = load(index) + others.0.load(index) * gains.0
            sum += others.1.load(index) * gains.1
            sum += others.2.load(index) * gains.2
            sum += others.3.load(index) * gains.3
            store(sum, index)
            index &+= Vector.scalarCount
        }
        guard index < count else { return }
        var sum = loadRest() + others.0.loadRest() * gains.0
        sum += others.1.loadRest() * gains.1
        sum += others.2.loadRest() * gains.2
        sum += others.3.loadRest() * gains.3
        storeRest(sum)
    }
}
