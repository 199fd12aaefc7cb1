import AudioDSP
import AudioRealtime
import Glibc

/// What a unit at rest makes of a sample, in double precision: y = shape(drive · gain · x).
package func formula(_ x: Float, _ parameters: Parameters) -> Double {
    if parameters.isMuted { return 0 }
    if parameters.isBypassed { return Double(x) }
    let scaled = Double(x) * Double(parameters.gain)
    let driven = scaled * Double(parameters.drive)
    let limited = max(-1, min(1, driven))
    return switch parameters.shape {
    case .off: scaled
    case .hard: limited
    case .cubic: 1.5 * limited - 0.5 * limited * limited * limited
    case .tanh: Glibc.tanh(driven)
    }
}
