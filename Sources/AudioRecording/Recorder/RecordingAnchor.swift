import AudioRealtime
import Threads

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
}

extension RecordingAnchor {
    /// The first frame of a block that comes as this one of the recording.
    init(_ block: TapBlock, at frame: Int, _ settings: RecordingSettings) {
        self.init(frame: frame, nanoseconds: block.entryNanoseconds)
        guard case .transport = settings.start else { return }
        transport = block.transport.map {
            Transport(frame: $0.frame, sampleRate: Int(block.run.sampleRate), recordingFrame: frame)
        }
    }

    /// Of the transport, where the recording goes with that, the frame at another of the recording: at its own rate, and at the
    /// file's.
    func transportFrame(at frame: Int, sampleRate: Int) -> (own: Int, ofFile: UInt64)? {
        transport.map { transport in
            let ratio = Double(transport.sampleRate) / Double(sampleRate)
            let place = Double(transport.frame) + Double(frame - transport.recordingFrame) * ratio
            return (Int(place.rounded()), UInt64(max(0, place / ratio).rounded()))
        }
    }

    /// When another frame of the recording was, on the monotonic clock; now, where nothing is known yet.
    func nanoseconds(at other: Int, sampleRate: Int) -> UInt64 {
        guard nanoseconds > 0 else { return MonotonicClock.nanoseconds() }
        return nanoseconds &+ UInt64(bitPattern: Int64(Double(other - frame) / Double(sampleRate) * 1e9))
    }
}
