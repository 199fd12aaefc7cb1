import AudioDSP
import AudioRealtime
import Glibc

/// What a unit at rest makes of a sample, in double precision: y = shape(drive · gain · x).
package func formula(_ x: Float, _ parameters: Parameters) -> Double {
    if parameters.isMuted { return 0 }
    if parameters.isBypassed { return Double(x) }
    let scaled = Double(x) * Double(parameters.gain)
    return curve(parameters.shape, of: parameters.shape == .off ? scaled : scaled * Double(parameters.drive))
}

/// A shape's curve in double precision. Of `asymmetric` it is what goes into the blocker of DC.
package func curve(_ shape: Shape, of x: Double) -> Double {
    switch shape {
    case .off: x
    case .hard, .table: max(-1, min(1, x))
    case .cubic: cubic(x)
    case .tanh: Glibc.tanh(x)
    case .asymmetric: (cubic(x + 0.25) - cubic(0.25)) / (1 + cubic(0.25))
    case .fold: sin(.pi / 2 * x)
    }
}

private func cubic(_ x: Double) -> Double {
    let limited = max(-1, min(1, x))
    return 1.5 * limited - 0.5 * limited * limited * limited
}

extension Shape {
    /// Those whose output depends on nothing but the sample that went in.
    package static let memoryless = allCases.filter { $0 != .asymmetric }
}
