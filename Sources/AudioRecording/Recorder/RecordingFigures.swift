import Synchronization

/// What a recording comes to so far, for any thread to read while the worker writes on. What says nothing here is as `Recorder`
/// tells it.
final class RecordingFigures: Sendable {
    let writtenFrames = Atomic<UInt64>(0)
    let filledFrames = Atomic<UInt64>(0)
    let filledNanoseconds = Atomic<UInt64>(0)
    /// What they last: those at the present rate, and those at others before, in seconds.
    private let length = Mutex((frames: 0, sampleRate: 1, otherSeconds: 0.0))
    let sampleRate = Atomic<Int>(0)
    let writtenBytes = Atomic<Int>(0)
    let clippedSamples = Atomic<Int>(0)
    let takes = Atomic<Int>(0)
    let sidecar = Mutex<String?>(nil)
    let splitRefusal = Mutex<String?>(nil)
    let isSplitRefused = Atomic<Bool>(false)
    /// In order, up to a limit.
    let gaps = Mutex<[RecordedGap]>([])
    let wantedGaps = Atomic<Int>(0)
    /// The gaps beyond the limit.
    let omittedGaps = Atomic<Int>(0)
    /// As the gaps.
    let freewheels = Mutex<[FreewheelSpan]>([])
    let omittedFreewheels = Atomic<Int>(0)
    let conversionReason = Mutex<String?>(nil)
    let segments = Mutex<[String]>([])
    let transportFrames = Mutex<[Int]>([])
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
