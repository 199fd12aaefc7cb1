/// What becomes of the time that is missing in a recording.
public enum GapFill: String, Sendable, CaseIterable {
    /// It is filled with exactly as many frames of silence, so that the file stays in time with the world. A pause is cut
    /// all the same: it was wanted.
    case silence
    /// What comes after a gap follows what came before it.
    case cut
}
