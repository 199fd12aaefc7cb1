import Fourier
import Glibc

/// Finds the pitch of one voice or instrument in a block of sound.
///
/// The McLeod pitch method (P. McLeod and G. Wyvill, "A Smarter Way to Find Pitch", 2005): the normalised square difference
/// function (NSDF) is 1 at each distance at which the sound repeats. Of the highest points between its zeros the first counts that
/// is nearly as high as the highest, so that neither an octave below nor a strong harmonic is taken for the pitch. The period is
/// then measured over as many periods as half of the block has, which makes a short period as exact as a long one.
///
/// Deviation from the paper: "nearly as high" depends on the height. Where the sound repeats exactly, a strong second harmonic
/// without much else is still told from the pitch; noise lowers all points, and makes them less alike.
///
/// Thread: one at a time; it has memory of its own.
final class PitchDetector {
    struct Pitch: Equatable {
        var hertz: Double
        /// How alike the sound is to itself one period later, 0…1; McLeod's "clarity".
        var clarity: Double
    }

    /// Of the block that it looks at: 100 ms, which are three periods of the lowest pitch.
    let frames: Int
    private let sampleRate: Double
    private let transform: RealTransform
    private let highest: Double
    private var padded: [Float]

    /// In hertz.
    static let range = 30.0...4000.0
    private static let seconds = 0.1
    /// Samples that a period needs at the least, so that its highest point can be found between them.
    private static let fewestFrames = 5.0
    /// −80 dB of full scale, mean power: what is softer is silence.
    private static let silence = 1e-8

    /// - Parameter sampleRate: in hertz, 500 or more.
    init(sampleRate: Double) {
        self.sampleRate = sampleRate
        frames = Int(Self.seconds * sampleRate)
        highest = min(Self.range.upperBound, sampleRate / Self.fewestFrames)
        var length = 1
        while length < 2 * frames { length *= 2 }
        transform = RealTransform(length: length)
        padded = Array(repeating: 0, count: length)
    }

    /// - Parameter block: `frames` samples, finite.
    /// - Returns: `nil` where nothing repeats, or the block is silent.
    func pitch(of block: [Float]) -> Pitch? {
        precondition(block.count == frames)
        let difference = normalisedDifference(of: block)
        guard !difference.isEmpty else { return nil }
        // A lowest tone whose highest point lies just beyond is still one.
        let longest = min(difference.count - 2, Int(sampleRate / Self.range.lowerBound * 1.01) + 2)
        let tops = Self.peaks(of: difference, upTo: longest).map { Self.top(of: difference, at: $0) }
        guard let height = tops.map(\.height).max(), height > 0 else { return nil }
        let least = height - 0.012 - 0.25 * max(0, 1 - height)
        guard let first = tops.first(where: { $0.height >= least }) else { return nil }
        let hertz = sampleRate / refined(first.place, difference)
        guard (Self.range.lowerBound * 0.99...highest * 1.01).contains(hertz) else { return nil }
        return Pitch(hertz: hertz, clarity: max(0, min(1, first.height)))
    }

    /// The same period over several of them: the point near each of its multiples leads to the next.
    private func refined(_ period: Double, _ difference: [Float]) -> Double {
        var refined = period
        var multiple = 1
        let reach = max(1, Int(period / 8))
        while true {
            // Beyond half of the block too few samples are compared.
            let expected = Int((refined * Double(multiple + 1)).rounded())
            guard Double(expected) < Double(frames) * 0.5, expected + reach + 1 < difference.count else { break }
            let near = expected - reach...expected + reach
            guard let place = near.max(by: { difference[$0] < difference[$1] }), difference[place] > 0.5,
                difference[place] >= difference[place - 1], difference[place] >= difference[place + 1]
            else { break }
            multiple += 1
            refined = Self.top(of: difference, at: place).place / Double(multiple)
        }
        let place = Int((refined * Double(multiple)).rounded())
        guard let exact = exactTop(at: place) else { return refined }
        return exact / Double(multiple)
    }

    /// The place of the NSDF's highest point near a distance, of sums in double precision: a low tone's is flat, and the
    /// transform's errors would move it.
    private func exactTop(at place: Int) -> Double? {
        var center = place
        for _ in 0..<4 {
            guard center > 1, center + 1 < frames else { return nil }
            let (left, middle, right) = (exact(center - 1), exact(center), exact(center + 1))
            if left > middle, left >= right { center -= 1; continue }
            if right > middle { center += 1; continue }
            let bend = left - 2 * middle + right
            return bend < 0 ? Double(center) + 0.5 * (left - right) / bend : nil
        }
        return nil
    }

    /// The NSDF at one distance.
    private func exact(_ distance: Int) -> Double {
        var (product, power) = (0.0, 0.0)
        for index in 0..<frames - distance {
            let (first, second) = (Double(padded[index]), Double(padded[index + distance]))
            product += first * second
            power += first * first + second * second
        }
        return power > 0 ? 2 * product / power : 0
    }

    /// 2 Σ xⱼ xⱼ₊ₜ / Σ (xⱼ² + xⱼ₊ₜ²), for each distance t up to three quarters of the block; empty for silence.
    private func normalisedDifference(of block: [Float]) -> [Float] {
        let mean = block.reduce(0) { $0 + Double($1) } / Double(frames)
        // Made smaller by a power of two, which changes no digit: the squares of a file's largest numbers are beyond all.
        let unit = block.reduce(0) { max($0, abs(Double($1) - mean)) }.binade
        guard unit > 0, unit.isFinite else { return [] }
        for index in block.indices { padded[index] = Float((Double(block[index]) - mean) / unit) }
        let powers = transform.lines(of: padded).map { SpectrumLine(r: $0.r * $0.r + $0.i * $0.i, i: 0) }
        let correlation = transform.block(of: powers)
        var power = 0.0
        for index in 0..<frames { power += 2 * Double(padded[index]) * Double(padded[index]) }
        guard power * unit * unit > 2 * Self.silence * Double(frames) else { return [] }
        let scale = 2 / Double(transform.length)
        let count = frames * 3 / 4
        var result = [Float](repeating: 0, count: count)
        for distance in 0..<count {
            result[distance] = Float(scale * Double(correlation[distance]) / max(power, 1e-12 / unit / unit))
            let (left, right) = (Double(padded[distance]), Double(padded[frames - 1 - distance]))
            power -= left * left + right * right
        }
        return result
    }

    /// The highest point of each stretch above 0, but for the one that begins at 0.
    private static func peaks(of difference: [Float], upTo longest: Int) -> [Int] {
        var peaks: [Int] = []
        var place = 1
        while place <= longest, difference[place] > 0 { place += 1 }
        while place <= longest {
            while place <= longest, !(difference[place] > 0) { place += 1 }
            var highest: Int?
            while place <= longest, difference[place] > 0 {
                if difference[place] >= difference[place - 1], difference[place] > difference[place + 1],
                    highest.map({ difference[place] > difference[$0] }) ?? true
                {
                    highest = place
                }
                place += 1
            }
            if let highest { peaks.append(highest) }
        }
        return peaks
    }

    /// The highest point of the function near one of its samples.
    private static func top(of difference: [Float], at place: Int) -> (place: Double, height: Double) {
        let top = parabola(
            Double(difference[place - 1]), Double(difference[place]), Double(difference[place + 1]), at: Double(place),
            step: 1)
        // A short period has its samples far apart: between them the parabola is too low, and that by another amount at each
        // multiple, which would be taken for another pitch.
        guard place < 80 else { return top }
        let step = 0.25
        func value(_ distance: Double) -> Double { interpolated(difference, distance) }
        return parabola(value(top.place - step), value(top.place), value(top.place + step), at: top.place, step: step)
    }

    /// The top of the parabola through three points.
    private static func parabola(
        _ left: Double, _ middle: Double, _ right: Double, at place: Double, step: Double
    ) -> (place: Double, height: Double) {
        let bend = left - 2 * middle + right
        guard bend < 0 else { return (place, middle) }
        let offset = max(-1, min(1, 0.5 * (left - right) / bend))
        return (place + step * offset, middle - 0.25 * (left - right) * offset)
    }

    /// The function between its samples, by a sine cardinal under a cosine bell. It is even.
    private static func interpolated(_ difference: [Float], _ distance: Double) -> Double {
        let reach = 12
        let whole = Int(distance.rounded(.down))
        let part = distance - Double(whole)
        guard part > 1e-9 else { return Double(difference[whole]) }
        let sine = sin(.pi * part)
        var sum = 0.0
        for step in (1 - reach)...reach {
            let far = part - Double(step)
            let bell = 0.5 + 0.5 * cos(.pi * far / Double(reach + 1))
            let weight = (step % 2 == 0 ? sine : -sine) / (.pi * far) * bell
            let index = abs(whole + step)
            if index < difference.count { sum += weight * Double(difference[index]) }
        }
        return sum
    }
}
