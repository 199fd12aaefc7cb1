/// What is known of voice processing at one moment.
public struct VoiceFigures: Sendable, Equatable {
    /// How much softer the output is than the input while the far end is heard, over the last seconds, in dB: echo return loss
    /// enhancement, as long as nobody speaks at the near end. `nil` before the far end was heard.
    public var enhancementDecibels: Double?
    /// How much later the far end's sound comes back at the near end, in milliseconds, 0…500. `nil` before it was found.
    public var delayMilliseconds: Double?
    /// How often it was found to be so different that the far end was moved.
    public var delayChanges = 0
    /// How much faster the clock of who captures runs than that of who plays, in parts per million.
    public var driftPPM = 0.0
    /// How often the canceller made the sound louder instead of softer, or gave numbers that are none, and was reset.
    public var divergences = 0
    /// Of the present sound, 0…1; `nil` where the library does not say.
    public var speechProbability: Double?
    /// Of the gain control at present, in dB; `nil` where there is none, or the library does not say.
    public var gainDecibels: Double?
    /// Samples of either end that were NaN, infinite or absurd, and became silence.
    public var nonFiniteSamples: UInt64 = 0
    /// Frames of silence in the output because the worker was late.
    public var underrunFrames: UInt64 = 0
    /// Frames of the near end for which no far end came in time.
    public var missingFarFrames: UInt64 = 0
    /// Frames that were processed.
    public var frames: UInt64 = 0

    /// Before anything was heard.
    public init() {}
}
