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
    /// −80 dB of full scale, mean power: softer sound is silence.
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
        // The fewer samples there are, the less exact are the heights.
        let least = height - 0.012 - 0.3 / Double(frames) - 0.25 * max(0, 1 - height)
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
            return parabolaTop(left, middle, right).map { Double(center) + $0.offset }
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

    /// The highest point of the function near one of its samples, which lies up to a sample away: looked for in small steps.
    private static func top(of difference: [Float], at place: Int) -> (place: Double, height: Double) {
        func value(_ step: Int) -> Double { interpolated(difference, place * TopSteps.count + step) }
        var (best, height) = (0, Double(difference[place]))
        for step in -TopSteps.count...TopSteps.count where step != 0 {
            let value = value(step)
            if value > height { (best, height) = (step, value) }
        }
        let top = parabolaTop(value(best - 1), height, value(best + 1)) ?? (0, height)
        return (Double(place) + (Double(best) + top.offset) / Double(TopSteps.count), top.height)
    }

    /// The function at a number of steps, between its samples: a sum of them by a row of `TopSteps`. It is even.
    private static func interpolated(_ difference: [Float], _ steps: Int) -> Double {
        let (whole, part) = (steps / TopSteps.count, steps % TopSteps.count)
        guard part != 0 else { return Double(difference[whole]) }
        var sum = 0.0
        for (number, weight) in TopSteps.rows[part - 1].enumerated() {
            let index = abs(whole + number + 1 - TopSteps.reach)
            if index < difference.count { sum += weight * Double(difference[index]) }
        }
        return sum
    }
}

/// What tells a function between its samples: sine cardinals under a cosine bell.
private enum TopSteps {
    /// Steps from one sample to the next.
    static let count = 8
    /// Samples to each side.
    static let reach = 12
    /// For each step between two samples the weights of those around it.
    static let rows = (1..<count).map { step in
        (1 - reach...reach).map { sample in
            let far = Double(step) / Double(count) - Double(sample)
            return sin(.pi * far) / (.pi * far) * (0.5 + 0.5 * cos(.pi * far / Double(reach + 1)))
        }
    }
}
