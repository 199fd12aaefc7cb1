import Fourier
import Glibc

/// Measures how fast the echo moves away from the far end, as between two sound cards: by the phases of the way from the far end
/// to the near end, which turn from one second to the next.
///
/// All of the room's reflections move together, so all of the spectrum tells, and a thousandth of a sample is seen. Thread: one at
/// a time.
struct DriftMeter {
    private static let length = 2048
    private static let hop = 1024
    /// So many looks make one measurement, about a second apart.
    private static let looks = 8
    /// How well the phases must agree.
    private static let leastAgreement = 0.5

    private let transform = RealTransform(length: length)
    private var far = [Float](repeating: 0, count: length)
    private var near = [Float](repeating: 0, count: length)
    private var waiting = 0
    private var count = 0
    private var average = CrossSpectrum(lines: length / 2 + 1)
    private var last: CrossSpectrum?
    private let window: [Float] = (0..<length).map {
        let angle = 2 * Double.pi * (Double($0) + 0.5) / Double(length)
        return Float(0.5 - 0.5 * cos(angle))
    }

    /// Adds as many samples of both ends, at 8000 Hz, the far end delayed to shortly before its echo.
    ///
    /// - Returns: by what part of a second the echo has moved away in a second, where another second is over.
    mutating func add(far newFar: [Float], near newNear: [Float]) -> Double? {
        far.append(contentsOf: newFar)
        near.append(contentsOf: newNear)
        waiting += newNear.count
        guard waiting >= Self.hop else { return nil }
        waiting -= Self.hop
        far.removeFirst(far.count - Self.length)
        near.removeFirst(near.count - Self.length)
        return look()
    }

    /// The far end was delayed by another time: what was heard is worth nothing.
    mutating func reset() {
        far = [Float](repeating: 0, count: Self.length)
        near = far
        count = 0
        last = nil
        average = CrossSpectrum(lines: Self.length / 2 + 1)
    }

    private mutating func look() -> Double? {
        average.add(far: lines(of: far), near: lines(of: near), keeping: 1)
        count += 1
        guard count == Self.looks else { return nil }
        count = 0
        defer {
            last = average
            average = CrossSpectrum(lines: Self.length / 2 + 1)
        }
        guard let last else { return nil }
        return shift(from: last).map { $0 / Double(Self.hop * Self.looks) }
    }

    private func lines(of block: [Float]) -> [SpectrumLine] { transform.lines(of: zip(block, window).map(*)) }

    /// In samples at 8000 Hz: where the phases of the difference agree best.
    private func shift(from last: CrossSpectrum) -> Double? {
        let band = Self.length / 40...Self.length * 36 / 80
        var turns: [(r: Double, i: Double)] = []
        var sum = 0.0
        for line in band {
            let (now, then) = (average.coherence(line), last.coherence(line))
            let turn = (
                r: Double(now.r * then.r + now.i * then.i), i: Double(now.i * then.r - now.r * then.i)
            )
            turns.append(turn)
            sum += (turn.r * turn.r + turn.i * turn.i).squareRoot()
        }
        guard sum > 0 else { return nil }
        func agreement(_ shift: Double) -> Double {
            let angle = 2 * .pi * shift / Double(Self.length)
            let (stepR, stepI) = (cos(angle), sin(angle))
            var (r, i) = (cos(angle * Double(band.lowerBound)), sin(angle * Double(band.lowerBound)))
            var total = 0.0
            for turn in turns {
                total += turn.r * r - turn.i * i
                (r, i) = (r * stepR - i * stepI, r * stepI + i * stepR)
            }
            return total / sum
        }
        // Up to 1.2 samples a second, 150 ppm: beyond, the highest frequencies might have turned once around.
        let step = 0.1
        let places = (-12...12).map { Double($0) * step }
        let heights = places.map(agreement)
        guard let best = heights.indices.max(by: { heights[$0] < heights[$1] }), best > 0, best < heights.count - 1,
            heights[best] > Self.leastAgreement
        else { return nil }
        let (before, peak, after) = (heights[best - 1], heights[best], heights[best + 1])
        return places[best] + step * 0.5 * (before - after) / (before - 2 * peak + after)
    }
}
