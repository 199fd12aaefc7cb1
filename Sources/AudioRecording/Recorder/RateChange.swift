/// What becomes of a recording when the server comes back at another sample rate.
public enum RateChange: String, Sendable, CaseIterable {
    /// The file ends, and the recording goes on in a new one: after `take.wav` in `take-2.wav`. Where no such file can be
    /// made, as an .opus file at 44.1 kHz, what comes is converted and nothing is lost.
    case split
    /// What comes is converted to the file's rate.
    case convert
}
