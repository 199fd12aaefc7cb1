/// What becomes of a recording when the server comes back at another sample rate.
public enum RateChange: String, Sendable, CaseIterable {
    /// The file ends, and the recording goes on in a new one: after `take.wav` in `take-2.wav`.
    case split
    /// What comes is converted to the file's rate.
    case convert
}
