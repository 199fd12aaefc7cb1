import Glibc

/// The pitch of one voice at a moment.
public struct PitchReading: Sendable, Equatable {
    /// The end of the 100 ms that it is of, in seconds from the start.
    public var seconds = 0.0
    /// In hertz, 30…4000, and at most a fifth of the sample rate; `nil` where there is none: silence, noise. Of several
    /// voices at once it is the period of all of them together, if they have one.
    public var hertz: Double?
    /// How alike the sound is to itself one period later, 0…1.
    public var confidence = 0.0

    /// From this on a pitch is given.
    public static let lowestConfidence = 0.85

    init(seconds: Double = 0, hertz: Double? = nil, confidence: Double = 0) {
        self.seconds = seconds
        self.hertz = hertz
        self.confidence = confidence
    }

    /// The nearest note of equal temperament; `nil` where there is no pitch.
    ///
    /// - Parameter reference: of the A above middle C, in hertz, as 440 or 415.
    public func note(reference: Double = 440) -> PitchNote? {
        hertz.map { PitchNote(hertz: $0, reference: reference) }
    }
}
