import AudioRealtime
import Synchronization
import Threads

/// Measures the loudness (EBU R 128) and the true peak of what a tap delivers.
///
/// The channels are taken for those of loudspeakers, by their number: mono; left, right; with centre; left, right and
/// two surrounds; left, right, centre and two surrounds; 5.1 in the order left, right, centre, low frequencies,
/// surrounds. From 7 on each counts the same.
public final class LoudnessMeter: Sendable {
    /// How many channels can be measured.
    public static let channelRange = 1...64
    /// In hertz. Below, the weighting's shelf at 1.7 kHz has no room.
    public static let sampleRates = 8000...2_822_400

    private let session: MeterSession<LoudnessSpans>
    /// Frames that had been dropped when it began again.
    private let droppedBefore = Mutex<UInt64>(0)

    /// - Parameters:
    ///   - sampleRate: the server's, in hertz, of `sampleRates`.
    ///   - channels: as many as the tap's, of `channelRange`.
    /// - Throws: `channels`, `sampleRate`. Its memory is taken with the first block: where there is none, the frames count as
    ///   dropped.
    ///
    /// Thread: control.
    public init(sampleRate: Int, channels: Int) throws(LoudnessError) {
        session = MeterSession("iounit-loudness", try LoudnessSpans(sampleRate: sampleRate, channels: channels))
    }

    deinit { finish() }

    /// Begins to measure what comes through a tap. Once only. Thread: control.
    ///
    /// - Throws: where the machine has no more threads to give.
    public func start(_ tap: consuming TapReader) throws(ResourceError) { try session.start(tap) }

    /// Measures what is left in the tap, and ends.
    ///
    /// After the audio thread has been deactivated. Calling it again does nothing. Thread: control.
    public func finish() { session.finish() }

    /// What was measured so far. Thread: any but audio; waits for a block to be measured.
    public var reading: LoudnessReading {
        var reading = session.withAnalyzer { $0.reading }
        reading.droppedFrames = session.droppedFrames
        return reading
    }

    /// From now on `recentReading` is of what comes, as for a view whose peaks begin again; `reading` goes on to be of all of the
    /// sound. Where there is no memory for it nothing happens. Thread: control.
    public func restart() {
        let dropped = session.droppedFrames
        if session.withAnalyzer({ $0.restart() }) { droppedBefore.withLock { $0 = dropped } }
    }

    /// What was measured since `restart`, or since the start where there was none; the last 0.4 s and 3 s are the sound's
    /// whenever that was. Thread: as `reading`.
    public var recentReading: LoudnessReading {
        var reading = session.withAnalyzer { $0.recentReading }
        let before = droppedBefore.withLock { $0 }
        reading.droppedFrames = session.droppedFrames - min(before, session.droppedFrames)
        return reading
    }
}
