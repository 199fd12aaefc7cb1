import AudioFiles
import AudioIO
import AudioRealtime
import Jack
import Synchronization
import Threads

/// Writes what a tap delivers to a file.
///
/// The file is whole and can be read at any moment, even where the process is killed: WAV, RF64, W64, CAF, AIFF and
/// AU up to the last 10 ms, FLAC and MP3 up to their last block, Opus and Vorbis up to their last page (0.2 s; 0.5 s).
/// After a late cycle the next sixteen are held back, until it is known what it has cost.
///
/// Where the rate changes and no new file can be made for it, what comes is converted into the one that runs.
///
/// Where sound is missing, the recorder knows exactly where and how much, and fills the gap with silence or not. With the
/// first gap, or the second segment, it makes a list of them beside the file, `take.wav.json` (`iounit.recording/1`), which is whole at
/// any moment too. At the end WAV, RF64, AIFF and CAF files get a marker at each gap; other kinds have the list alone.
public final class Recorder: Sendable {
    /// Of the file, or of the first of several, as it was given.
    public let path: String
    private let session: RecordingSession
    private let worker = Mutex<TimerWorker?>(nil)
    /// Removes the tap and the call at the end of an engine.
    private let leave = Mutex<(@Sendable () -> Void)?>(nil)
    private let isFinished = Mutex(false)

    /// Creates the file, so that what cannot be created fails before anything starts.
    ///
    /// - Parameters:
    ///   - path: its extension tells the format: samples are 32-bit floats, but in .flac (24 bits, clipped at ±1) and
    ///     in .ogg (Vorbis), .opus and .mp3. A .wav file becomes RF64 beyond 4 GiB.
    ///   - sampleRate: the server's, in hertz, and the first file's.
    ///   - channels: as many as the tap's.
    ///   - force: overwrites a regular file of that name, and the list of gaps beside it.
    ///   - gapFill: what becomes of time that is missing.
    ///   - onRateChange: what becomes of the recording when the server comes back at another rate, if it can be done.
    /// - Throws: `unsupportedFormat`, `exists`, `cannotCreate`.
    ///
    /// Thread: control.
    public convenience init(
        path: String, sampleRate: Int, channels: Int, force: Bool = false, gapFill: GapFill = .silence,
        onRateChange: RateChange = .split
    ) throws(SoundFileError) {
        let settings = RecordingSettings(
            sampleRate: nil, force: force, gapFill: gapFill, onRateChange: onRateChange)
        try self.init(RecordingName(path), sampleRate: sampleRate, channels: channels, settings)
    }

    /// Makes the first file, or, where the recording is not to begin at once, finds out whether it could be made.
    ///
    /// - Parameters:
    ///   - name: of the files.
    ///   - sampleRate: the server's, in hertz.
    ///   - channels: as many as the tap's.
    /// - Throws: `unsupportedFormat`, `exists`, `cannotCreate`.
    ///
    /// Thread: control.
    public init(
        _ name: RecordingName, sampleRate: Int, channels: Int, _ settings: RecordingSettings
    ) throws(SoundFileError) {
        path = name.text
        let figures = RecordingFigures()
        let patience = Patience()
        let recording = try Recording(
            name, sampleRate: sampleRate, channels: channels, settings, figures: figures, patience: patience)
        session = RecordingSession(recording, channels: channels, figures: figures, patience: patience)
    }

    deinit { finish() }

    /// The extensions that `path` may have.
    public static var knownExtensions: [String] { SoundFileFormat.knownExtensions }

    /// Has the recording begin with the first frame of what a player plays, and end behind the last one, to the frame; a length
    /// that the settings give may end it before. For a recorder that begins `onRequest`. Before `start`. Thread: control.
    ///
    /// - Parameters:
    ///   - player: one that has played nothing yet.
    ///   - latencyFrames: how much later its sound comes to the tap. The recording has the sound as if it came at once.
    public func follow(_ player: Player, latencyFrames: Int = 0) {
        session.follow(FollowedPlayer(player, latencyFrames: latencyFrames))
    }

    /// Begins to write what comes through a tap. Once only. Thread: control.
    ///
    /// - Throws: `resources` where the machine has no more threads to give.
    public func start(_ tap: consuming TapReader) throws(JackError) {
        session.begin(tap)
        let session = session
        let worker = try TimerWorker.start("iounit-recorder", every: RecordingSession.wakeNanoseconds) { _ in
            session.run()
        }
        self.worker.withLock { $0 = worker }
    }

    /// Writes what is left in the tap and closes the file. One that was never started leaves no file.
    ///
    /// A gap of hours that is being filled with silence is filled for half a second more, and for its first million frames
    /// at the least. A disk that takes nothing for a minute is given up: `failure` says so, and what it has not taken is lost.
    /// After the audio thread has been deactivated. Calling it again does nothing. Thread: control.
    ///
    /// - Parameter end: when the recording ended, on the monotonic clock, where the server had gone away and was not back: a
    ///   gap from the last frame to there is listed, and filled. `nil` where no sound is missing at the end.
    public func finish(withoutServerUntil end: UInt64? = nil) { finish(isAbandoned: false, withoutServerUntil: end) }

    /// As `finish`, and leaves no file where nothing was recorded. Thread: control.
    public func abandon() { finish(isAbandoned: true, withoutServerUntil: nil) }

    /// - Parameter seconds: how long the disk may take nothing.
    func finish(
        isAbandoned: Bool, withoutServerUntil end: UInt64?, patienceSeconds seconds: Double = FileSync.patienceSeconds
    ) {
        leave.withLock { $0.take() }?()
        isFinished.withLock { isFinished in
            guard !isFinished else { return }
            isFinished = true
            session.stop()
            let (session, worker) = (session, worker.withLock { $0 })
            let isClosed = DiskWait.run(
                patienceSeconds: seconds, progress: { session.figures.writtenFrames.load(ordering: .relaxed) }
            ) {
                worker?.stop()
                session.finish(isAbandoned: isAbandoned, withoutServerUntil: end)
            }
            guard isClosed else { return session.giveUp(path, afterSeconds: seconds) }
            session.awaitDisk()
        }
    }

    /// Begins to write what a node of an engine renders.
    func start(_ node: some Node, of engine: Engine, capacityFrames: Int) throws {
        let tap = try engine.removableTap(node, capacityFrames: capacityFrames)
        let remove = tap.remove
        leave.withLock { $0 = remove }
        try start(tap.reader)
        // Kept by the engine until then, so that the file is whole whatever its maker does.
        let forget = engine.atClose { [self] end in finish(withoutServerUntil: end) }
        leave.withLock { leave in
            leave = {
                remove()
                forget()
            }
        }
    }

    // MARK: While it runs

    /// What a recorder does.
    public enum State: Sendable, Equatable {
        /// It keeps the pre-roll, and has not begun.
        case waiting
        /// It keeps what it hears.
        case recording
        /// It leaves out what it hears.
        case paused
        /// It is as long as it was to be, or the silence has come that ends it. `finish` it.
        case over
    }

    /// As of the last block that was read. Thread: any but audio.
    public var state: State { session.state }

    /// Begins to record, with the pre-roll before it. Where it has begun, does nothing.
    ///
    /// - Parameter position: the frame, counted as `Engine.position` has it, with which it begins; `nil`, here and below, for as
    ///   soon as it can be, within 10 ms. Recorders that are asked at the same one, some 20 ms ahead, have the same frames.
    ///
    /// Thread: any but audio, here and below. What is asked for waits for its frame; of more than 1000 that wait, those beyond are
    /// left out, but for an end (`omittedRequests`).
    public func begin(atPosition position: UInt64? = nil) { ask(.begin, position) }

    /// Begins as it would at once, where the first sound comes so much later.
    package func beginAtOnce(atPosition position: UInt64) { ask(.beginAtOnce, position) }

    /// Leaves out what comes, until `resume`: the file goes on in the same place, with a marker and no silence.
    public func pause(atPosition position: UInt64? = nil) { ask(.pause, position) }
    /// Ends a pause.
    public func resume(atPosition position: UInt64? = nil) { ask(.resume, position) }

    /// Goes on in the next file, without a frame being lost.
    public func split(atPosition position: UInt64? = nil) { ask(.split, position) }

    /// Gives a place a name, in the markers of the file and in the list beside it. A place that does not come any more is the end.
    public func mark(_ label: String, atPosition position: UInt64? = nil) { ask(.mark(label), position) }

    /// Ends what is recorded, to the frame. `finish` it then.
    public func end(atPosition position: UInt64? = nil) { ask(.end, position) }

    private func ask(_ kind: RecordingGate.Request.Kind, _ position: UInt64?) {
        session.ask(RecordingGate.Request(position: position ?? 0, kind: kind))
    }

    // MARK: What has come of it

    /// Frames in the file, or the files.
    public var writtenFrames: UInt64 { session.figures.writtenFrames.load(ordering: .relaxed) }

    /// What they last, in seconds.
    public var writtenSeconds: Double { session.figures.writtenSeconds }

    /// Of the present file, or the last, in hertz; 0 before there is one.
    public var sampleRate: Int { session.figures.sampleRate.load(ordering: .relaxed) }

    /// Bytes of all files; of one that is not finished, without what its encoder holds back.
    public var writtenBytes: Int { session.figures.writtenBytes.load(ordering: .relaxed) }

    /// Samples beyond what the files' integers hold, which were limited.
    public var clippedSamples: Int { session.figures.clippedSamples.load(ordering: .relaxed) }

    /// How many times it has begun: more than once where each sound makes a take of its own.
    public var takes: Int { session.figures.takes.load(ordering: .relaxed) }

    /// Why a file goes on where the next was to begin; `nil` where that did not happen.
    public var splitRefusal: String? { session.figures.splitRefusal.withLock { $0 } }

    /// How much of what was asked for was left out, because 1000 requests waited for their frame already.
    public var omittedRequests: Int { session.figures.omittedRequests.load(ordering: .relaxed) }

    /// Whether the present file is such a one. The next may have been made since.
    package var isSplitRefused: Bool { session.figures.isSplitRefused.load(ordering: .relaxed) }

    /// Frames of silence among them, in the place of what is missing.
    public var filledFrames: UInt64 { session.figures.filledFrames.load(ordering: .relaxed) }

    /// How long that silence lasts in nanoseconds: each frame at the rate of the file that it is in.
    public var filledNanoseconds: UInt64 { session.figures.filledNanoseconds.load(ordering: .relaxed) }

    /// What was rendered while the server freewheeled, in order, and the first 1000 spans at the most.
    public var freewheels: [FreewheelSpan] { session.figures.freewheels.withLock { $0 } }

    /// Why the recording goes on in the same file, with its sound converted, though the rate has changed and `onRateChange` is
    /// `split`: the kind of file does not have the new rate, or the new file cannot be made. `nil` where that did not happen.
    public var conversionReason: String? { session.figures.conversionReason.withLock { $0 } }

    /// The gaps so far, in order, and the first 100 000 at the most.
    public var gaps: [RecordedGap] { session.figures.gaps.withLock { $0 } }

    /// How many gaps there are so far, however many.
    public var gapCount: Int {
        session.figures.gaps.withLock { $0.count } + session.figures.omittedGaps.load(ordering: .relaxed)
    }

    /// How many of them were wanted: pauses, and silence between takes.
    public var wantedGapCount: Int { session.figures.wantedGaps.load(ordering: .relaxed) }

    /// Paths of the files so far, in order: more than one where the sample rate has changed.
    public var segments: [String] { session.figures.segments.withLock { $0 } }

    /// Of JACK's transport, the first frame of each of them, at the server's rate; empty where the recording does not begin and
    /// end with the transport.
    public var transportFrames: [Int] { session.figures.transportFrames.withLock { $0 } }

    /// The first file that had another name, or none, when it was finished: another program removed, renamed or replaced it.
    package var displacedPath: String? { session.sync.displacedPath }

    /// Path of the list of gaps; `nil` where there is none.
    public var sidecar: String? { session.figures.sidecar.withLock { $0 } }

    /// The frame of the recording that the unit rendered as its frame number `position`, counted from its making: of all its
    /// files, one behind the other. `nil` where the rate has changed, or where the recording begins later.
    public func frame(atPosition position: UInt64) -> UInt64? { session.figures.frame(at: position) }

    /// Frames that found no room in the tap, because the disk was too slow for too long.
    public var droppedFrames: UInt64 { session.dropped.load(ordering: .relaxed) }

    /// Frames that came through the tap after the file had failed.
    public var lostFrames: UInt64 { session.lost.load(ordering: .relaxed) }

    /// Frames that were to be in the file, and are not: both together.
    package var missingFrames: UInt64 { droppedFrames + lostFrames }

    /// Why nothing more is written, or why the list of gaps is not.
    public var failure: SoundFileError? { session.failure }
}
