import CAudioDSP

/// A shaper's curve as straight pieces between points. Beyond the first and the last point it stays where it is.
///
/// It is laid on a grid of equal cells, so that a sample's place is found at once and costs the same wherever it lies.
/// A point between two lines of the grid moves its corner to them: by at most a quarter of a cell's width times the
/// change of slope.
public struct ShapeTable: Sendable, Equatable {
    /// A point of the curve.
    public struct Point: Sendable, Equatable {
        /// Of the input, linear; 1 is full scale.
        public var x: Float
        /// Of the output, linear.
        public var y: Float

        /// - Parameters: linear; 1 is full scale.
        public init(x: Float, y: Float) {
            self.x = x
            self.y = y
        }
    }

    /// Why points do not make a curve. Points are counted from 0.
    public enum Failure: Error, Equatable {
        /// There are only so many, and two at least are needed.
        case tooFewPoints(Int)
        /// There are more than `largestCount`.
        case tooManyPoints(Int)
        /// A point has a coordinate that is no number, infinite or beyond ±`largestCoordinate`.
        case notFinite(point: Int)
        /// A point does not lie to the right of the one before.
        case notIncreasing(point: Int)
    }

    /// Points of a table at the most.
    public static let largestCount = 65_536
    /// 120 dB over full scale.
    public static let largestCoordinate: Float = 1e6
    static let cells = 2048

    let first: Float
    let last: Float
    /// The curve at the lines of the grid, from the first point to the last.
    let values: [Float]

    /// Thread: control.
    ///
    /// - Throws: `Failure`.
    public init(_ points: [Point]) throws(Failure) {
        guard points.count >= 2 else { throw .tooFewPoints(points.count) }
        guard points.count <= Self.largestCount else { throw .tooManyPoints(points.count) }
        let range = -Self.largestCoordinate...Self.largestCoordinate
        for (number, point) in points.enumerated() {
            guard range.contains(point.x), range.contains(point.y) else { throw .notFinite(point: number) }
            guard number == 0 || points[number - 1].x < point.x else { throw .notIncreasing(point: number) }
        }
        let start = Double(points[0].x)
        let width = Double(points[points.count - 1].x) - start
        first = points[0].x
        last = points[points.count - 1].x
        var values: [Float] = []
        var piece = 0
        for line in 0...Self.cells {
            let x = start + width * Double(line) / Double(Self.cells)
            while piece < points.count - 2, Double(points[piece + 1].x) <= x { piece += 1 }
            let left = points[piece]
            let right = points[piece + 1]
            let share = min(1, (x - Double(left.x)) / (Double(right.x) - Double(left.x)))
            values.append(Float(Double(left.y) + (Double(right.y) - Double(left.y)) * share))
        }
        self.values = values
    }

    private init(first: Float, last: Float, values: [Float]) {
        self.first = first
        self.last = last
        self.values = values
    }

    /// The input limited to ±1.
    static let hard = ShapeTable(
        first: -1, last: 1, values: (0...cells).map { Float(2 * $0 - cells) / Float(cells) })
}

/// A table as the audio thread reads it. In double precision and one sample at a time: what is summed up over the grid
/// needs the digits, and what is looked up has no order.
@safe struct TableCurve: ~Copyable {
    private let values: Row<Double>
    private let sums: Row<Double>
    private let lines: Lines

    init(_ table: ShapeTable) {
        let heights = table.values.map(Double.init)
        values = Row(heights)
        var sum = 0.0
        sums = Row(
            heights.indices.map { line in
                if line > 0 { sum += 0.5 * (heights[line] + heights[line - 1]) }
                return sum
            })
        lines = unsafe Lines(
            values: UnsafePointer(values.base), sums: UnsafePointer(sums.base), first: Double(table.first),
            cellsPerUnit: Double(ShapeTable.cells) / (Double(table.last) - Double(table.first)))
    }

    /// Multiplies each sample by the ramp's value and shapes it, in place. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func shape(_ samples: Samples, gain: Ramp) {
        // Out of memory that a store of samples could change, as far as the compiler knows.
        let lines = lines
        if gain.remaining == 0 {
            let factor = gain.target
            for index in 0..<samples.count { samples[index] = Float(lines.place(samples[index] * factor).value) }
        } else {
            samples.applyGain(gain)
            for index in 0..<samples.count { samples[index] = Float(lines.place(samples[index]).value) }
        }
    }

    /// Writes the mean of the curve over the way from `previous` to `current`, as `Samples.mean`: the corners within the
    /// way split it, and each part is exact. Thread: any. Wait-free.
    @_noLocks @_noAllocation
    func mean(_ output: Samples, from previous: Samples, to current: Samples) {
        guard output.count > 0 else { return }
        let lines = lines
        var a = lines.place(previous[0])
        for index in 0..<output.count {
            // Planes are read in turn, so that the sample before is not always the one just looked up.
            if previous[index] != a.x { a = lines.place(previous[index]) }
            let b = lines.place(current[index])
            output[index] = Float(lines.mean(a, b))
            a = b
        }
    }
}

/// Where the lines of a curve's grid are. `TableCurve` keeps them.
@safe private struct Lines: BitwiseCopyable {
    let values: UnsafePointer<Double>
    /// The curve's integral from the first line to each, in cells.
    let sums: UnsafePointer<Double>
    let first: Double
    let cellsPerUnit: Double

    struct Place {
        var x: Float
        /// In cells from the first line, beyond the ends too.
        var position: Double
        /// The same held between the ends.
        var inner: Double
        var cell: Int
        var value: Double
    }

    @inline(__always) @_noLocks @_noAllocation
    func place(_ x: Float) -> Place {
        let position = (Double(x) - first) * cellsPerUnit
        let end = Double(ShapeTable.cells)
        let upper = position < end ? position : end
        let inner = upper > 0 ? upper : 0
        let cell = min(caudiodsp_truncated(inner), ShapeTable.cells - 1)
        // SAFETY: `inner` is a number from 0 to the number of cells, so that the lines of `cell` are there.
        let left = unsafe values[cell]
        let right = unsafe values[cell + 1]
        return Place(
            x: x, position: position, inner: inner, cell: cell, value: left + (right - left) * (inner - Double(cell)))
    }

    @inline(__always) @_noLocks @_noAllocation
    func mean(_ a: Place, _ b: Place) -> Double {
        let isRising = a.position < b.position
        let low = isRising ? a : b
        let high = isRising ? b : a
        let way = high.position - low.position
        if low.inner == high.inner || low.cell == high.cell && way == high.inner - low.inner {
            return 0.5 * (a.value + b.value)
        }
        // Within the ends: the rest of the first cell, whole cells, and the beginning of the last.
        var area = 0.0
        if low.cell == high.cell {
            area = (high.inner - low.inner) * 0.5 * (low.value + high.value)
        } else {
            // SAFETY: the cells are those of two places.
            let corner = unsafe values[low.cell + 1]
            area += (Double(low.cell + 1) - low.inner) * 0.5 * (low.value + corner)
            unsafe area += sums[high.cell] - sums[low.cell + 1]
            unsafe area += (high.inner - Double(high.cell)) * 0.5 * (values[high.cell] + high.value)
        }
        // Beyond them it is constant.
        area += (low.inner - low.position) * low.value + (high.position - high.inner) * high.value
        return area / way
    }
}
