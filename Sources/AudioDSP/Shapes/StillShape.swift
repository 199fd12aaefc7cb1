import CAudioDSP

/// A curve that remembers nothing, behind a gain that stands still: what most shapers do in most blocks, by the shortest way
/// to the loops in C.
package struct StillShape: BitwiseCopyable, Sendable {
    private let gain: Float
    private let instructions: Int32
    private let isCubic: Bool

    /// - Parameter instructions: one that this machine can run.
    /// - Returns: `nil` of all but `hard` and `cubic` without antialiasing, which have such loops.
    @_noLocks @_noAllocation
    package init?(_ shaping: Shaping, gain: Ramp, _ instructions: InstructionSet) {
        guard case .off = shaping.antialiasing, gain.remaining == 0, let number = instructions.number else {
            return nil
        }
        switch shaping.shape {
        case .hard: isCubic = false
        case .cubic: isCubic = true
        case .off, .tanh, .asymmetric, .fold, .table: return nil
        }
        self.gain = gain.target
        self.instructions = number
    }

    /// Shapes samples in place. They must be finite (see `copyFinite`). Thread: audio. Wait-free.
    @_noLocks @_noAllocation
    package func apply(to samples: Samples) {
        let whole = samples.wholeCount
        if whole < samples.count {
            let rest = samples.slice(from: whole, count: samples.count - whole)
            rest.applyShape(isCubic ? .cubic : .hard, gain: Ramp(gain))
        }
        // SAFETY: the run holds so many samples.
        if isCubic {
            unsafe caudiodsp_shape_cubic(instructions, samples.base, gain, whole)
        } else {
            unsafe caudiodsp_shape_hard(instructions, samples.base, gain, whole)
        }
    }
}
