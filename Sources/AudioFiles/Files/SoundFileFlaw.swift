/// What is wrong with a file of which a part can be read.
public enum SoundFileFlaw: Sendable, Hashable, CustomStringConvertible {
    /// The header promises more bytes than there are.
    case missingBytes(promised: Int, present: Int)
    /// The header promises more frames than can be read, as it was found out before all of them were read.
    case missingFrames(promised: Int)
    /// The end of an Ogg or FLAC file is missing: its recorder was killed, or somebody saved a part of a stream.
    case missingEnd
    /// Reading stopped before the end.
    ///
    /// - Parameters:
    ///   - promised: frames that the header promises; `nil` where it does not know.
    ///   - reason: libsndfile's; `nil` where the file simply ends.
    case stopped(frame: Int, promised: Int?, reason: String?)
    /// The header promises fewer frames than there are. All of them are read.
    case moreFrames(promised: Int)
    /// Bytes of FLAC could not be read. The frames behind them are read, at their time.
    ///
    /// - Parameters:
    ///   - frame: the first that could not.
    ///   - silentFrames: how many are silent, of all places together.
    case damaged(frame: Int, silentFrames: Int, places: Int)
    /// From a frame on, FLAC, Ogg or MP3 has another sample rate in hertz, other channels or more bits. That part is left out.
    ///
    /// - Parameter bits: `nil` for Ogg and MP3.
    case changed(frame: Int, sampleRate: Int, channels: Int, bits: Int?)
    /// From a frame on, another stream of Ogg follows, in a pipe or behind FLAC. It is left out.
    case chained(frame: Int)
    /// Sound is missing, because bytes of Ogg or MP3 are damaged or missing.
    ///
    /// - Parameter frames: how many; `nil` if unknown.
    case lost(frames: Int?)
    /// The header says that there are no frames, though it may never have been finished.
    case noFrames

    public var description: String {
        switch self {
        case .missingBytes(let promised, let present):
            "it is cut off: its header promises \(promised) bytes and \(present) are there"
        case .missingFrames(let promised):
            "it is cut off: its header promises \(promised) frames and not all are there"
        case .missingEnd: "it is cut off: its end is missing"
        case .stopped(let frame, let promised, let reason):
            "reading stopped at frame \(frame)" + (promised.map { " of \($0)" } ?? "")
                + (reason.map { " (libsndfile: \($0))" } ?? "") + "; what follows is left out"
        case .moreFrames(let promised): "its header promises \(promised) frames and there are more, which are read too"
        case .damaged(let frame, let silentFrames, let places):
            "it is damaged at frame \(frame)" + (places > 1 ? " and at \(places - 1) places after it" : "")
                + (silentFrames > 0 ? "; \(silentFrames) frames are silent there" : ", where its frames count anew")
        case .changed(let frame, let sampleRate, let channels, let bits):
            "from frame \(frame) on it has \(sampleRate) Hz and \(channels) channels"
                + (bits.map { " of \($0) bits" } ?? "") + ", which is left out; split it there"
        case .chained(let frame):
            "from frame \(frame) on another stream of Ogg follows, which is left out; write it into a file, or split it there"
        case .lost(let frames):
            "it is damaged: \(frames.map { "\($0)" } ?? "some") of its frames cannot be read, and what follows them comes too early"
        case .noFrames: "its header says that it holds no frames"
        }
    }
}
