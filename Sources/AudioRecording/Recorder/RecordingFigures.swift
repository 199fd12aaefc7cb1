import Synchronization

/// What a recording comes to so far, for any thread to read while the worker writes on.
final class RecordingFigures: Sendable {
    /// Frames in the files.
    let writtenFrames = Atomic<UInt64>(0)
    /// Frames of silence among them, and how long they last, each at the rate of its file.
    let filledFrames = Atomic<UInt64>(0)
    let filledNanoseconds = Atomic<UInt64>(0)
    /// What they last: those at the present rate, and those at others before, in seconds.
    private let length = Mutex((frames: 0, sampleRate: 1, otherSeconds: 0.0))
    /// Of the present file, in hertz.
    let sampleRate = Atomic<Int>(0)
    /// Of all files, but for what their encoders hold back.
    let writtenBytes = Atomic<Int>(0)
    let clippedSamples = Atomic<Int>(0)
    /// How many times a recording has begun: more than one where each sound makes a take.
    let takes = Atomic<Int>(0)
    /// Path of the list of gaps, once there is one.
    let sidecar = Mutex<String?>(nil)
    /// Why a file goes on where the next was to begin; `nil` where that did not happen.
    let splitRefusal = Mutex<String?>(nil)
    /// Whether the present file is such a one.
    let isSplitRefused = Atomic<Bool>(false)
    /// In order, up to a limit.
    let gaps = Mutex<[RecordedGap]>([])
    /// How many of them were wanted: pauses, and silence between takes.
    let wantedGaps = Atomic<Int>(0)
    /// The gaps beyond it.
    let omittedGaps = Atomic<Int>(0)
    /// What was rendered while the server freewheeled: in order, up to a limit.
    let freewheels = Mutex<[FreewheelSpan]>([])
    let omittedFreewheels = Atomic<Int>(0)
    /// Why what comes is converted though a new file was wanted; `nil` where it is not.
    let conversionReason = Mutex<String?>(nil)
    /// Paths of the files.
    let segments = Mutex<[String]>([])
    /// Of JACK's transport, the first frame of each file; none where the recording does not go with it.
    let transportFrames = Mutex<[Int]>([])
    /// What was asked for and left out, because too much waited already.
    let omittedRequests = Atomic<Int>(0)
    /// Where the stream begins; `nil` before, and where its positions are none of a single file.
    let firstPosition = Mutex<UInt64?>(nil)

    /// Counts frames that were written, at a rate in hertz.
    func noteFrames(_ frames: Int, sampleRate: Int) {
        writtenFrames.add(UInt64(frames), ordering: .relaxed)
        length.withLock { length in
            if length.sampleRate != sampleRate {
                length = (0, sampleRate, length.otherSeconds + Double(length.frames) / Double(length.sampleRate))
            }
            length.frames += frames
        }
    }

    /// What the frames in the files last.
    var writtenSeconds: Double {
        length.withLock { $0.otherSeconds + Double($0.frames) / Double($0.sampleRate) }
    }

    /// Notes how much is in the files, and whether the present one goes on where the next was to begin.
    func noteSize(_ files: RecordingFiles) {
        splitRefusal.withLock { $0 = files.splitRefusal }
        isSplitRefused.store(files.isSplitRefused, ordering: .relaxed)
        writtenBytes.store(files.bytes, ordering: .relaxed)
        clippedSamples.store(files.clippedSamples, ordering: .relaxed)
    }

    /// Notes what has become of the files.
    func note(_ files: RecordingFiles) {
        noteSize(files)
        segments.withLock { $0 = files.paths }
        transportFrames.withLock { $0 = files.transportFrames }
        if let rate = files.current?.sampleRate { sampleRate.store(rate, ordering: .relaxed) }
    }

    /// The frame of the recording at a position of the unit, if it has one.
    func frame(at position: UInt64) -> UInt64? {
        guard let first = firstPosition.withLock({ $0 }), position >= first else { return nil }
        let gap = gaps.withLock { gaps in gaps.last { $0.endPosition <= position } }
        guard let gap else { return position - first }
        // Beyond the list nobody knows.
        guard omittedGaps.load(ordering: .relaxed) == 0 else { return nil }
        return gap.recordedFrames + UInt64(gap.filledFrames) + (position - gap.endPosition)
    }
}
