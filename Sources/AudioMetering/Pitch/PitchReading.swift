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

    /// The nearest note of equal temperament; `nil` where there is no pitch.
    ///
    /// - Parameter reference: of the A above middle C, in hertz, as 440 or 415.
    public func note(reference: Double = 440) -> PitchNote? {
        hertz.map { PitchNote(hertz: $0, reference: reference) }
    }
}

/// A note of equal temperament, and by how much a pitch lies above it.
public struct PitchNote: Sendable, Equatable {
    /// As MIDI counts: 69 is the A above middle C.
    public var number: Int
    /// −50…50 cents: hundredths of a semitone. Negative: the pitch is flat.
    public var cents: Double

    private static let names = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]

    /// The note nearest to a pitch.
    ///
    /// - Parameters:
    ///   - hertz: of the pitch, more than 0: a thousand millionth of the reference to as many times that, beyond which it counts
    ///     as the nearer of both, and as the lower one where it is no number.
    ///   - reference: of the A above middle C, in hertz, as 440 or 415.
    public init(hertz: Double, reference: Double = 440) {
        let exact = 69 + 12 * log2(max(1e-9, min(hertz / reference, 1e9)))
        number = Int(exact.rounded())
        cents = 100 * (exact - exact.rounded())
    }

    /// As in A4, C#5: with the octave of scientific pitch notation, in which middle C is C4.
    public var name: String {
        let octave = (Double(number) / 12).rounded(.down) - 1
        return Self.names[((number % 12) + 12) % 12] + "\(Int(octave))"
    }
}
