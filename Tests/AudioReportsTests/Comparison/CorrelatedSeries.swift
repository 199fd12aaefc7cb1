import Glibc
import TestSupport

/// Deviations as a machine's are: about log-normal, and the more alike the closer together in time.
struct CorrelatedSeries {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// - Parameters:
    ///   - correlation: of the slow part's neighbours; half of the spread is independent of it.
    ///   - scale: what all are multiplied by.
    mutating func values(_ count: Int, correlation: Double, scale: Double = 1) -> [Int64] {
        let step = (1 - correlation * correlation).squareRoot()
        var slow = random.normal()
        return (0..<count).map { _ in
            slow = correlation * slow + step * random.normal()
            return Int64(9000 * scale * exp(0.8 * (0.7 * slow + 0.714 * random.normal())))
        }
    }
}
