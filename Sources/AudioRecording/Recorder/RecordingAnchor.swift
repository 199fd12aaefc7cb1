import AudioRealtime

/// A frame of a recording, and when and where it was.
struct RecordingAnchor {
    /// Of JACK's transport.
    struct Transport {
        var frame: UInt32
        /// The server's, in hertz.
        var sampleRate: Int
    }

    /// Of all files, as `RecordingFiles.frames` counts them.
    var frame: Int
    /// On the monotonic clock.
    var nanoseconds: UInt64
    /// `nil` where the recording does not go with the transport.
    var transport: Transport?

    init(frame: Int, nanoseconds: UInt64) {
        self.frame = frame
        self.nanoseconds = nanoseconds
    }

    /// The first frame of a block that comes as this one of the recording.
    init(_ block: TapBlock, at frame: Int, _ settings: RecordingSettings) {
        self.init(frame: frame, nanoseconds: block.entryNanoseconds)
        guard case .transport = settings.start else { return }
        transport = block.transport.map { Transport(frame: $0.frame, sampleRate: Int(block.run.sampleRate)) }
    }
}
