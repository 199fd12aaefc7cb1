import AudioDSP

/// What a level meter shows of one channel: falls slowly, holds its peak, keeps its clip lamp on for a while.
package struct LevelMeter {
    /// In decibels of full scale; −∞ for silence.
    private(set) var level = -Double.infinity
    private(set) var held = -Double.infinity
    private(set) var isClipping = false
    /// Where it stands; its number where that is all.
    package var label: String?
    /// What that is connected to, where there is room for it.
    package var partner: String?

    private var heldUntil = 0.0
    private var clippingUntil = 0.0
    private var lastClipped: UInt64 = 0

    package init() {}

    package mutating func reset() { (held, heldUntil, clippingUntil, isClipping) = (level, 0, 0, false) }

    private static let fallPerSecond = 26.0
    private static let holdSeconds = 1.5
    private static let lampSeconds = 3.0

    /// - Parameters:
    ///   - peak: the largest magnitude since the last update, linear.
    ///   - clipped: how many samples have clipped so far. The count may begin again at 0.
    ///   - time: in seconds, of any origin.
    ///   - elapsed: since the last update, in seconds.
    package mutating func update(peak: Float, clipped: UInt64, time: Double, elapsed: Double) {
        let now = Decibels.decibels(Double(peak))
        level = max(now, level - Self.fallPerSecond * elapsed)
        if level < -120 { level = -.infinity }
        if now >= held || time >= heldUntil {
            if now >= held { heldUntil = time + Self.holdSeconds }
            held = max(now, held - Self.fallPerSecond * elapsed)
            if held < -120 { held = -.infinity }
        }
        // A smaller count than before has begun again at 0.
        let known = clipped < lastClipped ? 0 : lastClipped
        if clipped > known { clippingUntil = time + Self.lampSeconds }
        lastClipped = clipped
        isClipping = time < clippingUntil
    }
}
