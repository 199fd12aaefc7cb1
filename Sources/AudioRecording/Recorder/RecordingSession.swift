import AudioFiles
import AudioRealtime
import Synchronization

/// The worker's part of a recorder: from the tap to the file.
///
/// The ring of the tap is written by the audio thread and read by this one. When it is full, the audio thread drops
/// the block and counts it.
final class RecordingSession: Sendable {
    let figures: RecordingFigures
    let dropped = Atomic<UInt64>(0)
    let lost = Atomic<UInt64>(0)

    static let wakeNanoseconds: UInt64 = 10_000_000
    /// So many seconds longer than asked to is the silence of a gap written.
    private static let patienceSeconds = 0.5

    /// Held by one thread at a time, the worker's or, when that has ended, the one that closes the file.
    private struct Ends: ~Copyable {
        /// `nil` until it begins.
        var stream: TapStream?
        var recording: Recording?
        var gate: RecordingGate
        /// `nil` where nothing but requests and the settings says when it begins and ends.
        var followed: FollowedPlayer?
        /// What is to be written next.
        var batch: RecordingBatch
        var isClosed = false

        init(_ recording: Recording, channels: Int) {
            self.recording = recording
            batch = RecordingBatch(channels: channels)
            gate = RecordingGate(recording.settings)
        }
    }

    private let channels: Int
    private let ends: Mutex<Ends>
    private let patience: Patience
    private let failed = Mutex<SoundFileError?>(nil)
    /// Whether a thread that hangs in a call to the disk is no longer waited for. Lost frames were counted then.
    private let isGivenUp = Atomic<Bool>(false)
    /// Frames of the write that runs.
    private let begunFrames = Atomic<UInt64>(0)
    /// The tap, to count the frames that wait in it while the worker hangs.
    private let heard = Mutex<(tap: Tap, reader: Int)?>(nil)
    let sync: FileSync
    private let requests = Mutex(RecordingRequests())
    private let gateState = Mutex(Recorder.State.waiting)

    init(_ recording: sending Recording, channels: Int, figures: RecordingFigures, patience: Patience) {
        self.channels = channels
        self.patience = patience
        self.figures = figures
        sync = recording.files.sync
        ends = Mutex(Ends(recording, channels: channels))
    }

    var failure: SoundFileError? { failed.withLock { $0 } }
    /// As of the last block that was read.
    var state: Recorder.State { gateState.withLock { $0 } }

    /// Asks for a change. Thread: any that may block.
    func ask(_ request: RecordingGate.Request) {
        if !requests.withLock({ $0.add(request) }) { figures.omittedRequests.add(1, ordering: .relaxed) }
    }

    func begin(_ tap: consuming TapReader) {
        precondition(tap.channels == channels, "a tap of \(tap.channels) channels for a file of \(channels)")
        heard.withLock { $0 = (tap.tap, tap.number) }
        var tap = Optional(tap)
        ends.withLock { ends in
            precondition(ends.stream == nil && !ends.isClosed, "a recorder starts once")
            if let tap = tap.take() { ends.stream = TapStream(tap) }
        }
    }

    /// From its first block on, it goes with a player. Thread: control, before `begin`.
    func follow(_ player: FollowedPlayer) { ends.withLock { $0.followed = player } }

    func stop() { patience.begin() }

    /// Writes the rest and closes the file. Thread: one, when the worker has ended.
    ///
    /// - Parameters:
    ///   - isAbandoned: whether a file is not worth to be kept in which nothing is.
    ///   - end: see `Recorder.finish`.
    func finish(isAbandoned: Bool, withoutServerUntil end: UInt64?) {
        ends.withLock { $0.stream?.finish(withoutServerUntil: end) }
        run(untilStopped: false)
        ends.withLock { ends in
            guard !ends.isClosed else { return }
            ends.isClosed = true
            // As long as the stream tells how much was dropped.
            takeRequests(&ends)
            perform(ends.gate.finish(), &ends)
            // With the memory of the tap, and what the gate holds of a pre-roll.
            let hasStarted = ends.stream.take() != nil
            guard let recording = ends.recording.take() else { return }
            ends.gate = RecordingGate(recording.settings)
            let isEmpty = figures.writtenFrames.load(ordering: .relaxed) == 0
            guard hasStarted, !(isEmpty && isAbandoned) else { return recording.discard() }
            do throws(SoundFileError) {
                try recording.close(hasFailed: failure != nil)
            } catch {
                fail(error)
            }
            if let failure = recording.sideFailure { fail(failure) }
        }
        heard.withLock { $0 = nil }
    }

    /// Waits until all that was finished is on the disk. Thread: control.
    func awaitDisk() {
        do throws(SoundFileError) { try sync.finish() } catch { fail(error) }
    }

    /// Stops waiting for a thread that hangs in a call to the disk. Frames that the disk has not taken count as lost.
    /// Thread: control.
    ///
    /// - Parameters:
    ///   - path: of the recording.
    ///   - seconds: how long the disk has taken nothing.
    func giveUp(_ path: String, afterSeconds seconds: Double) {
        isGivenUp.store(true, ordering: .sequentiallyConsistent)
        fail(
            SoundFileError(
                .io, RecordingFile.operation, figures.segments.withLock { $0.last } ?? path,
                "the disk has not answered for \(Int(seconds)) s, and what it has not taken is lost; see to the disk or its "
                    + "network"))
        guard let (tap, reader) = heard.withLock({ $0 }) else { return }
        // Where a close hangs, the tap has its reader back already, and knows none of its frames.
        dropped.store(max(dropped.load(ordering: .relaxed), tap.droppedFrames(reader)), ordering: .relaxed)
        guard state != .paused, state != .over else { return }
        var frames = begunFrames.load(ordering: .relaxed)
        while let block = tap.take(reader) { frames += UInt64(block.block.frames) }
        lost.add(frames, ordering: .relaxed)
    }

    /// Empties the tap. Thread: the worker, or the one that closes the file when that has ended.
    func run(untilStopped: Bool = true) {
        ends.withLock { ends in
            guard !ends.isClosed else { return }
            while !(untilStopped && patience.hasBegun), let step = ends.stream?.next() {
                // Once it is there, so that what was asked for before it came is known.
                takeRequests(&ends)
                switch step {
                case .gap(let gap): perform(ends.gate.add(gap), &ends)
                case .block(let tapped):
                    let block = RecordedBlock(tapped.block, tapped.samples, channels: channels)
                    perform(ends.gate.add(block), &ends)
                }
                // Not behind the last block: on a busy machine there is always another one.
                ends.recording?.saveList()
            }
            flush(&ends)
            ends.recording?.saveList()
            let state = ends.gate.state
            gateState.withLock { $0 = state }
        }
    }

    private func takeRequests(_ ends: inout Ends) {
        for request in requests.withLock({ $0.takeAll() }) + (ends.followed?.takeRequests() ?? []) {
            if !ends.gate.add(request) { figures.omittedRequests.add(1, ordering: .relaxed) }
        }
    }

    /// Does what is to be done with the files.
    private func perform(_ steps: [RecordingGate.Step], _ ends: inout Ends) {
        for step in steps {
            if case .block(let block) = step {
                if !ends.batch.join(block) {
                    flush(&ends)
                    _ = ends.batch.join(block)
                }
                if ends.batch.isFull { flush(&ends) }
                continue
            }
            flush(&ends)
            let recording = ends.recording
            attempt { () throws(SoundFileError) in
                switch step {
                case .block: break
                case .begin(let block): try recording?.begin(with: block)
                case .start(let cause, let block): recording?.noteTake(cause, block)
                case .gap(let gap): try recording?.leave(gap, until: hasWaited)
                case .split: recording?.split()
                case .mark(let label): recording?.mark(label)
                case .end: try recording?.endTake()
                }
            }
        }
    }

    /// Writes what is to be written next. After a failure nothing more is, so that the file ends where the gap begins.
    private func flush(_ ends: inout Ends) {
        // Not at each block: behind all of them, and before each write, which alone takes long.
        dropped.store(ends.stream?.droppedFrames ?? 0, ordering: .relaxed)
        guard let block = ends.batch.block else { return }
        begunFrames.store(UInt64(block.frames), ordering: .relaxed)
        defer {
            ends.batch.clear()
            begunFrames.store(0, ordering: .relaxed)
        }
        let before = figures.writtenFrames.load(ordering: .relaxed)
        if attempt({ () throws(SoundFileError) in try ends.recording?.write(block, ends.batch.sound) }) { return }
        guard !isGivenUp.load(ordering: .sequentiallyConsistent) else { return }
        let stored = figures.writtenFrames.load(ordering: .relaxed) - before
        lost.add(UInt64(block.frames) - min(UInt64(block.frames), stored), ordering: .relaxed)
    }

    @discardableResult
    private func attempt(_ body: () throws(SoundFileError) -> Void) -> Bool {
        guard failure == nil else { return false }
        do throws(SoundFileError) {
            try body()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Whether who ends the recording has waited long enough for silence.
    private func hasWaited() -> Bool { patience.isOver(after: Self.patienceSeconds) }

    /// Keeps the first failure: what comes later comes of it.
    private func fail(_ error: SoundFileError) {
        failed.withLock { $0 = $0 ?? error }
    }
}

/// Blocks that follow each other, to be written in one piece: each write brings the file's header up to date, which would cost
/// more than the rest for the shortest periods.
private struct RecordingBatch {
    /// From here on it is long enough to be written.
    private static let fullFrames = 4096

    /// All of it, told of as one block; `nil` where there is nothing to be written.
    private(set) var block: TapBlock?
    /// Its samples: what is not converted goes from here to the file.
    private(set) var sound: PCMBuffer

    /// - Parameter channels: of what comes.
    init(channels: Int) {
        // The first block tells the rate.
        sound = PCMBuffer(StreamFormat(sampleRate: 0, channels: channels), capacityFrames: 0)
    }

    var isFull: Bool { sound.frames >= Self.fullFrames }

    /// Takes a block in behind the others; returns `false`, having done nothing, where those have to be written first.
    mutating func join(_ next: RecordedBlock) -> Bool {
        if let block {
            guard next.block.runNumber == block.runNumber, next.block.isFreewheeling == block.isFreewheeling,
                next.frames <= sound.capacityFrames - sound.frames
            else { return false }
            self.block?.frames += next.block.frames
        } else {
            makeRoom(for: next)
            block = next.block
        }
        sound.append(next.valid)
        return true
    }

    private mutating func makeRoom(for next: RecordedBlock) {
        let format = StreamFormat(sampleRate: next.sampleRate, channels: sound.format.channels)
        guard sound.format != format || sound.capacityFrames < next.frames else { return }
        sound = PCMBuffer(format, capacityFrames: max(next.frames, Self.fullFrames + Plan.maximumFrames))
    }

    /// It was written.
    mutating func clear() {
        block = nil
        sound.frames = 0
    }
}
