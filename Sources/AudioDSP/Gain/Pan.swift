import func Glibc.cos
import func Glibc.sin

/// How a sound is placed between two loudspeakers, −1 (left) to 1 (right): linear gains of the two channels.
public enum Pan {
    /// Of one channel on its way to two: gains cos φ and sin φ with φ = (pan + 1) · π/4, whose squares add up to 1, so that the
    /// sound is as loud everywhere. In the middle both are −3 dB.
    ///
    /// - Parameter pan: −1…1; what lies outside is moved to the nearest end, NaN is the middle.
    public static func constantPower(_ pan: Double) -> (left: Float, right: Float) {
        let angle = (limited(pan) + 1) * .pi / 4
        // The ends to the bit: the cosine of the nearest number to π/2 is not 0.
        return (limited(pan) == 1 ? 0 : Float(cos(angle)), limited(pan) == -1 ? 0 : Float(sin(angle)))
    }

    /// Of two channels on their way to two: the one on the far side gets softer, down to silence, and the near one stays as it
    /// is. In the middle both are unchanged.
    ///
    /// - Parameter pan: as for `constantPower`.
    public static func balance(_ pan: Double) -> (left: Float, right: Float) {
        (Float(min(1, 1 - limited(pan))), Float(min(1, 1 + limited(pan))))
    }

    private static func limited(_ pan: Double) -> Double { pan.isNaN ? 0 : max(-1, min(pan, 1)) }
}
