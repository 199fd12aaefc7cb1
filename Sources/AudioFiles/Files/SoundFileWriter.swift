import CSndFile
import Glibc

/// Writes a sound file.
///
/// Where the container permits it, the header is brought up to date with each write, so that a file whose writer was
/// killed is whole up to there. A WAV file that grows beyond 4 GiB becomes RF64.
///
/// Thread: any that may block, one at a time.
@safe public final class SoundFileWriter {
    /// Of the file, or the name of the descriptor.
    public let path: String
    /// Container and encoding.
    public let fileFormat: SoundFileFormat
    /// In hertz.
    public let sampleRate: Int
    /// Of the file, and of what is written.
    public let channels: Int
    /// The processing format that is written as it is. A converter brings anything else to it, and dithers.
    public let exactFormat: StreamFormat
    /// Names of the metadata that this kind of file does not have, and which are left out.
    public let omittedMetadata: [String]
    /// Frames that were written.
    public private(set) var position = 0
    /// Samples of float that were beyond what the encoding's integers hold, and were limited.
    public var clippedSamples: Int { output.clippedSamples }
    /// Samples that were not finite, in whose place there is silence. A file of float takes them as they are.
    public var nonFiniteSamples: Int { output.nonFiniteSamples }

    private let file: OpaquePointer
    private let output: SampleOutput
    private let target: any SoundFileTarget
    private let operation: String
    private let maximumFrames: Int
    private var isClosed = false

    /// Creates a file and writes its header. Tries before whether the encoder takes such sound.
    ///
    /// - Parameters:
    ///   - format: by default what the name's extension stands for.
    ///   - sampleRate: in hertz.
    ///   - replacing: whether a regular file of that name is replaced, by the first frame or by `close`. Nothing else is ever
    ///     written over.
    ///   - operation: what an error says cannot be done, as in "record to".
    ///   - waits: is asked ten times a second while the reader of a named pipe takes nothing, and says whether `write` goes on
    ///     waiting. Where it does not, `write` throws.
    /// - Throws: `unsupportedFormat`, naming the nearest that works; `exists`, `cannotCreate`.
    public convenience init(
        path: String, format: SoundFileFormat? = nil, sampleRate: Int, channels: Int,
        encoder: EncoderSettings = EncoderSettings(), metadata: SoundFileMetadata = SoundFileMetadata(),
        replacing: Bool = false, operation: String = "write", waits: @escaping () -> Bool = { true }
    ) throws(SoundFileError) {
        let format = try Self.format(format, path, operation)
        let trial = EncoderTrial(format: format, encoder: encoder, metadata: metadata)
        try self.init(trial, path, sampleRate, channels, operation) { () throws(SoundFileError) in
            guard Self.isPipe(path) else { return try NewFile(path: path, force: replacing, operation: operation) }
            return try SoundStream(path: path, format: format, operation: operation, waits: waits)
        }
    }

    /// Writes to a descriptor, which stays the caller's, and where there may be no way back: a pipe, a socket, or a file that
    /// a shell has opened.
    ///
    /// Bytes leave as they are made; only what an encoder needs for a block or a page waits. A reader that is slow keeps
    /// `write` waiting. In a pipe the header names no length, and there are no markers.
    ///
    /// - Parameters:
    ///   - name: for errors, as in "standard output".
    ///   - format: WAV, AU, FLAC, Ogg, MP3 or samples without a header; by default WAV of 32-bit float.
    ///   - sampleRate: in hertz.
    ///   - operation: as above.
    ///   - waits: as above, of any reader.
    /// - Throws: `unsupportedFormat`; `cannotCreate` for a terminal, or what is not open for writing; `io`.
    public convenience init(
        descriptor: CInt, name: String, format: SoundFileFormat? = nil, sampleRate: Int, channels: Int,
        encoder: EncoderSettings = EncoderSettings(), metadata: SoundFileMetadata = SoundFileMetadata(),
        operation: String = "write", waits: @escaping () -> Bool = { true }
    ) throws(SoundFileError) {
        let format = format ?? SoundStream.usualFormat
        let trial = EncoderTrial(format: format, encoder: encoder, metadata: metadata)
        try self.init(trial, name, sampleRate, channels, operation) { () throws(SoundFileError) in
            try SoundStream(copyOf: descriptor, name: name, format: format, operation: operation, waits: waits)
        }
    }

    /// - Parameter makeTarget: called only if the encoder takes such sound, so that there is no file for what it cannot hold.
    private init(
        _ trial: EncoderTrial, _ path: String, _ sampleRate: Int, _ channels: Int, _ operation: String,
        _ makeTarget: () throws(SoundFileError) -> any SoundFileTarget
    ) throws(SoundFileError) {
        omittedMetadata = try Self.run(trial, path, sampleRate, channels, operation)
        let target = try makeTarget()
        guard let file = unsafe target.open(trial, sampleRate: sampleRate, channels: channels) else {
            let reason = soundFileError(nil)
            target.remove()
            target.close()
            if let failure = target.failure { throw SoundFileError(.io, operation, path, failure) }
            throw SoundFileError(
                .cannotCreate, operation, path,
                "its header cannot be written (libsndfile: \(reason)); is the disk full?")
        }
        unsafe self.file = file
        self.target = target
        self.path = path
        self.operation = operation
        self.sampleRate = sampleRate
        self.channels = channels
        fileFormat = trial.format
        exactFormat = StreamFormat(
            sampleRate: sampleRate, channels: channels, sampleFormat: trial.format.sampleFormat)
        output = unsafe SampleOutput(
            file, channels: channels, encoding: trial.format.encoding, exactFormat: trial.format.sampleFormat)
        maximumFrames = target.maximumFrames(trial.format, bytesPerFrame: exactFormat.bytesPerFrame)
    }

    deinit {
        if !isClosed { _ = try? close() }
    }

    /// Appends frames, interleaved.
    ///
    /// Integers of 8 to 32 bits are rounded and limited, without dither.
    ///
    /// - Throws: `io`, as where the disk is full. `position` has counted what was written.
    public func write(_ samples: [Float]) throws(SoundFileError) {
        if let failure = write(samples.count / channels, of: samples).failure { throw failure }
    }

    /// Appends the valid frames of a buffer.
    ///
    /// - Parameter buffer: with the rate and channels of the file, interleaved; of 32-bit or 64-bit float, or in the
    ///   sample format of `exactFormat`, or of 16 bits where that holds them.
    /// - Throws: `unsupportedFormat` for any other buffer; `io`.
    public func write(_ buffer: PCMBuffer) throws(SoundFileError) {
        let format = buffer.format
        guard format.sampleRate == sampleRate, format.channels == channels, format.layout == .interleaved,
            output.takes(format.sampleFormat)
        else {
            throw SoundFileError(
                .unsupportedFormat, operation, path,
                "\(fileFormat) does not take a \(format.layout.rawValue) buffer of \(format.channels) channels of"
                    + " \(format.sampleFormat.rawValue) at \(format.sampleRate) hertz; use a converter")
        }
        if let failure = write(buffer, from: 0, frames: buffer.frames).failure { throw failure }
    }

    /// Appends frames, interleaved; returns how many of them were written, and why not all were.
    package func write(_ frames: Int, of block: [Float]) -> (written: Int, failure: SoundFileError?) {
        precondition(frames >= 0 && block.count / channels >= frames)
        guard frames > 0 else { return (0, nil) }
        return append(frames) {
            unsafe block.withUnsafeBytes { block in
                // SAFETY: checked on the first line, so that it is not empty either.
                unsafe output.put(frames, of: .float32, block.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    /// Appends frames of a buffer from one of them on, as `write(_ buffer:)` does, whose formats it takes; returns how many of
    /// them were written, and why not all were.
    package func write(
        _ buffer: PCMBuffer, from start: Int, frames: Int
    ) -> (written: Int, failure: SoundFileError?) {
        let format = buffer.format
        precondition(format.channels == channels && format.layout == .interleaved && output.takes(format.sampleFormat))
        precondition(start >= 0 && frames >= 0 && frames <= buffer.frames - start)
        guard frames > 0 else { return (0, nil) }
        return buffer.withRun(0, from: start) { samples in
            // SAFETY: the buffer is of this format, and has so many frames from there on.
            append(frames) { unsafe output.put(frames, of: format.sampleFormat, samples) }
        }
    }

    /// Says where and when it begins, before the first sample is written, in the place of what was said when it was made. Where
    /// nothing was said then, or of another kind of file, it does nothing.
    package func set(_ broadcast: BroadcastInfo) {
        guard !isClosed, position == 0 else { return }
        unsafe broadcast.write(to: file)
    }

    /// Whether `close` replaces a file of the same name. If not, the first sample does.
    package var replacesAtEnd = false

    /// Whether a file of the same name still exists.
    package var isDraft: Bool { (target as? NewFile)?.isDraft ?? false }
    package var isFile: Bool { target is NewFile }

    /// How large the file is by now, but for what the encoder holds back.
    package var bytes: Int { isClosed ? 0 : target.bytes }
    /// How large it was when it was closed, with what the encoder had held back; 0 before.
    package private(set) var closedBytes = 0

    /// Another descriptor of the file, for who closes it; `nil` for a pipe, after `close`, and where the process has too
    /// many open.
    package var descriptorCopy: CInt? {
        guard !isClosed, let file = target as? NewFile else { return nil }
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    private func append(_ frames: Int, _ put: () -> Int) -> (written: Int, failure: SoundFileError?) {
        guard !isClosed else { return (0, failure("it was closed before")) }
        guard frames <= maximumFrames - position else {
            return (0, failure("this kind of file cannot become larger; write .wav, .w64 or .caf"))
        }
        do throws(SoundFileError) { if !replacesAtEnd { try target.claim() } } catch { return (0, error) }
        let written = max(0, put())
        position += written
        // An encoder may take the frames and fail to get rid of its pages.
        guard written == frames, target.failure == nil, unsafe sf_error(file) == 0 else {
            let words =
                unsafe target.failure ?? "writing stopped (libsndfile: \(soundFileError(file))); is the disk full?"
            return (written, failure(words))
        }
        return (written, nil)
    }

    /// Finishes the header, appends the markers where this kind of file has such, and closes the file.
    /// Calling it again does nothing. A file that was to be replaced by `close` stays where that fails.
    ///
    /// - Parameters:
    ///   - markers: of WAV, RF64, AIFF and CAF; all others have none. WAV, RF64 and AIFF place them within the first 2³² frames.
    ///   - loops: for samplers, of WAV, RF64 and AIFF, in the first 2³² frames. AIFF has two, and none backwards or that end.
    ///   - baseNote: of MIDI, at which a sampler plays the sound at its own rate; of the same kinds of file.
    /// - Throws: `io`.
    public func close(
        marking markers: [Marker] = [], looping loops: [SoundFileLoop] = [],
        baseNote: Int = SoundFileLoop.usualBaseNote
    ) throws(SoundFileError) {
        guard !isClosed else { return }
        isClosed = true
        target.beginClosing()
        let result = unsafe sf_close(file)
        closedBytes = target.bytes
        let places = SoundPlaces(markers: markers, loops: loops, baseNote: baseNote)
        let flaw = (target as? NewFile).flatMap { unfinished($0, isWritten: result == 0, places) }
        do throws(SoundFileError) {
            // What is not whole replaces nothing.
            if isDraft, let flaw { throw failure(flaw) }
            try target.claim()
        } catch {
            target.remove()
            target.close()
            throw error
        }
        let hasArrived = target.close()
        if let words = flaw ?? target.failure ?? (hasArrived ? nil : Self.unfinishedHeader) { throw failure(words) }
    }

    /// Does what libsndfile leaves to be done. Returns what could not be written, if anything.
    private func unfinished(_ file: NewFile, isWritten: Bool, _ places: SoundPlaces) -> String? {
        let finished = MarkedFile(descriptor: file.descriptor)
        let isCorrect =
            isWritten && finished.correctSampleChunk(dataBytes: exactBytes, format: fileFormat)
            && finished.clearPeakTime(format: fileFormat)
        let isMarked = isCorrect && finished.append(places, sampleRate: sampleRate, format: fileFormat)
        // libsndfile does not tell where its encoders could not get rid of the end, as on a full disk. A file that is to be
        // replaced still takes its room.
        guard isWritten, fileFormat.isOfFixedSize || file.hasRoom else { return Self.unfinishedHeader }
        return isMarked ? nil : "its markers could not be written; is the disk full?"
    }

    private static let unfinishedHeader = "its header could not be finished; is the disk full?"

    /// Removes the file, of which nothing is wanted, and closes it. After `close` it does nothing.
    public func discard() {
        guard !isClosed else { return }
        isClosed = true
        target.beginClosing()
        unsafe sf_close(file)
        target.remove()
        target.close()
    }

    /// Of all samples, where the encoding is its exact format.
    private var exactBytes: Int {
        switch fileFormat.encoding {
        case .imaADPCM, .gsm610, .vorbis, .opus, .mp3: 0
        default: position * exactFormat.bytesPerFrame
        }
    }

    private func failure(_ reason: String) -> SoundFileError { SoundFileError(.io, operation, path, reason) }
}
