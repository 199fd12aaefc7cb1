import AudioDSP
import AudioRealtime
import Glibc

/// What a unit at rest makes of a sample, in double precision: y = make-up gain · shape(drive · gain · x).
package func formula(_ x: Float, _ parameters: ShaperSetting) -> Double {
    if parameters.isMuted { return 0 }
    if parameters.isBypassed { return Double(x) }
    let scaled = Double(x) * Double(parameters.gain)
    if parameters.shape == .off { return scaled }
    let shaped = curve(parameters.shape, of: scaled * Double(parameters.drive))
    return parameters.hasMakeUpGain ? shaped * makeUpGain(parameters.shape, Double(parameters.drive)) : shaped
}

/// The largest distance of a signal from what the formula makes of its input. NaN where a sample is.
package func largestError(of output: [Float], from input: [Float], _ parameters: ShaperSetting) -> Double {
    precondition(output.count == input.count)
    let errors = zip(input, output).map { abs(Double($1) - formula($0, parameters)) }
    return errors.contains(where: \.isNaN) ? .nan : errors.max() ?? 0
}

/// How many times as high the RMS level of a sine with a peak of ¼ is as after drive and curve, what is constant of
/// `asymmetric` left out.
package func makeUpGain(_ shape: Shape, _ drive: Double) -> Double {
    let count = 10_000
    let shaped = (0..<count).map { index in
        curve(shape, of: drive * 0.25 * sin(2 * .pi * (Double(index) + 0.5) / Double(count)))
    }
    let mean = shape == .asymmetric ? shaped.reduce(0, +) / Double(count) : 0
    let power = shaped.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
    return (0.03125 / power).squareRoot()
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
