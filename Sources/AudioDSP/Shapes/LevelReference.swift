import CAudioDSP

import func Glibc.sin

/// A sine by which the level behind a curve is brought back to the level before its drive.
///
/// Its peak is ¼, −12 dB of full scale. Half a wave of it, from trough to crest, has every level that the whole has.
@safe struct LevelReference: ~Copyable {
    private static var count: Int { @_noLocks @_noAllocation get { 512 } }
    private static let peak = 0.25
    private static var rms: Float { @_noLocks @_noAllocation get { 0.176_776_7 } }
    /// 24 dB, and below a drive of 1 so much above what undoes it.
    private static var largestGain: Float { @_noLocks @_noAllocation get { 16 } }

    /// The sine, and behind it room for a copy.
    private let row = Row<Float>(zeros: 2 * Self.count)

    init() {
        for index in 0..<Self.count {
            let turn = (Double(index) + 0.5) / Double(Self.count) - 0.5
            row.samples[index] = Float(Self.peak * sin(.pi * turn))
        }
    }

    /// A fresh copy of the sine, to be driven and shaped.
    @_noLocks @_noAllocation
    func take() -> Samples {
        let copy = row.samples.slice(from: Self.count, count: Self.count)
        copy.copy(from: row.samples.slice(from: 0, count: Self.count))
        return copy
    }

    /// RMS of the sine ÷ RMS of what became of it, and at most 16, or 16 / drive below a drive of 1: a curve may
    /// leave nothing of it.
    ///
    /// - Parameter isBlocked: whether a constant part is taken away behind the curve, and so is not heard.
    @_noLocks @_noAllocation
    func makeUpGain(for shaped: Samples, isBlocked: Bool, drive: Float) -> Float {
        let mean = isBlocked ? shaped.mean() : 0
        let power = shaped.meanSquare(about: mean)
        let limit = Self.largestGain / min(1, max(abs(drive), 1e-6))
        return min(Self.rms / max(caudiodsp_square_root(power), 1e-20), limit)
    }
}

// Of whole vectors: there is no rest.
extension Samples {
    @_noLocks @_noAllocation
    fileprivate func mean() -> Float {
        var sums = Vector.zero
        var index = 0
        while index < count {
            sums += load(index)
            index += Vector.scalarCount
        }
        return sums.total / Float(count)
    }

    @_noLocks @_noAllocation
    fileprivate func meanSquare(about centre: Float) -> Float {
        var sums = Vector.zero
        var index = 0
        while index < count {
            let distance = load(index) - centre
            sums += distance * distance
            index += Vector.scalarCount
        }
        return sums.total / Float(count)
    }
}

extension Vector {
    fileprivate var total: Float {
        @_noLocks @_noAllocation get {
            let four = lowHalf + highHalf
            let two = four.lowHalf + four.highHalf
            return two.x + two.y
        }
    }
}
