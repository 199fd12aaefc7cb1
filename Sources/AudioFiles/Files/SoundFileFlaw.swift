/// What is wrong with a file of which a part can be read.
public enum SoundFileFlaw: Sendable, Hashable, CustomStringConvertible {
    /// The header promises more bytes than there are.
    case missingBytes(promised: Int, present: Int)
    /// The header promises more frames than can be read, as it was found out before all of them were read.
    case missingFrames(promised: Int)
    /// Reading stopped before the end.
    ///
    /// - Parameters:
    ///   - promised: frames that the header promises; `nil` where it does not know.
    ///   - reason: libsndfile's; `nil` where the file simply ends.
    case stopped(frame: Int, promised: Int?, reason: String?)
    /// The header says that there are no frames, though it may never have been finished.
    case noFrames

    public var description: String {
        switch self {
        case .missingBytes(let promised, let present):
            "it is cut off: its header promises \(promised) bytes and \(present) are there"
        case .missingFrames(let promised):
            "it is cut off: its header promises \(promised) frames and not all are there"
        case .stopped(let frame, let promised, let reason):
            "reading stopped at frame \(frame)" + (promised.map { " of \($0)" } ?? "")
                + (reason.map { " (libsndfile: \($0))" } ?? "") + "; what follows is left out"
        case .noFrames: "its header says that it holds no frames"
        }
    }
}
