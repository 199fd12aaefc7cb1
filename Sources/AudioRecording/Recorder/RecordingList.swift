import AudioFiles
import Threads

/// What the list beside a recording says, and when it is written.
struct RecordingList {
    private let settings: RecordingSettings
    private let figures: RecordingFigures
    /// `nil` before the first file, and for the standard output.
    private var sidecar: Sidecar?
    /// `nil` where nothing has come yet.
    private(set) var start: Sidecar.Head.Start?
    /// In order, up to a limit.
    private var takes: [RecordedStart] = []
    /// The takes beyond the limit.
    private var omittedTakes = 0
    private var isStale = false
    private var nextSaveNanoseconds: UInt64 = 0
    /// Why it could not be written. The recording goes on.
    private(set) var failure: SoundFileError?

    init(_ settings: RecordingSettings, _ figures: RecordingFigures) {
        self.settings = settings
        self.figures = figures
    }

    /// Finds out whether there can be one beside the first file, until sound has come. For a later file it does nothing.
    ///
    /// - Throws: `exists`, `cannotCreate`.
    mutating func begin(beside path: String) throws(SoundFileError) {
        if start == nil { sidecar = try Sidecar(recording: path, force: settings.replaces) }
    }

    /// Sound has come: what there was before is of another recording.
    mutating func noteStart(atNanoseconds nanoseconds: UInt64) {
        sidecar?.removeOld()
        start = Sidecar.Head.Start(
            wallTime: WallClock.text(ofMonotonic: nanoseconds), monotonicNanoseconds: nanoseconds)
    }

    mutating func note(_ take: RecordedStart) {
        if takes.count < Recording.spanLimit { takes.append(take) } else { omittedTakes += 1 }
        // The list of the only one that began with its first frame would say nothing.
        if take.frame > 0 || takes.count > 1 { isStale = true }
    }

    /// Takes another gap, or the last one again.
    mutating func note(_ gap: RecordedGap, isNew: Bool) {
        isStale = true
        let index = figures.gaps.withLock { gaps -> Int? in
            if isNew {
                guard gaps.count < Recording.gapLimit && figures.omittedGaps.load(ordering: .relaxed) == 0 else {
                    figures.omittedGaps.add(1, ordering: .relaxed)
                    return nil
                }
                gaps.append(gap)
            } else if figures.omittedGaps.load(ordering: .relaxed) == 0 {
                gaps[gaps.count - 1] = gap
            } else {
                return nil
            }
            return gaps.count - 1
        }
        if let index { attempt { sidecar throws(SoundFileError) in try sidecar?.note(gap, at: index) } }
    }

    /// Something has come that is to be in it.
    mutating func noteChange() { isStale = true }

    /// A file has become longer, which only a list that there is already need tell.
    mutating func noteLength() { if sidecar?.exists == true { isStale = true } }

    /// Removes the one that there was before, where nothing has come in its place.
    mutating func removeOld() { if start == nil { sidecar?.removeOld() } }

    /// Writes it where it is due: at once, but for where that would take more than a twentieth of the time.
    ///
    /// - Parameter isForced: whether it is due in any case.
    mutating func save(_ files: RecordingFiles, isForced: Bool) {
        guard isStale, failure == nil, sidecar != nil, let start else { return }
        let now = MonotonicClock.nanoseconds()
        guard isForced || now >= nextSaveNanoseconds else { return }
        let head = Sidecar.Head(
            gapFill: settings.gapFill.rawValue, onRateChange: settings.rateChange.rawValue, start: start,
            conversionReason: figures.conversionReason.withLock { $0 }, segments: files.list, takes: takes,
            omittedTakes: omittedTakes, marks: files.marks.list, omittedMarks: files.marks.omitted,
            freewheels: figures.freewheels.withLock { $0 },
            omittedFreewheels: figures.omittedFreewheels.load(ordering: .relaxed),
            omittedGaps: figures.omittedGaps.load(ordering: .relaxed))
        attempt { sidecar throws(SoundFileError) in try sidecar?.save(head) }
        figures.sidecar.withLock { $0 = sidecar.flatMap { $0.exists ? $0.path : nil } }
        isStale = false
        let end = MonotonicClock.nanoseconds()
        nextSaveNanoseconds = end + 20 * (end - now)
    }

    private mutating func attempt(_ body: (inout Sidecar?) throws(SoundFileError) -> Void) {
        do throws(SoundFileError) {
            try body(&sidecar)
        } catch {
            failure = failure ?? error
        }
    }
}
