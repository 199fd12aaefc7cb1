extension Samples {
    /// Multiplies each sample by the ramp's value. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func applyGain(_ gain: Ramp) {
        if gain.remaining == 0 && gain.target == 1 { return }
        apply(Straight(), gain: gain)
    }

    /// Multiplies each sample by the ramp's value and shapes it by the curve, in place.
    ///
    /// Gain and curve are one pass over memory. The input must be finite (see `copyFinite`). What has a memory is not
    /// here: antialiasing, the table, and the blocker of DC behind `asymmetric` (see `AntialiasedShaper`).
    /// Thread: any. Wait-free.
    @_noLocks @_noAllocation
    public func applyShape(_ shape: Shape, gain: Ramp) {
        switch shape {
        case .off: applyGain(gain)
        case .hard, .table: apply(Hard(), gain: gain)
        case .cubic: apply(Cubic(), gain: gain)
        case .tanh: apply(HyperbolicTangent(), gain: gain)
        case .asymmetric: apply(Asymmetric(), gain: gain)
        case .fold: apply(Fold(), gain: gain)
        }
    }
}

/// A formula for eight samples at once.
///
/// A type, not a closure: the optimiser inlines a witness into the loop below, and outlines a closure that is used
/// twice into a call for each vector, which costs a factor of two.
private protocol Curve {
    func shape(_ x: Vector) -> Vector
}

extension Samples {
    /// Replaces each sample by `shape(sample · gain)`, in place: the loop that all sample-by-sample processing is
    /// made of. The ramp itself does not advance: every channel of a block walks the same one.
    ///
    /// Generic, so not annotated itself: the compiler checks the copy that each annotated caller makes of it. In a
    /// debug build it can only do so within one file, which is why the curves are in this one.
    ///
    /// What does not happen in most blocks (a moving gain, a length that is no multiple of eight) is out of line:
    /// to make ready for it took a fifth of the time of a block of 64 frames.
    @inline(__always)
    fileprivate func apply<C: Curve>(_ curve: C, gain: Ramp) {
        if gain.remaining == 0 { applyStill(curve, gain: gain.target) } else { applyMoving(curve, gain: gain) }
    }

    @inline(never)
    private func applyMoving<C: Curve>(_ curve: C, gain: Ramp) {
        let moving = slice(from: 0, count: min(gain.remaining, count))
        var indices = gain.indices
        var index = 0
        while index < moving.wholeCount {
            store(curve.shape(load(index) * gain.vector(at: indices)), index)
            index += Vector.scalarCount
            indices += Float(Vector.scalarCount)
        }
        if index < moving.count { moving.applyRest(curve, gain: gain.vector(at: indices)) }
        slice(from: moving.count, count: count - moving.count).applyStill(curve, gain: gain.target)
    }

    @inline(never)
    private func applyStill<C: Curve>(_ curve: C, gain: Float) {
        let factor = Vector(repeating: gain)
        let whole = wholeCount
        var index = 0
        // `index` stays below `whole`: a check of each addition for overflow would take as long as a short curve.
        while index < whole {
            store(curve.shape(load(index) * factor), index)
            index &+= Vector.scalarCount
        }
        if index < count { applyRest(curve, gain: factor) }
    }

    @inline(never)
    private func applyRest<C: Curve>(_ curve: C, gain: Vector) { storeRest(curve.shape(loadRest() * gain)) }
}

/// The identity: only the gain of a kernel is left.
private struct Straight: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ x: Vector) -> Vector { x }
}

private struct Hard: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ x: Vector) -> Vector { x.limited(to: 1) }
}

private struct Cubic: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ input: Vector) -> Vector {
        let x = input.limited(to: 1)
        return x * (1.5 - 0.5 * x * x)
    }
}

private struct HyperbolicTangent: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ x: Vector) -> Vector { x.hyperbolicTangent }
}

private struct Asymmetric: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ input: Vector) -> Vector {
        let x = (input + Bias.value).limited(to: 1)
        return (x * (1.5 - 0.5 * x * x) - Bias.level) * Bias.scale
    }
}

private struct Fold: Curve {
    @inline(__always) @_noLocks @_noAllocation
    func shape(_ x: Vector) -> Vector { x.limited(to: 4096).sineOfQuarterTurns }
}

/// The asymmetric curve's place on the cubic one.
enum Bias {
    static var value: Float { @inline(__always) @_noLocks @_noAllocation get { 0.25 } }
    /// The cubic curve there.
    static var level: Float { @inline(__always) @_noLocks @_noAllocation get { 0.367_187_5 } }
    /// What keeps the curve, moved down by `level`, within ±1.
    static var scale: Float { @inline(__always) @_noLocks @_noAllocation get { 0.731_428_5 } }
}
