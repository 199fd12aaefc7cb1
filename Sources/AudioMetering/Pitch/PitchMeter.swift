import AudioRealtime
import Threads

/// Follows the pitch of one voice in what a tap delivers: fifty readings a second, each of the last 100 ms of the mean of all
/// channels.
public final class PitchMeter: Sendable {
    private let session: MeterSession<PitchAnalyzer>

    /// - Parameters:
    ///   - sampleRate: the server's, in hertz, 500…768 000.
    ///   - channels: as many as the tap's, 1…256.
    /// - Throws: `channels`, `sampleRate`.
    ///
    /// Thread: control.
    public init(sampleRate: Int, channels: Int) throws(MeterError) {
        session = MeterSession("iounit-pitch", try PitchAnalyzer(sampleRate: sampleRate, channels: channels))
    }

    deinit { finish() }

    /// Begins to listen to a tap. Once only. Thread: control.
    ///
    /// - Throws: where the machine has no more threads to give.
    public func start(_ tap: consuming TapReader) throws(ResourceError) { try session.start(tap) }

    /// Looks at what is left in the tap, and ends.
    ///
    /// After the audio thread has been deactivated. Calling it again does nothing. Thread: control.
    public func finish() { session.finish() }

    /// The last reading. Thread: any but audio; waits for a block to be looked at.
    public var reading: PitchReading { session.withAnalyzer { $0.reading } }

    /// The readings since the last call, oldest first, at most of the last minute. Thread: any but audio; waits for a block to be
    /// looked at.
    public func takeReadings() -> [PitchReading] { session.withAnalyzer { $0.take() } }

    /// Frames that never reached the meter, or had a sample rate that it does not take. Thread: any but audio.
    public var droppedFrames: UInt64 { session.droppedFrames }
}
