import Glibc

/// Figures of long signals. They are here because this module is optimised, which tests are not.
extension [Double] {
    public var mean: Double { reduce(0, +) / Double(count) }

    /// The mean of the squares.
    public var power: Double { reduce(0) { $0 + $1 * $1 } / Double(count) }

    /// From −1 to 1, of signals without a mean.
    ///
    /// - Parameter lag: by how many samples the other signal is taken later.
    public func correlation(with other: [Double], lag: Int = 0) -> Double {
        let (mine, theirs) = (Array(dropLast(lag)), Array(other.dropFirst(lag)))
        var sum = 0.0
        for index in mine.indices { sum += mine[index] * theirs[index] }
        return sum / (Double(mine.count) * (mine.power * theirs.power).squareRoot())
    }

    /// Of what comes out of filters of finite length, all of them at each place at which the longest has all its samples.
    public func largestMagnitude(through filters: [[Double]]) -> Double {
        let length = filters.map(\.count).max() ?? 0
        var largest = 0.0
        for start in 0...count - length {
            for taps in filters {
                var sum = 0.0
                for index in taps.indices { sum += taps[index] * self[start + index] }
                if sum.isNaN { return .nan }
                largest = Swift.max(largest, abs(sum))
            }
        }
        return largest
    }

    /// The power in a band of three bins around a frequency, over the whole rate: a mean of periodograms of so many samples.
    ///
    /// - Parameter frequency: in parts of the sample rate.
    public func density(at frequency: Double, length: Int) -> Double {
        // Hann's window, or a filter's peaks leak into its valleys.
        let window = (0..<length).map { 1 - cos(2 * Double.pi * Double($0) / Double(length)) }
        var (sum, count) = (0.0, 0)
        for bin in 0..<3 {
            let turn = 2 * Double.pi * (frequency + Double(bin) / Double(length))
            let wave = (0..<length).map { (window[$0] * cos(turn * Double($0)), window[$0] * sin(turn * Double($0))) }
            for start in stride(from: 0, to: self.count - length, by: length) {
                var (real, imaginary) = (0.0, 0.0)
                for index in 0..<length {
                    real += self[start + index] * wave[index].0
                    imaginary += self[start + index] * wave[index].1
                }
                sum += (real * real + imaginary * imaginary) / (1.5 * Double(length))
                count += 1
            }
        }
        return sum / Double(count)
    }
}
