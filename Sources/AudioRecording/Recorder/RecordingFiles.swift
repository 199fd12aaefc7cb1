import AudioFiles
import Glibc
import Threads

/// The files that a recording fills, one after the other: their names, where one ends and the next begins, and what each has.
final class RecordingFiles {
    /// A file that goes on behind the beginning of the next, and for how many frames.
    private typealias Tail = (segment: Int, file: RecordingFile, framesLeft: Int)

    private let name: RecordingName
    private let settings: RecordingSettings
    private let patience: Patience
    /// Has what was finished written to the disk, and can be waited for.
    let sync = FileSync()
    let channels: Int
    /// The one that is filled, if it has begun.
    private(set) var current: RecordingFile?
    /// All of them so far, in order.
    private var segments: [Sidecar.Head.Segment] = []
    private var tails: [Tail] = []
    /// Why one of them does not have all that it had to have, or is not finished: told when the recording ends.
    private var tailFailure: SoundFileError?
    /// The number in the present file's name.
    private var number = 0
    /// Frames that were recorded, each once.
    private(set) var frames = 0
    private var limit: FileLimit
    /// Names of frames, and the list of those that were asked for.
    private(set) var marks = RecordingMarks()
    /// The last frame of which it is known when it was.
    private var anchor = RecordingAnchor(frame: 0, nanoseconds: 0)
    private var closedBytes = 0
    private var closedClips = 0
    private(set) var peaksFailure: SoundFileError?
    /// Why a file goes on where the next was to begin; `nil` where that did not happen.
    private(set) var splitRefusal: String?
    private var refusedSegment = 0

    init(_ name: RecordingName, channels: Int, _ settings: RecordingSettings, patience: Patience) {
        self.patience = patience
        self.name = name
        self.channels = channels
        self.settings = settings
        // What goes to the standard output is one stream.
        limit = FileLimit(settings, isOneFile: name.isStandardOutput)
    }

    /// The number of the present file, 1 for the first.
    var segmentNumber: Int { max(1, segments.count) }
    /// Whether the present file is one that goes on where the next was to begin.
    var isSplitRefused: Bool { current != nil && refusedSegment == segmentNumber }
    /// Of the present file.
    var position: Int { current?.position ?? 0 }
    var paths: [String] { segments.map(\.path) }
    /// Of JACK's transport, the first of each file; none where the recording does not go with it.
    var transportFrames: [Int] { segments.compactMap(\.transportFrame) }
    var bytes: Int { closedBytes + tails.reduce(0) { $0 + $1.file.bytes } + (current?.bytes ?? 0) }
    var clippedSamples: Int { closedClips + (current?.clippedSamples ?? 0) }

    /// With the frames that each has by now.
    var list: [Sidecar.Head.Segment] {
        var list = segments
        if let current, !list.isEmpty { list[list.count - 1].frames = current.position }
        for tail in tails { list[tail.segment].frames = tail.file.position }
        return list
    }

    /// Says when and where the frame that comes next was. For the date of the next file.
    func note(_ anchor: RecordingAnchor) { self.anchor = anchor }

    /// Says when a gap began that is filled from the next frame on. The transport goes on in it as before.
    func note(gapAtNanoseconds nanoseconds: UInt64) {
        anchor = RecordingAnchor(frame: frames, nanoseconds: nanoseconds, transport: anchor.transport)
    }

    // MARK: Beginning

    /// Says of the first file when its first frame was, which nobody knew when it was made.
    func dateFirst() {
        guard frames == 0, segments.count == 1, let current else { return }
        let wall = WallClock.nanoseconds(ofMonotonic: anchor.nanoseconds(at: frames, sampleRate: current.sampleRate))
        segments[0].wallTime = WallClock.text(wall)
        segments[0].transportFrame = anchor.transportFrame(at: frames, sampleRate: current.sampleRate)?.own
        if settings.isDated { current.set(settings.broadcast(wall, anchor, at: frames, current.sampleRate)) }
    }

    /// Finds out whether the first file and its list could be made, and leaves none. A named pipe is not opened: its reader would
    /// hear of it.
    func probe(sampleRate: Int) throws(SoundFileError) {
        if name.isStandardOutput {
            return try SoundFileWriter.check(
                descriptor: STDOUT_FILENO, name: RecordingName.standardOutputWords,
                format: settings.format, sampleRate: sampleRate, channels: channels, encoder: settings.encoder,
                operation: RecordingFile.operation)
        }
        let wall = WallClock.nanoseconds(ofMonotonic: MonotonicClock.nanoseconds())
        let paths = name.paths(1, startingAt: wall, channels: channels, addingNumber: false)
        if let pipe = paths.first(where: SoundFileWriter.isPipe) {
            return try check(pipe, sampleRate: sampleRate)
        }
        try begin(sampleRate: sampleRate)
        defer { discard() }
        if let path = self.paths.first { _ = try Sidecar(recording: path, force: settings.replaces) }
    }

    /// Whether there can be such a file. Touches none.
    private func check(_ path: String, sampleRate: Int) throws(SoundFileError) {
        try SoundFileWriter.check(
            path: path, format: settings.format, sampleRate: sampleRate, channels: name.isByChannel ? 1 : channels,
            encoder: settings.encoder, operation: RecordingFile.operation)
    }

    /// Makes the first file, or after `close` another.
    func begin(sampleRate: Int) throws(SoundFileError) {
        try open(sampleRate: sampleRate, isFirst: segments.isEmpty)
        limit.restart(at: frames, current)
    }

    /// Removes the only file, in which nothing was recorded, so that it can be made at another rate.
    ///
    /// - Throws: `unsupportedFormat`; then it is still there.
    func discard(forRate sampleRate: Int) throws(SoundFileError) {
        if let current { try check(current.path, sampleRate: sampleRate) }
        discard()
    }

    /// Removes the only file, in which nothing was recorded.
    func discard() {
        current?.discard()
        current = nil
        segments = []
        number = 0
    }

    /// Goes on in the next file, also at another rate.
    ///
    /// - Throws: what a new file throws; then the present one goes on. `io` where the present one cannot be finished.
    func split(sampleRate: Int) throws(SoundFileError) {
        guard let last = current else { return }
        let overlap = sampleRate == last.sampleRate ? limit.overlap(of: last) : 0
        let index = segments.count - 1
        placeNames(in: last, before: frames)
        try open(sampleRate: sampleRate, isFirst: false)
        segments[index].frames = last.position
        if sampleRate != last.sampleRate { limit.restart(at: frames, current) }
        guard overlap == 0 else { return tails.append((index, last, overlap)) }
        // What comes at another rate is no sound of theirs.
        endTails()
        try close(last)
    }

    /// The next name that nobody has, unless files may be written over: a recording that runs is not to end because of an
    /// old file. Only the first name, where it has no number, must be free.
    private func open(sampleRate: Int, isFirst: Bool) throws(SoundFileError) {
        let wall = WallClock.nanoseconds(ofMonotonic: anchor.nanoseconds(at: frames, sampleRate: sampleRate))
        var next = number
        var isNumbered = !isFirst && !name.isTimed
        while true {
            if isNumbered || next == number || name.isNumbered { next += 1 }
            let paths = name.paths(next, startingAt: wall, channels: channels, addingNumber: isNumbered)
            let mayPass = (!isFirst || name.isNumbered) && next < 100_000
            let isReplacing = settings.replaces && !self.paths.contains(paths[0])
            let names =
                paths + (settings.writesPeaks ? paths.map(RecordingFile.peaksPath(of:)) : [])
                + (isFirst ? [Sidecar.path(of: paths[0])] : [])
            // Found out before, so that the encoder is not tried for each of many names.
            if mayPass, !isReplacing, names.contains(where: { Self.kind(of: $0) == S_IFREG }) {
                isNumbered = true
                continue
            }
            do throws(SoundFileError) {
                let file = try RecordingFile(
                    paths, sampleRate: sampleRate, channels: channels, settings,
                    metadata: settings.metadata(wall, anchor, at: frames, sampleRate), replacing: isReplacing,
                    patience: patience)
                number = next
                current = file
                segments.append(
                    Sidecar.Head.Segment(
                        path: paths[0], paths: paths.count > 1 ? paths : nil, sampleRate: sampleRate,
                        channels: channels, startFrame: frames, wallTime: WallClock.text(wall),
                        transportFrame: anchor.transportFrame(at: frames, sampleRate: sampleRate)?.own, frames: 0))
                return
            } catch {
                guard mayPass, names.contains(where: { Self.kind(of: $0) != nil }) else { throw error }
                isNumbered = true
            }
        }
    }

    /// What there is of a name, as `S_IFREG`; `nil` where there is nothing.
    private static func kind(of path: String) -> mode_t? {
        var facts = stat()
        return unsafe lstat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
    }

    // MARK: Filling

    /// Appends a buffer, in as many files as it takes.
    ///
    /// - Returns: how many frames were written.
    /// - Throws: `io`: what was written is counted in `frames`.
    func append(_ buffer: PCMBuffer) throws(SoundFileError) {
        var start = 0
        while start < buffer.frames {
            if frames >= limit.frame { try passLimit() }
            guard let file = current else { return }
            let count = min(buffer.frames - start, limit.frame - frames)
            appendToTails(buffer, from: start, count)
            placeNames(in: file, before: frames + count)
            let result = file.append(buffer, from: start, count)
            frames += result.written
            peaksFailure = peaksFailure ?? file.peaksFailure
            if let failure = result.failure { throw failure }
            start += count
            limit.lower(to: frames, where: file)
        }
    }

    /// The next file begins, or where it cannot be made, the present one goes on: sound in too long a file is better than
    /// no sound.
    private func passLimit() throws(SoundFileError) {
        guard let last = current else { return }
        do throws(SoundFileError) {
            try split(sampleRate: last.sampleRate)
        } catch {
            guard current === last, error.kind.isOfNewFile else { throw error }
            (splitRefusal, refusedSegment) = (error.reason, segmentNumber)
        }
        limit.advance(behind: frames, current)
    }

    private func appendToTails(_ buffer: PCMBuffer, from start: Int, _ count: Int) {
        for index in tails.indices {
            let frames = min(count, tails[index].framesLeft)
            // Its own failure ends it alone: what it has is in the next file as well.
            let result = tails[index].file.append(buffer, from: start, frames)
            let goesOn = result.failure == nil && !limit.isFull(tails[index].file)
            tails[index].framesLeft = goesOn ? tails[index].framesLeft - frames : 0
            tailFailure = tailFailure ?? result.failure
        }
        endTails { $0.framesLeft == 0 }
    }

    /// Has the next file begin with a frame of the recording that has not come yet.
    func split(atFrame frame: Int) {
        guard frame > frames || position > 0, !name.isStandardOutput else { return }
        limit.lower(to: frame)
    }

    /// Gives a frame of the recording a name.
    ///
    /// - Parameter isListed: whether it is in the list of marks as well.
    func mark(_ label: String, at frame: Int, isListed: Bool = false) {
        marks.add(label, at: frame, isListed: isListed)
    }

    private func placeNames(in file: RecordingFile, before end: Int) {
        marks.place(in: file, segment: segmentNumber, at: frames, before: end)
    }

    // MARK: Ending

    /// Finishes what runs. What comes then needs another `split` or nothing.
    ///
    /// - Parameter hasFailed: whether writing did. Then a file in which nothing is replaces none that somebody has.
    func close(hasFailed: Bool = false) throws(SoundFileError) {
        endTails()
        var failure = tailFailure
        if let current, hasFailed, settings.replaces, current.position == 0 {
            current.discard()
            segments.removeLast()
        } else if let current {
            placeNames(in: current, before: .max)
            if !segments.isEmpty { segments[segments.count - 1].frames = current.position }
            do throws(SoundFileError) { try close(current) } catch { failure = failure ?? error }
        }
        current = nil
        if let failure { throw failure }
    }

    private func endTails(where isOver: (Tail) -> Bool = { _ in true }) {
        for tail in tails where isOver(tail) {
            segments[tail.segment].frames = tail.file.position
            do throws(SoundFileError) { try close(tail.file) } catch { tailFailure = tailFailure ?? error }
        }
        tails.removeAll(where: isOver)
    }

    private func close(_ file: RecordingFile) throws(SoundFileError) {
        closedClips += file.clippedSamples
        defer {
            closedBytes += file.closedBytes
            peaksFailure = peaksFailure ?? file.peaksFailure
        }
        try file.close(sync)
    }
}
