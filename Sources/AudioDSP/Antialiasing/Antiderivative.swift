import CAudioDSP

extension Samples {
    /// Replaces each sample by the mean of a curve over the way from `previous` to `current`: ADAA of first order. The
    /// lengths are a multiple of eight. Thread: any. Wait-free.
    ///
    /// The mean is (F(b) − F(a)) / (b − a), F the antiderivative, which loses its digits where a and b are close. None
    /// is lost here: see each curve.
    @_noLocks @_noAllocation
    func mean(_ shape: Shape, from previous: Samples, to current: Samples, _ instructions: InstructionSet) {
        precondition(previous.count == count && current.count == count && count == wholeCount)
        if let number = instructions.number {
            // SAFETY: all three hold so many samples.
            switch shape {
            case .hard: return unsafe caudiodsp_mean_hard(number, base, previous.base, current.base, count)
            case .cubic: return unsafe caudiodsp_mean_cubic(number, base, previous.base, current.base, count)
            case .off, .tanh, .asymmetric, .fold, .table: break
            }
        }
        switch shape {
        case .off: copy(from: current)
        case .hard, .table: mean(MeanOfHard(), previous, current)
        case .cubic: mean(MeanOfCubic(), previous, current)
        case .tanh: mean(MeanOfTangent(), previous, current)
        case .asymmetric: mean(MeanOfAsymmetric(), previous, current)
        case .fold: mean(MeanOfFold(), previous, current)
        }
    }

    /// Generic, and therefore in one file with the curves and not annotated (see `Waveshaper.swift`).
    @inline(never)
    private func mean<M: Mean>(_ mean: M, _ previous: Samples, _ current: Samples) {
        var index = 0
        while index < count {
            store(mean.between(previous.load(index), current.load(index)), index)
            index += Vector.scalarCount
        }
    }
}

/// The mean of a curve over the way from a to b, for eight ways at once.
private protocol Mean {
    func between(_ a: Vector, _ b: Vector) -> Vector
}

/// The mean of a curve that is ±1 beyond ±1, where it is known in between.
///
/// The way is split at ±1 into the parts above, within and below, and each part's mean weighs as much as its share of
/// the way. A share is a quotient of differences that are exact or rounded once, and so is right to the last digits
/// however short the way. A way all within (or none at all) needs no division: its mean is that of the inner curve.
@inline(__always) @_noLocks @_noAllocation
private func meanOfLimited(_ a: Vector, _ b: Vector, _ innerA: Vector, _ innerB: Vector, _ inner: Vector) -> Vector {
    let one = Vector(repeating: 1)
    let way = b - a
    let within = innerB - innerA
    let above = b.replacing(with: one, where: b .< one) - a.replacing(with: one, where: a .< one)
    let below = b.replacing(with: -one, where: b .> -one) - a.replacing(with: -one, where: a .> -one)
    let split = (within * inner + (above - below)) / way
    // Where the way is 0 the quotient is no number, and not taken.
    return split.replacing(with: inner, where: within .== way).limited(to: 1)
}

private struct MeanOfHard: Mean {
    @inline(__always) @_noLocks @_noAllocation
    func between(_ a: Vector, _ b: Vector) -> Vector {
        let innerA = a.limited(to: 1)
        let innerB = b.limited(to: 1)
        return meanOfLimited(a, b, innerA, innerB, 0.5 * (innerA + innerB))
    }
}

/// Within ±1 the mean is 0.75 (a + b) − 0.125 (a³ + a² b + a b² + b³), of which a + b is a factor.
private struct MeanOfCubic: Mean {
    @inline(__always) @_noLocks @_noAllocation
    func between(_ a: Vector, _ b: Vector) -> Vector {
        let innerA = a.limited(to: 1)
        let innerB = b.limited(to: 1)
        let inner = (innerA + innerB) * (0.75 - 0.125 * (innerA * innerA + innerB * innerB))
        return meanOfLimited(a, b, innerA, innerB, inner)
    }
}

private struct MeanOfAsymmetric: Mean {
    @inline(__always) @_noLocks @_noAllocation
    func between(_ a: Vector, _ b: Vector) -> Vector {
        (MeanOfCubic().between(a + Bias.value, b + Bias.value) - Bias.level) * Bias.scale
    }
}

/// F(x) = ln cosh x, which is |x| + ln(1 + exp(−2 |x|)) but for a constant: the quotient of differences, each part by
/// itself, where the way is ½ or more. On a shorter way, Taylor's series about its middle, of which
/// 1, d²/24, d⁴/1920 and d⁶/322560 times the even derivatives stay; they are polynomials in tanh. Error: at most 2e-6.
private struct MeanOfTangent: Mean {
    @inline(__always) @_noLocks @_noAllocation
    func between(_ a: Vector, _ b: Vector) -> Vector {
        let way = b - a
        let largeA = a.magnitudes
        let largeB = b.magnitudes
        let quotient = ((largeB - largeA) + (largeB.softness - largeA.softness)) / way
        let t = (0.5 * (a + b)).hyperbolicTangent
        let u = t * t
        let d = way * way
        // One step a line: as one expression of literals each, they take the compiler 15 s to type.
        let quadratic: Vector = -720 * u + 960
        let sixth: Vector = (quadratic * u - 272) * (1 / 322_560)
        let fourth: Vector = (-24 * u + 16) * (1 / 1920)
        let inner: Vector = sixth * d + fourth
        let curvature: Vector = inner * d - 1 / 12
        let slope: Vector = t * (1 - u)
        let series: Vector = t + slope * d * curvature
        return quotient.replacing(with: series, where: way.magnitudes .< 0.5).limited(to: 1)
    }
}

/// The mean of a sine over a way is the sine of its middle, times sin h / h of half of its length.
private struct MeanOfFold: Mean {
    @inline(__always) @_noLocks @_noAllocation
    func between(_ a: Vector, _ b: Vector) -> Vector {
        let innerA = a.limited(to: 4096)
        let innerB = b.limited(to: 4096)
        return (0.5 * (innerA + innerB)).sineOfQuarterTurns * (0.5 * (innerB - innerA)).sineOverAngle
    }
}
