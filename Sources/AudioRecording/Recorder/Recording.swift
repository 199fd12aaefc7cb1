import AudioFiles
import AudioRealtime
import Glibc
import Threads

/// What a recording leaves behind: a file or, after the server came back at other rates, several; and beside them the list
/// of its gaps.
final class Recording {
    /// So many gaps are listed; those after them are only counted.
    static let gapLimit = 100_000
    /// How many spans of freewheeling are listed: each write encodes all of them again.
    static let freewheelLimit = 1000
    /// Of a gap's silence, written at once.
    private static let silenceFrames = 4096
    /// So much of a gap is filled whoever waits for it: 20 s, which take a moment.
    private static let leastFrames = 1 << 20

    let figures: RecordingFigures
    /// Why the list of gaps could not be written. The recording goes on.
    private(set) var sidecarFailure: SoundFileError?

    private let gapFill: GapFill
    private let rateChange: RateChange
    private let keepsSampleRate: Bool
    private let force: Bool
    private let silence: [Float]
    private let firstPath: String
    /// The number in the present file's name.
    private var number = 1
    private var writer: SoundFileWriter
    private var sidecar: Sidecar
    private var finished: [Sidecar.Head.Segment] = []
    private var converter: RecordedConversion?
    private var start: Sidecar.Head.Start?
    /// Whether the last block was rendered while the server freewheeled, in the present file.
    private var isFreewheeling = false
    private var isSidecarStale = false
    private var nextSaveNanoseconds: UInt64 = 0

    init(
        path: String, sampleRate: Int, channels: Int, force: Bool, gapFill: GapFill, rateChange: RateChange,
        keepsSampleRate: Bool, figures: RecordingFigures
    ) throws(SoundFileError) {
        sidecar = try Sidecar(recording: path, force: force)
        writer = try Self.writer(path, sampleRate, channels, force: force)
        sidecar.removeOld()
        firstPath = path
        self.figures = figures
        figures.segments.withLock { $0 = [path] }
        self.force = force
        self.gapFill = gapFill
        self.rateChange = rateChange
        self.keepsSampleRate = keepsSampleRate
        silence = [Float](repeating: 0, count: Self.silenceFrames * channels)
    }

    private var segment: Sidecar.Head.Segment {
        Sidecar.Head.Segment(
            path: writer.path, sampleRate: writer.sampleRate, channels: writer.channels, frames: writer.position)
    }

    /// Writes a block, interleaved, or several that follow each other, told of as one.
    func write(_ block: TapBlock, _ samples: [Float]) throws(SoundFileError) {
        try adapt(to: Int(block.run.sampleRate))
        if start == nil {
            start = Sidecar.Head.Start(
                wallTime: WallClock.text(ofMonotonic: block.entryNanoseconds),
                monotonicNanoseconds: block.entryNanoseconds)
            // Of a file at another rate a frame is none of the unit's.
            if converter == nil { figures.firstPosition.withLock { $0 = block.position } }
        }
        noteFreewheel(block)
        defer { extendFreewheel() }
        guard let converter else { return try append(Int(block.frames), samples) }
        try converter.push(Int(block.frames), of: samples, path: writer.path, to: append)
    }

    /// Notes a gap, and fills it where it is to be filled.
    ///
    /// - Parameter isInterrupted: asked now and then, in a long gap, whether filling is to end before its time.
    func leave(_ gap: Gap, until isInterrupted: () -> Bool) throws(SoundFileError) {
        try converter?.flush(path: writer.path, to: append)
        var recorded = RecordedGap(
            segment: finished.count + 1, frame: writer.position,
            wallTime: WallClock.text(ofMonotonic: gap.startNanoseconds), monotonicNanoseconds: gap.startNanoseconds,
            cause: gap.cause, lengthNanoseconds: gap.lengthNanoseconds, lengthFrames: length(gap), filledFrames: 0,
            endPosition: gap.endPosition)
        note(recorded, isNew: true)
        // Before the silence: hours of it take their time, in which a kill leaves the list.
        saveSidecar(isForced: false)
        guard gapFill == .silence, gap.cause != .pause else { return }
        defer { note(recorded, isNew: false) }
        while recorded.filledFrames < recorded.lengthFrames {
            if recorded.filledFrames >= Self.leastFrames && isInterrupted() { return }
            let before = writer.position
            defer {
                let filled = writer.position - before
                recorded.filledFrames += filled
                figures.filledFrames.add(UInt64(filled), ordering: .relaxed)
                figures.filledNanoseconds.add(
                    UInt64((Double(filled) / Double(writer.sampleRate) * 1e9).rounded()), ordering: .relaxed)
            }
            try append(min(Self.silenceFrames, recorded.lengthFrames - recorded.filledFrames), silence)
        }
    }

    /// Writes the list of gaps where it is due: at once, but for where that would take more than a twentieth of the time.
    func saveSidecarIfDue() { saveSidecar(isForced: false) }

    /// Finishes the last file, and the list.
    ///
    /// - Parameter hasFailed: whether writing did, so that there is no use in trying more of it.
    func close(hasFailed: Bool) throws(SoundFileError) {
        // It tells how long the last file has become.
        isSidecarStale = isSidecarStale || sidecar.exists
        defer { saveSidecar(isForced: true) }
        var failure: SoundFileError?
        do throws(SoundFileError) {
            if !hasFailed { try converter?.flush(path: writer.path, to: append) }
        } catch {
            failure = error
        }
        try writer.close(marking: markers)
        if let failure { throw failure }
    }

    /// Removes the file, in which nothing was recorded.
    func discard() { writer.discard() }

    private func append(_ frames: Int, _ samples: [Float]) throws(SoundFileError) {
        let (written, failure) = writer.write(frames, of: samples)
        figures.writtenFrames.add(UInt64(written), ordering: .relaxed)
        if let failure { throw failure }
    }

    /// In frames of the file that the gap is in.
    private func length(_ gap: Gap) -> Int {
        guard converter != nil else { return gap.lengthFrames }
        return Int((Double(gap.lengthNanoseconds) * Double(writer.sampleRate) / 1e9).rounded())
    }

    private func note(_ gap: RecordedGap, isNew: Bool) {
        isSidecarStale = true
        let index = figures.gaps.withLock { gaps -> Int? in
            if isNew {
                guard gaps.count < Self.gapLimit && figures.omittedGaps.load(ordering: .relaxed) == 0 else {
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
        if let index { attempt { () throws(SoundFileError) in try sidecar.note(gap, at: index) } }
    }

    private func saveSidecar(isForced: Bool) {
        let now = MonotonicClock.nanoseconds()
        guard isSidecarStale, isForced || now >= nextSaveNanoseconds, sidecarFailure == nil, let start else { return }
        let head = Sidecar.Head(
            gapFill: gapFill.rawValue, onRateChange: rateChange.rawValue, start: start,
            conversionReason: figures.conversionReason.withLock { $0 }, segments: finished + [segment],
            freewheels: figures.freewheels.withLock { $0 },
            omittedFreewheels: figures.omittedFreewheels.load(ordering: .relaxed),
            omittedGaps: figures.omittedGaps.load(ordering: .relaxed))
        attempt { () throws(SoundFileError) in try sidecar.save(head) }
        figures.hasSidecar.store(sidecar.exists, ordering: .relaxed)
        isSidecarStale = false
        let end = MonotonicClock.nanoseconds()
        nextSaveNanoseconds = end + 20 * (end - now)
    }

    private func attempt(_ body: () throws(SoundFileError) -> Void) {
        do throws(SoundFileError) {
            try body()
        } catch {
            sidecarFailure = sidecarFailure ?? error
        }
    }

    /// Of the present file.
    private var markers: [Marker] {
        let segment = finished.count + 1
        let gaps = figures.gaps.withLock { $0 }
        return gaps.reversed().prefix { $0.segment == segment }.reversed().map { gap in
            let milliseconds = (gap.lengthNanoseconds + 500_000) / 1_000_000
            return Marker(frame: gap.frame, label: "\(gap.cause.rawValue) \(milliseconds) ms")
        }
    }
}

// Freewheeling.
extension Recording {
    /// Begins a span with this block, or ends one before it.
    private func noteFreewheel(_ block: TapBlock) {
        let segment = finished.count + 1
        figures.freewheels.withLock { spans in
            // Where the limit is reached the last span listed is none of ours.
            let isListed = figures.omittedFreewheels.load(ordering: .relaxed) == 0
            if isFreewheeling, isListed, let last = spans.indices.last {
                spans[last].lengthNanoseconds = block.entryNanoseconds &- spans[last].monotonicNanoseconds
            }
            guard block.isFreewheeling, !isFreewheeling else { return }
            guard isListed, spans.count < Self.freewheelLimit else {
                figures.omittedFreewheels.add(1, ordering: .relaxed)
                return
            }
            spans.append(
                FreewheelSpan(
                    segment: segment, frame: writer.position, frames: 0,
                    wallTime: WallClock.text(ofMonotonic: block.entryNanoseconds),
                    monotonicNanoseconds: block.entryNanoseconds, lengthNanoseconds: 0))
        }
        isSidecarStale = isSidecarStale || isFreewheeling || block.isFreewheeling
        isFreewheeling = block.isFreewheeling
    }

    /// Counts what the span has in the file by now.
    private func extendFreewheel() {
        guard isFreewheeling, figures.omittedFreewheels.load(ordering: .relaxed) == 0 else { return }
        figures.freewheels.withLock { spans in
            guard let last = spans.indices.last else { return }
            spans[last].frames = writer.position - spans[last].frame
        }
    }
}

// Another rate.
extension Recording {
    /// Makes ready for blocks of this rate in hertz.
    private func adapt(to sampleRate: Int) throws(SoundFileError) {
        guard sampleRate != converter?.inputRate ?? writer.sampleRate else { return }
        if keepsSampleRate && start == nil { return try convert(sampleRate) }
        // A frame of the unit is none of the first file any more.
        if start != nil { figures.firstPosition.withLock { $0 = nil } }
        // Back at the rate of the file that runs, nothing is to be split.
        guard !keepsSampleRate, rateChange == .split || start == nil, sampleRate != writer.sampleRate else {
            return try convert(sampleRate)
        }
        do throws(SoundFileError) {
            guard start == nil else { return try split(sampleRate) }
            try SoundFileWriter.check(
                path: firstPath, sampleRate: sampleRate, channels: writer.channels, operation: Self.operation)
        } catch {
            guard error.kind.isOfNewFile else { throw error }
            // Sound in a file of another rate is better than no sound.
            figures.conversionReason.withLock { $0 = $0 ?? error.reason }
            return try convert(sampleRate)
        }
        try remake(sampleRate)
    }

    /// Nothing is in the file yet: the server has changed its rate between the making and the start.
    private func remake(_ sampleRate: Int) throws(SoundFileError) {
        writer.discard()
        writer = try Self.writer(firstPath, sampleRate, writer.channels, force: false)
    }

    private func convert(_ sampleRate: Int) throws(SoundFileError) {
        try converter?.flush(path: writer.path, to: append)
        converter = nil
        guard sampleRate != writer.sampleRate else { return }
        converter = try RecordedConversion(
            from: sampleRate, to: writer.sampleRate, channels: writer.channels, path: writer.path)
    }

    private func split(_ sampleRate: Int) throws(SoundFileError) {
        try converter?.flush(path: writer.path, to: append)
        let next = try makeSegment(sampleRate, writer.channels)
        let (last, markers) = (writer, markers)
        finished.append(segment)
        writer = next
        converter = nil
        isFreewheeling = false
        figures.segments.withLock { $0.append(next.path) }
        isSidecarStale = true
        try last.close(marking: markers)
    }

    /// The next file: `NAME-2.EXT` after `NAME.EXT`. A name that is taken is passed over, unless files may be written over:
    /// a recording that runs is not to end because of an old one.
    private func makeSegment(_ sampleRate: Int, _ channels: Int) throws(SoundFileError) -> SoundFileWriter {
        let dot = firstPath.lastIndex(of: ".") ?? firstPath.endIndex
        var next = number
        while true {
            next += 1
            let path = "\(firstPath[..<dot])-\(next)\(firstPath[dot...])"
            do throws(SoundFileError) {
                let writer = try Self.writer(path, sampleRate, channels, force: force)
                number = next
                return writer
            } catch {
                var facts = stat()
                guard unsafe lstat(path, &facts) == 0, next < 10_000 else { throw error }
            }
        }
    }
}

extension Recording {
    private static let operation = "record to"

    private static func writer(
        _ path: String, _ sampleRate: Int, _ channels: Int, force: Bool
    ) throws(SoundFileError) -> SoundFileWriter {
        try SoundFileWriter(
            path: path, format: nil, sampleRate: sampleRate, channels: channels, replacing: force, operation: operation)
    }
}

extension SoundFileError.Kind {
    /// Whether it says that a file cannot be begun, and nothing of one that is being written.
    fileprivate var isOfNewFile: Bool {
        switch self {
        case .cannotCreate, .exists, .unsupportedFormat: true
        case .noInput, .badInput, .io: false
        }
    }
}
