import Glibc

/// Bands of equal width in octaves, side by side, with one centred on 1000 Hz.
public struct OctaveBands: Sendable, Equatable {
    /// In hertz, rising: one more than there are bands.
    public let edges: [Double]
    /// In hertz: the geometric mean of both edges.
    public let centers: [Double]

    /// - Parameters:
    ///   - perOctave: bands in an octave, 1…48.
    ///   - range: in hertz, of the centres, 0.001…10⁹; what lies outside is moved to the nearest end.
    public init(perOctave: Int, in range: ClosedRange<Double> = 20...20000) {
        let count = Double(max(1, min(48, perOctave)))
        func place(_ hertz: Double) -> Double { count * log2(max(1e-3, min(hertz, 1e9)) / 1000) }
        let first = Int(place(range.lowerBound).rounded(.up))
        let last = max(first, Int(place(range.upperBound).rounded(.down)))
        centers = (first...last).map { 1000 * exp2(Double($0) / count) }
        edges = (first...last + 1).map { 1000 * exp2((Double($0) - 0.5) / count) }
    }
}
