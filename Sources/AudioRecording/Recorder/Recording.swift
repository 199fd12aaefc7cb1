import AudioFiles
import AudioRealtime
import Threads

/// What a recording leaves behind: its files and, beside the first of them, the list of its gaps.
final class Recording {
    /// So many gaps are listed; those after them are only counted.
    static let gapLimit = 100_000
    /// How many freewheeling spans, marks and takes are listed: each write encodes all of them again.
    static let spanLimit = 1000
    /// Of a gap's silence, written at once.
    private static let silenceFrames = 4096
    /// Silence of a gap that is always written, also when the recording is to end at once, in frames: 20 s, written in milliseconds.
    private static let leastFrames = 1 << 20

    let figures: RecordingFigures
    let settings: RecordingSettings
    let files: RecordingFiles
    /// Why the list of gaps, or what draws the sound, could not be written. The recording goes on.
    var sideFailure: SoundFileError? { list.failure ?? files.peaksFailure }

    private let name: RecordingName
    /// Of what comes.
    private let channels: Int
    private var list: RecordingList
    private var conversion: RecordedConversion?
    /// Frames that the conversion has had, with those of gaps that were filled, and where its output began, of `files.frames`.
    private var convertedFrames = 0
    private var conversionStart = 0
    private var silence: PCMBuffer?
    /// Of what comes, in hertz; `nil` where nothing has come to a take's files yet.
    private var inputRate: Int?
    /// Of what came last, in whichever take.
    private var lastRate: Int?
    private var freewheels: FreewheelList

    /// Makes the first file or, where it is not to begin yet, finds out whether it could be made.
    ///
    /// - Parameters:
    ///   - sampleRate: the server's, in hertz.
    ///   - channels: of what comes.
    init(
        _ name: RecordingName, sampleRate: Int, channels: Int, _ settings: RecordingSettings, figures: RecordingFigures,
        patience: Patience
    ) throws(SoundFileError) {
        self.name = name
        self.channels = channels
        self.settings = settings
        self.figures = figures
        list = RecordingList(settings, figures)
        freewheels = FreewheelList(figures)
        files = RecordingFiles(
            name, channels: settings.matrix?.outputs ?? channels, settings, patience: patience)
        // The standard output gets its header when there is something to hear, since none can be taken back.
        if settings.start == .immediately && !name.isStandardOutput {
            try begin(sampleRate: sampleRate)
        } else {
            try files.probe(sampleRate: settings.sampleRate ?? sampleRate)
        }
    }

    // MARK: What comes

    /// Begins a take with a block: the first, or another in the next file.
    func begin(with block: TapBlock) throws(SoundFileError) {
        guard files.current == nil else { return }
        files.note(RecordingAnchor(block, at: files.frames, settings))
        try begin(sampleRate: Int(block.run.sampleRate))
    }

    private func begin(sampleRate: Int) throws(SoundFileError) {
        guard files.current == nil else { return }
        try files.begin(sampleRate: settings.sampleRate ?? sampleRate)
        inputRate = nil
        defer { figures.note(files) }
        guard !name.isStandardOutput, let path = files.paths.first else { return }
        do throws(SoundFileError) {
            try list.begin(beside: path)
        } catch {
            files.discard()
            throw error
        }
    }

    /// Ends a take: its files are whole, and nothing more comes to them.
    func endTake() throws(SoundFileError) {
        guard files.current != nil else { return }
        try flush()
        conversion = nil
        freewheels.endSpan()
        list.noteLength()
        try files.close()
        figures.note(files)
    }

    /// Writes a block, or several that follow each other, told of as one.
    func write(_ block: TapBlock, _ sound: PCMBuffer) throws(SoundFileError) {
        try begin(with: block)
        try adapt(to: Int(block.run.sampleRate))
        files.note(RecordingAnchor(block, at: nextFrame, settings))
        if list.start == nil { noteStart(block) }
        if freewheels.note(block, in: files) { list.noteChange() }
        defer { freewheels.extend(in: files) }
        guard let conversion else { return try append(sound) }
        convertedFrames += sound.frames
        try conversion.push(sound, path: files.current?.path ?? "", to: append)
    }

    private func noteStart(_ block: TapBlock) {
        list.noteStart(atNanoseconds: block.entryNanoseconds)
        files.dateFirst()
        // Of a file at another rate a frame is none of the unit's.
        let isAtRate = files.current?.sampleRate == Int(block.run.sampleRate)
        if isAtRate { figures.firstPosition.withLock { $0 = block.position } }
    }

    /// What comes next is where the take begins; what it has before is pre-roll.
    func noteTake(_ cause: RecordedStart.Cause, _ block: TapBlock) {
        let position = files.position + nextFrame - files.frames
        list.note(
            RecordedStart(
                cause: cause, segment: files.segmentNumber, frame: position,
                wallTime: WallClock.text(ofMonotonic: block.entryNanoseconds),
                monotonicNanoseconds: block.entryNanoseconds,
                transportFrame: cause == .transport ? block.transport?.frame : nil))
        figures.takes.add(1, ordering: .relaxed)
        if position > 0 { files.mark("start", at: nextFrame) }
    }

    /// Gives what comes next a name.
    func mark(_ label: String) {
        files.mark(label, at: nextFrame, isListed: true)
        list.noteChange()
    }

    /// Of the recording, the frame that comes next, however much the conversion holds back of what was before.
    private var nextFrame: Int { files.frames + (conversion?.heldFrames ?? 0) }

    /// Goes on in the next file, with what comes next.
    func split() { files.split(atFrame: nextFrame) }

    // MARK: What is missing

    /// Notes a gap, and fills it where it is to be filled.
    ///
    /// - Parameter isInterrupted: asked now and then, in a long gap, whether filling is to end before its time.
    func leave(_ gap: Gap, until isInterrupted: () -> Bool) throws(SoundFileError) {
        guard let file = files.current else { return }
        try flush()
        freewheels.note(gapAtNanoseconds: gap.startNanoseconds)
        var recorded = RecordedGap(
            segment: files.segmentNumber, frame: files.position,
            wallTime: WallClock.text(ofMonotonic: gap.startNanoseconds), monotonicNanoseconds: gap.startNanoseconds,
            cause: gap.cause, lengthNanoseconds: gap.lengthNanoseconds, lengthFrames: length(gap, in: file),
            filledFrames: 0, endPosition: gap.endPosition,
            recordedFrames: UInt64(files.frames))
        files.mark("\(gap.cause.rawValue) \((gap.lengthNanoseconds + 500_000) / 1_000_000) ms", at: files.frames)
        if gap.cause.isWanted { figures.wantedGaps.add(1, ordering: .relaxed) }
        list.note(recorded, isNew: true)
        // Before the silence: hours of it take their time, in which a kill leaves the list.
        saveList()
        guard settings.fills(gap) else { return }
        defer { list.note(recorded, isNew: false) }
        files.note(gapAtNanoseconds: gap.startNanoseconds)
        while recorded.filledFrames < recorded.lengthFrames {
            if recorded.filledFrames >= Self.leastFrames && isInterrupted() { return }
            let before = files.frames
            defer {
                let filled = files.frames - before
                recorded.filledFrames += filled
                figures.filledFrames.add(UInt64(filled), ordering: .relaxed)
                figures.filledNanoseconds.add(
                    UInt64((Double(filled) / Double(file.sampleRate) * 1e9).rounded()), ordering: .relaxed)
            }
            try append(silence(min(Self.silenceFrames, recorded.lengthFrames - recorded.filledFrames), for: file))
        }
    }

    private func silence(_ frames: Int, for file: RecordingFile) -> PCMBuffer {
        var buffer = silence.take() ?? PCMBuffer(file.floatFormat, capacityFrames: Self.silenceFrames)
        if buffer.format != file.floatFormat {
            buffer = PCMBuffer(file.floatFormat, capacityFrames: Self.silenceFrames)
        }
        buffer.frames = frames
        silence = buffer
        return buffer
    }

    /// In frames of the file that the gap is in. Where it is filled, with what was rounded away before, so that what is rounded
    /// at each gap does not add up.
    private func length(_ gap: Gap, in file: RecordingFile) -> Int {
        guard (conversion?.inputRate ?? lastRate ?? file.sampleRate) != file.sampleRate else { return gap.lengthFrames }
        // Before the first block of a take nothing is converted yet.
        guard let conversion, settings.fills(gap) else {
            return Int((Double(gap.lengthNanoseconds) * Double(file.sampleRate) / 1e9).rounded())
        }
        convertedFrames += gap.lengthFrames
        let end = Double(convertedFrames) * Double(file.sampleRate) / Double(conversion.inputRate)
        return max(0, conversionStart + Int(end.rounded()) - files.frames)
    }

    // MARK: The end

    /// Finishes the last file, and the list. That all of them are on the disk is `files.sync`'s to say.
    ///
    /// - Parameter hasFailed: whether writing did, so that there is no use in trying more of it.
    func close(hasFailed: Bool) throws(SoundFileError) {
        list.noteLength()
        if !hasFailed { list.removeOld() }
        defer { saveList(isForced: true) }
        var failure: SoundFileError?
        do throws(SoundFileError) {
            if !hasFailed { try flush() }
        } catch {
            failure = error
        }
        defer { figures.note(files) }
        try files.close(hasFailed: hasFailed || failure != nil)
        if let failure { throw failure }
    }

    /// Writes the list of gaps where it is due, or in any case.
    func saveList(isForced: Bool = false) { list.save(files, isForced: isForced) }

    /// Removes the file, in which nothing was recorded.
    func discard() { files.discard() }

    /// What the conversion holds back goes into the file.
    private func flush() throws(SoundFileError) {
        defer { freewheels.extend(in: files) }
        try conversion?.flush(path: files.current?.path ?? "", to: append)
    }

    private func append(_ buffer: PCMBuffer) throws(SoundFileError) {
        let before = (frames: files.frames, segments: files.segmentNumber)
        defer {
            let written = files.frames - before.frames
            // A buffer never lies in files of two rates.
            figures.noteFrames(written, sampleRate: buffer.format.sampleRate)
            files.segmentNumber == before.segments ? figures.noteSize(files) : noteSegment()
        }
        try files.append(buffer)
    }

    private func noteSegment() {
        list.noteChange()
        figures.note(files)
    }
}

// Another rate.
extension Recording {
    /// Makes ready for blocks of this rate in hertz.
    private func adapt(to sampleRate: Int) throws(SoundFileError) {
        guard let file = files.current, sampleRate != inputRate else { return }
        let isFresh = inputRate == nil
        // A frame of the unit is none of the first file any more.
        if !isFresh { figures.firstPosition.withLock { $0 = nil } }
        // A pipe has had its header.
        let isKept = name.isStandardOutput || (isFresh && SoundFileWriter.isPipe(file.path))
        let wantsFile = settings.sampleRate == nil && !isKept && (isFresh || settings.rateChange == .split)
        if wantsFile && sampleRate != file.sampleRate {
            do throws(SoundFileError) {
                // Where nothing is in it yet, the server has changed its rate between the making and the start.
                try isFresh && files.frames == 0 ? begin(again: sampleRate) : begin(next: sampleRate)
            } catch {
                guard error.kind.isOfNewFile, files.current != nil else { throw error }
                // Sound in a file of another rate is better than no sound.
                figures.conversionReason.withLock { $0 = $0 ?? error.reason }
            }
        }
        try flush()
        conversion = nil
        (inputRate, lastRate) = (sampleRate, sampleRate)
        guard let file = files.current, isConverted(sampleRate, file) else { return }
        (convertedFrames, conversionStart) = (0, files.frames)
        conversion = try RecordedConversion(
            from: StreamFormat(sampleRate: sampleRate, channels: channels), to: file, settings)
    }

    private func isConverted(_ sampleRate: Int, _ file: RecordingFile) -> Bool {
        sampleRate != file.sampleRate || settings.matrix?.isIdentity == false
            || settings.dither(for: file.fileFormat.encoding) != .none
    }

    /// Its name, and so the list's, may be another one then.
    private func begin(again sampleRate: Int) throws(SoundFileError) {
        try files.discard(forRate: sampleRate)
        try begin(sampleRate: sampleRate)
    }

    private func begin(next sampleRate: Int) throws(SoundFileError) {
        try flush()
        try files.split(sampleRate: sampleRate)
        freewheels.endSpan()
        noteSegment()
    }
}
