import AudioRealtime

/// A frame of a recording, and when and where it was.
struct RecordingAnchor {
    /// Of JACK's transport.
    struct Transport {
        var frame: UInt32
        /// The server's, in hertz.
        var sampleRate: Int
        /// The frame of the recording that it came as.
        var recordingFrame: Int
    }

    /// Of all files, as `RecordingFiles.frames` counts them.
    var frame: Int
    /// On the monotonic clock.
    var nanoseconds: UInt64
    /// Where the transport was seen last; `nil` where the recording does not go with it.
    var transport: Transport?

    init(frame: Int, nanoseconds: UInt64, transport: Transport? = nil) {
        self.frame = frame
        self.nanoseconds = nanoseconds
        self.transport = transport
    }

    /// The first frame of a block that comes as this one of the recording.
    init(_ block: TapBlock, at frame: Int, _ settings: RecordingSettings) {
        self.init(frame: frame, nanoseconds: block.entryNanoseconds)
        guard case .transport = settings.start else { return }
        transport = block.transport.map {
            Transport(frame: $0.frame, sampleRate: Int(block.run.sampleRate), recordingFrame: frame)
        }
    }
}
