/// What a meter reads off one block of one channel.
public struct Level: BitwiseCopyable, Sendable, Equatable {
    /// The largest magnitude, linear; 1 is full scale.
    public var peak: Float = 0
    /// The sum of the squares; the root of its mean is the RMS level.
    public var sumOfSquares: Double = 0
    /// Samples at or beyond full scale.
    public var clipped = 0

    /// Of silence.
    @_noLocks @_noAllocation public init() {}
}

extension Samples {
    /// Measures the run. The input must be finite (see `copyFinite`). Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func level() -> Level {
        var peaks = Vector.zero
        var squares = Vector.zero
        let whole = wholeCount
        var index = 0
        while index < whole {
            let sample = load(index)
            let magnitude = sample.magnitudes
            peaks = peaks.replacing(with: magnitude, where: magnitude .> peaks)
            squares += sample * sample
            index += Vector.scalarCount
        }
        if whole < count {
            let sample = loadRest()
            let magnitude = sample.magnitudes
            peaks = peaks.replacing(with: magnitude, where: magnitude .> peaks)
            squares += sample * sample
        }
        var level = Level()
        level.peak = peaks.largest
        for lane in 0..<Vector.scalarCount { level.sumOfSquares += Double(squares[lane]) }
        if level.peak >= 1 { level.clipped = countClipped() }
        return level
    }

    /// The rare second pass: most blocks stay below full scale.
    @_noLocks @_noAllocation
    private func countClipped() -> Int {
        var total = 0
        for index in 0..<count { total += abs(self[index]) >= 1 ? 1 : 0 }
        return total
    }
}
