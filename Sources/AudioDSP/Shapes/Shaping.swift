/// A curve and the way it is kept from aliasing: all that decides how a driven sample sounds.
public struct Shaping: BitwiseCopyable, Sendable, Equatable {
    /// The curve.
    public let shape: Shape
    /// What is done against aliases.
    public let antialiasing: Antialiasing
    /// Of the filters that an oversampling takes.
    public let phase: FilterPhase

    /// What makes no difference is left out, so that what sounds the same is equal: the shape `off` has no aliases,
    /// and without oversampling there is no filter.
    @_noLocks @_noAllocation
    public init(_ shape: Shape, _ antialiasing: Antialiasing = .off, _ phase: FilterPhase = .linear) {
        self.shape = shape
        if case .off = shape { self.antialiasing = .off } else { self.antialiasing = antialiasing }
        self.phase = self.antialiasing.oversampling == 1 ? .linear : phase
    }

    @_noLocks @_noAllocation
    public static func == (one: Shaping, other: Shaping) -> Bool {
        one.shape.number == other.shape.number && one.antialiasing.number == other.antialiasing.number
            && one.phase.number == other.phase.number
    }

    /// How much later the sound leaves than it came, in frames of the sample rate: for linear phase at every frequency,
    /// for minimum phase towards the lowest ones. A fraction where ADAA or minimum phase is used. Thread: control.
    public var latencyFrames: Double {
        let factor = antialiasing.oversampling
        var latency = antialiasing.usesAntiderivative ? 0.5 / Double(factor) : 0
        if factor >= 2 { latency += Oversampling.delay(of: .first, phase, factor) }
        if factor == 4 { latency += Oversampling.delay(of: .second, phase, factor) }
        return latency
    }

    /// How many frames must have passed before what leaves owes nothing to the silence before them, but for −100 dB.
    /// Of the blocker of DC, which takes ten times as long, nothing is waited for: it moves too slowly to click.
    package var settlingFrames: Int {
        @_noLocks @_noAllocation get {
            switch (antialiasing.oversampling, phase) {
            case (1, _): 0
            case (_, .linear): 144
            case (_, .minimum): 400
            }
        }
    }
}

/// The two steps of raising a rate by four, and of lowering it again.
package enum Oversampling {
    package enum Stage { case first, second }

    /// Which of two samples is kept when the rate is halved: 1 for the later, which has waited a sample less. Only the
    /// whole delay of linear phase comes to whole frames if one step keeps the earlier: the last that works so.
    static func kept(_ stage: Stage, _ phase: FilterPhase, _ factor: Int) -> Int {
        phase == .linear && (stage == .second || factor == 2) ? 0 : 1
    }

    /// The delay of a step up and the same step down, in frames of the sample rate.
    static func delay(of stage: Stage, _ phase: FilterPhase, _ factor: Int) -> Double {
        let samples = 2 * HalfBand.delay(stage, phase) - Double(kept(stage, phase, factor))
        return samples / (stage == .first ? 2 : 4)
    }
}
