// Mathematics, and nothing else of the C library: this module has no clock, file or thread to reach for.
import func Glibc.log10
import func Glibc.pow

/// A level or gain in decibels, and its linear value.
public enum Decibels {
    /// What a gain can be set to, here and everywhere.
    public static let range = -120.0...60.0

    /// The linear factor of a gain: 10^(decibels / 20). −∞ gives 0. Thread: control.
    public static func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }

    /// The gain of a linear factor: 20 · log₁₀(linear). 0 gives −∞. Thread: control.
    public static func decibels(_ linear: Double) -> Double { 20 * log10(linear) }
}
