import AudioRealtime
import Threads

/// Counts the heartbeats in what a tap delivers, as from a microphone that is held to the chest.
///
/// It looks at the last 10 s, twice a second, at the mean of all channels. It gives a number only where it can answer for it:
/// `HeartbeatReading.absence` says why there is none. It is no medical device.
public final class HeartbeatMeter: Sendable {
    /// What the microphone heard lately, and what was found in it.
    public struct Trace: Sendable {
        /// How loud the heart sounds were: linear, 200 values a second, oldest first.
        public var levels: [Float]
        /// When the last value was, in seconds from the start.
        public var endSeconds: Double
        /// What was found in it last.
        public var reading: HeartbeatReading
    }

    private let session: MeterSession<HeartbeatAnalyzer>

    /// - Parameters:
    ///   - sampleRate: the server's, in hertz, 500…768 000.
    ///   - channels: as many as the tap's, 1…256.
    /// - Throws: `channels`, `sampleRate`.
    ///
    /// Thread: control.
    public init(sampleRate: Int, channels: Int) throws(MeterError) {
        session = MeterSession("iounit-beat", try HeartbeatAnalyzer(sampleRate: sampleRate, channels: channels))
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

    /// What was found last. Thread: any but audio; waits for a block to be looked at.
    public var reading: HeartbeatReading { session.withAnalyzer { $0.reading } }

    /// The last seconds, 10 at the most. Thread: any but audio; waits for a block to be looked at.
    public func trace(seconds: Double) -> Trace {
        session.withAnalyzer {
            Trace(levels: $0.trace(seconds: seconds), endSeconds: $0.elapsedSeconds, reading: $0.reading)
        }
    }

    /// Frames that never reached the meter, or had a sample rate that it does not take. Thread: any but audio.
    public var droppedFrames: UInt64 { session.droppedFrames }
}
