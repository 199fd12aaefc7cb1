import AudioRealtime
import Jack
import Synchronization

/// Writes what a tap delivers to a file.
///
/// The file is whole and can be read at any moment, even where the process is killed: WAV, RF64, W64, CAF, AIFF and
/// AU up to the last 10 ms, FLAC and MP3 up to their last block, Opus and Vorbis up to their last page (0.2 s; 0.5 s).
public final class Recorder: Sendable {
    public let path: String
    private let session: RecordingSession
    private let worker = Mutex<Worker?>(nil)

    /// Creates the file, so that what cannot be created fails before anything starts.
    ///
    /// - Parameters:
    ///   - path: its extension tells the format: samples are 32-bit floats, but in .flac (24 bits, clipped at ±1) and
    ///     in .ogg (Vorbis), .opus and .mp3. A .wav file becomes RF64 beyond 4 GiB.
    ///   - sampleRate: the server's, in hertz.
    ///   - channels: as many as the tap's.
    ///   - force: overwrites a regular file of that name.
    /// - Throws: `unsupportedFormat`, `exists`, `cannotCreate`.
    ///
    /// Thread: control.
    public init(path: String, sampleRate: Int, channels: Int, force: Bool = false) throws(RecordingError) {
        self.path = path
        let writer = try SoundFileWriter(path: path, sampleRate: sampleRate, channels: channels, force: force)
        session = RecordingSession(writer, channels: channels)
    }

    deinit { finish() }

    /// The extensions that `path` may have.
    public static var knownExtensions: [String] { FileFormat.extensions }

    /// Begins to write what comes through a tap. Once only. Thread: control.
    ///
    /// - Throws: `resources` where the machine has no more threads to give.
    public func start(_ tap: consuming TapReader) throws(JackError) {
        session.begin(tap)
        let session = session
        let worker = try Worker("iounit-recorder") { session.run() }
        self.worker.withLock { $0 = worker }
    }

    /// Writes what is left in the tap and closes the file. One that was never started leaves no file.
    ///
    /// After the audio thread has been deactivated. Calling it again does nothing. Thread: control.
    public func finish() {
        session.stop()
        worker.withLock { $0?.join() }
        session.finish()
    }

    /// Frames in the file.
    public var writtenFrames: UInt64 { session.written.load(ordering: .relaxed) }

    /// Frames that found no room in the tap, because the disk was too slow for too long.
    public var droppedFrames: UInt64 { session.dropped.load(ordering: .relaxed) }

    /// Frames that came through the tap after the file had failed.
    public var lostFrames: UInt64 { session.lost.load(ordering: .relaxed) }

    /// Why nothing more is written.
    public var failure: RecordingError? { session.failure }
}
