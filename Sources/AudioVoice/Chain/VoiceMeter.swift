import Glibc

/// What the levels tell of a canceller: how much it takes away, and whether it does the opposite. Thread: one at a time.
struct VoiceMeter {
    /// Far ends below −60 dB of full scale have no echo.
    private static let leastFarPower = 1e-6
    /// The output is far from nothing: −60 dB.
    private static let leastOutputPower = 1e-6
    /// So long the output must be louder than the input.
    private static let divergentFrames = 20

    /// By how much the output may be louder, as a ratio of powers.
    private let permitted: Double
    private var near = 0.0
    private var clean = 0.0
    private var soon = (near: 0.0, clean: 0.0)
    private var divergent = 0

    /// - Parameter controlsGain: whether the output may be louder than the input by the gain of a control.
    init(controlsGain: Bool) { permitted = controlsGain ? 1000 : 2 }

    /// The mean power of samples; not a number where one is none.
    static func power(_ samples: [Float]) -> Double {
        Double(samples.reduce(Float(0)) { $0 + $1 * $1 }) / Double(max(1, samples.count))
    }

    /// Adds 10 ms; returns whether the canceller has diverged.
    mutating func add(nearPower: Double, farPower: Double, cleanPower: Double) -> Bool {
        if farPower > Self.leastFarPower {
            near += (nearPower - near) * 0.01
            clean += (cleanPower - clean) * 0.01
        }
        soon.near += (nearPower - soon.near) * 0.05
        soon.clean += (cleanPower - soon.clean) * 0.05
        let isLouder = soon.clean > permitted * soon.near && soon.clean > Self.leastOutputPower
        divergent = isLouder ? divergent + 1 : 0
        return divergent >= Self.divergentFrames
    }

    /// The canceller begins again.
    mutating func reset() {
        soon = (0, 0)
        divergent = 0
    }

    /// In dB; `nil` before the far end was heard.
    var enhancementDecibels: Double? {
        guard near > 1e-12 else { return nil }
        return min(99, 10 * log10(near / max(clean, 1e-20)))
    }
}
