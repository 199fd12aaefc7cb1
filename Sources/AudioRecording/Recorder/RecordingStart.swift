/// When a recorder begins to keep what it hears. Until then it holds the pre-roll, and makes no file.
public enum RecordingStart: Sendable, Equatable {
    /// With the first frame that comes.
    case immediately
    /// When `Recorder.begin` is called.
    case onRequest
    /// With the frame of a moment on the monotonic clock, in nanoseconds; with the first frame where that is over.
    case at(nanoseconds: UInt64)
    /// With the first sample that is as loud as this.
    case sound(SoundTrigger)
    /// When JACK's transport rolls; the recording ends when it stops. The engine must look at the transport
    /// (`EngineConfiguration.transport`).
    ///
    /// - Parameter repeats: whether the next file begins when the transport rolls again, or goes to another place. Else the
    ///   recording is over when the transport stops, and another place is a mark in the file.
    case transport(repeats: Bool)
}

/// Where a recording goes on in the next file, without a frame being lost or coming twice.
public enum RecordingSplit: Sendable, Equatable {
    /// After so many seconds of sound, exactly, counted from the start of the recording.
    case seconds(Double)
    /// Before a file becomes larger. Files of a fixed number of bytes for each frame stay below it but for their markers;
    /// FLAC, Opus, Vorbis and MP3 pass it by a block at the most.
    case bytes(Int)
}

/// Where and why a recording, or a further take of it, began.
public struct RecordedStart: Sendable, Equatable, Encodable {
    /// What a recording begins by.
    public enum Cause: String, Sendable, Encodable {
        /// It recorded from the first frame on.
        case immediate
        /// Somebody asked for it.
        case request
        /// The moment had come.
        case time
        /// It became loud enough.
        case sound
        /// JACK's transport rolled.
        case transport
    }

    /// Why it began.
    public var cause: Cause
    /// The number of the file, 1 for the first.
    public var segment: Int
    /// The frame in it: what comes before is pre-roll.
    public var frame: Int
    /// When that was, in UTC as ISO 8601 has it, with microseconds.
    public var wallTime: String
    /// The same on the monotonic clock.
    public var monotonicNanoseconds: UInt64
    /// The frame of JACK's transport, where the recording goes with that.
    public var transportFrame: UInt32?
}
