import CSndFile
import Glibc
import Threads

/// Reads a sound file, or one that comes through a pipe.
///
/// Whatever the bytes are, it ends in frames, a flaw or an error, and takes no more memory than a block of the
/// file's channels (at most 1024) and what the decoder needs.
///
/// Thread: any that may block, one at a time.
@safe public final class SoundFileReader {
    /// What to do about a file that holds less than its header promises.
    public enum Acceptance: Sendable {
        /// Refuse it, where that shows before it is read: what is played has its end.
        case whole
        /// Read what there is, and say in `flaws` what is left out.
        case readablePart
    }

    /// The path, or the name that a descriptor was given.
    public let path: String
    /// In hertz.
    public let sampleRate: Int
    /// 1…1024.
    public let channels: Int
    /// What the file is; `nil` for a format that is read and never written, as ALAC in CAF. Of FLAC in Ogg that of FLAC.
    public let fileFormat: SoundFileFormat?
    /// The format in libsndfile's words, as in "WAV (Microsoft), Signed 16 bit PCM".
    public let formatWords: String
    /// The processing format in which nothing of the file is lost.
    public let exactFormat: StreamFormat
    /// What the header promises. `nil` where it does not know (a FLAC file that was written to a pipe, or whose
    /// recorder was killed; most pipes) or only estimates (MP3).
    public let frames: Int?
    /// Whether it can be read once more from its beginning.
    public var isRereadable: Bool { !isPipe }
    /// Where the length is an estimate. Never exact.
    public let estimatedFrames: Int?
    /// Whether `seek` goes to a frame at once. If not, it reads what lies between, and goes back by opening the file again;
    /// a pipe does not go back.
    public let isSeekable: Bool
    /// What was found to be wrong so far: more may come while the file is read.
    public var flaws: [SoundFileFlaw] { foundFlaws + (flac?.flaws ?? []) + (isCutFLAC ? [.missingEnd] : []) }
    /// Samples that were not finite, in whose place there is silence.
    public private(set) var nonFiniteSamples = 0
    /// The frame that is read next.
    public internal(set) var position = 0
    /// Whether what is not finite becomes silence; if not, it is left to the caller.
    package var silencesNotFinite = true

    var file: OpaquePointer
    /// Owned by libsndfile, `flac` or `chain`.
    var descriptor: CInt
    /// What libsndfile reads where the file is FLAC.
    let flac: FLACFile?
    /// The links of a regular file of Ogg or MP3.
    let chain: FileChain?
    /// What libsndfile reads of them at present, and the index of that link.
    var window: FileWindow?
    var link = 0
    /// The frame at which `window` begins.
    var windowStart = 0
    var foundFlaws: [SoundFileFlaw] = []
    let headerless: StreamFormat?
    let operation: String
    let acceptance: Acceptance
    let isPipe: Bool
    /// What stands between a pipe and this.
    private let relay: PipeRelay?
    /// For Vorbis and Opus in a pipe.
    let outline: PipedOutline?
    /// Where libsndfile hands out each channel of the present link; `nil` where it is in our order.
    var vorbisPlaces: [Int]?
    /// Where libsndfile takes a size for the end that stands for none.
    var placeholderFrames: Int?

    /// Opens a regular file.
    ///
    /// - Parameters:
    ///   - headerless: what samples without a header are. Then the whole file is samples, whatever it begins with.
    ///   - operation: what an error says cannot be done, as in "play".
    /// - Throws: `noInput`, `badInput`.
    public convenience init(
        path: String, accepting acceptance: Acceptance = .whole, headerless: StreamFormat? = nil,
        operation: String = "read"
    ) throws(SoundFileError) {
        let input = try SoundFileInput(path: path, operation: operation)
        try self.init(input, path, acceptance, headerless, operation)
    }

    /// Reads from a descriptor, which stays the caller's: a regular file from its offset on, or a pipe or socket.
    ///
    /// Through a pipe come WAV, AIFF, AU, FLAC, Ogg and samples without a header; all else is refused, and so is a header of more
    /// than 64 KiB. Waits up to ten seconds for it.
    ///
    /// - Parameters:
    ///   - name: for errors, as in "standard input".
    ///   - operation: as above.
    /// - Throws: `noInput`, `badInput`.
    public convenience init(
        descriptor: CInt, name: String, accepting acceptance: Acceptance = .whole, headerless: StreamFormat? = nil,
        operation: String = "read"
    ) throws(SoundFileError) {
        let input = try SoundFileInput(copyOf: descriptor, name: name, operation: operation)
        try self.init(input, name, acceptance, headerless, operation)
    }

    init(
        _ original: SoundFileInput, _ path: String, _ acceptance: Acceptance, _ headerless: StreamFormat?,
        _ operation: String, _ patienceNanoseconds: UInt64 = PipeHead.patienceNanoseconds
    ) throws(SoundFileError) {
        var facts = Self.facts(headerless)
        let head = original.isPipe && headerless == nil ? PipeHead.content(original.descriptor) : nil
        // Before a relay takes what is there.
        let isEmpty = original.isPipe && PipeHead.isEmpty(original.descriptor)
        let outline = head == .ogg ? PipedOutline() : nil
        let (input, relay) = try original.relayed(
            opens: head == .flac || head == .ogg, path, operation, patienceNanoseconds, outline: outline)
        var isOpen = false
        defer { if !isOpen { relay?.close() } }
        flac = headerless == nil && (!input.isPipe || head == .flac) ? FLACFile(input) : nil
        if input.isPipe, headerless == nil, head == nil || (head == .flac && flac == nil) {
            close(input.descriptor)
            throw SoundFileError(
                .badInput, operation, path,
                head == nil && isEmpty
                    ? "nothing came through the pipe; look at what writes to it"
                    : "through a pipe come only WAV, AIFF, AU, FLAC and Ogg with a whole header; write it into a file first"
            )
        }
        chain = headerless == nil && flac == nil && !input.isPipe ? FileChain(input.descriptor, &facts) : nil
        window = chain.map { $0.window($0.links[0].bytes) }
        // The descriptor is libsndfile's from here on: where it does not open the file, it closes it all the same.
        let opened =
            unsafe flac.map { unsafe $0.open(&facts) } ?? window.map { unsafe $0.open(&facts) }
            ?? sf_open_fd(input.descriptor, CInt(SFM_READ), &facts, 1)
        guard let file = unsafe opened else {
            let reason = soundFileError(nil)
            throw SoundFileError(
                .badInput, operation, path,
                "it is no sound file that can be read (libsndfile: \(reason)); if it is sound of another kind, "
                    + "convert it to WAV or FLAC")
        }
        guard relay?.noteOpening() ?? true else {
            unsafe sf_close(file)
            throw SoundFileError(
                .badInput, operation, path,
                "its header or first sound did not come in ten seconds; does the program run that writes it?")
        }
        isOpen = true
        (self.relay, self.outline) = (relay, outline)
        self.path = path
        self.operation = operation
        self.acceptance = acceptance
        self.headerless = headerless
        isPipe = input.isPipe
        descriptor = input.descriptor
        unsafe self.file = file
        let code = Int(facts.format)
        sampleRate = Int(facts.samplerate)
        channels = Int(facts.channels)
        fileFormat = SoundFileFormat(code: code)
        formatWords = (flac?.isOgg == true ? "Ogg " : "") + SoundFileFormat.words(for: code, bits: flac?.header.bits)
        // Of a pipe no other link is read.
        let isUnordered = chain?.links[0].isUnordered ?? outline?.present.unorderedLinks.contains(0) ?? false
        vorbisPlaces = Self.vorbisPlaces(facts, isUnordered: isUnordered)
        let sampleFormat = headerless?.sampleFormat ?? SampleFormat(exactFor: code)
        exactFormat = StreamFormat(sampleRate: sampleRate, channels: channels, sampleFormat: sampleFormat)
        let length = SoundFileLength(facts, bytesPerFrame: exactFormat.bytesPerFrame, isPipe: isPipe)
        // libsndfile knows the length of the first link only.
        let end = chain?.links.last?.end
        let isExact = flac?.isLonger != true && chain?.isExact != false
        frames = isExact ? length.exact.map { end ?? $0 } : nil
        placeholderFrames = isPipe && length.exact == nil ? Int(facts.frames) : nil
        estimatedFrames = length.estimate.map { end ?? $0 }
        // The exact length of an MP3 file is not known before it was read, nor is the first frame of the next one.
        let isJoined = chain.map { !$0.isExact || !$0.isOgg && $0.links.count > 1 } ?? false
        isSeekable = facts.seekable != 0 && !isPipe && !isJoined
        try check()
    }

    /// Only for `readablePart`: to play what a killed recorder has left is no error.
    private var isCutFLAC: Bool { acceptance == .readablePart && flac?.isCut == true }

    /// - Parameter isUnordered: whether the channels of Opus are in no order of loudspeakers.
    static func vorbisPlaces(_ facts: SF_INFO, isUnordered: Bool) -> [Int]? {
        let encoding = SoundFileFormat(code: Int(facts.format))?.encoding
        guard encoding == .vorbis || encoding == .opus && !isUnordered else { return nil }
        return Loudspeaker.vorbisPlaces(Int(facts.channels))
    }

    static func facts(_ headerless: StreamFormat?) -> SF_INFO {
        guard let headerless else { return SF_INFO() }
        return SF_INFO(
            sampleRate: headerless.sampleRate, channels: headerless.channels,
            code: headerless.sampleFormat.headerlessCode)
    }

    deinit {
        // SAFETY: nobody else has the file.
        unsafe sf_close(file)
        relay?.close()
    }

    /// Reads up to `count` frames, interleaved; returns how many, and 0 only at the end.
    ///
    /// - Parameter target: room for as many frames.
    /// - Throws: `io` where a file of which all was promised ends before; `badInput` for a pipe.
    public func read(_ count: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        precondition(count >= 0 && target.count / channels >= count)
        let read = unsafe target.withUnsafeMutableBytes {
            // SAFETY: checked on the first line.
            unsafe $0.baseAddress.map { unsafe readSamples(count, of: .float32, into: $0) } ?? 0
        }
        guard read > 0 else {
            if count > 0 { try checkEnd() }
            return 0
        }
        if silencesNotFinite { silence(&target, read * channels) }
        return read
    }

    /// Fills a buffer as far as there are frames; returns how many there are in it, and 0 only at the end.
    ///
    /// - Parameter buffer: with the rate and channels of the file, of 32-bit or 64-bit float in any layout, or
    ///   interleaved in the sample format of `exactFormat`, or in 16 or 32 bits where these hold that.
    /// - Throws: `unsupportedFormat` for any other buffer; as above.
    public func read(into buffer: inout PCMBuffer) throws(SoundFileError) -> Int {
        let format = buffer.format
        guard format.sampleRate == sampleRate, format.channels == channels, canRead(format) else {
            throw SoundFileError(
                .unsupportedFormat, operation, path,
                "its samples do not go into a buffer of \(format.channels) channels of \(format.sampleFormat.rawValue)"
                    + " at \(format.sampleRate) hertz; use a converter")
        }
        buffer.frames = 0
        guard buffer.capacityFrames > 0 else { return 0 }
        guard format.layout == .interleaved else { return try readPlanar(into: &buffer) }
        let capacity = buffer.capacityFrames
        let count = buffer.withMutableRun(0, from: 0) { room in
            // SAFETY: the buffer is of this format, and has room for its capacity.
            unsafe readSamples(capacity, of: format.sampleFormat, into: room)
        }
        guard count > 0 else {
            try checkEnd()
            return 0
        }
        buffer.frames = count
        nonFiniteSamples += buffer.silenceNotFinite()
        return count
    }

    /// Goes to a frame; returns the one that it reached, which is the file's end where that comes before.
    ///
    /// Where libsndfile has no seek, as in a pipe, in GSM or in a FLAC file of unknown length, what lies between is read.
    ///
    /// - Throws: `unsupportedFormat` for a step back in a pipe; `io` where the file cannot be read up to there.
    @discardableResult
    public func seek(to frame: Int) throws(SoundFileError) -> Int {
        let target = min(max(0, frame), frames ?? Int.max)
        if target == position { return position }
        if isSeekable, target < Int.max, jump(to: target) {
            position = target
            return position
        }
        if target < position { try rewind(orThrow: .io) }
        var block = [Float](repeating: 0, count: 1024 * channels)
        while position < target {
            if try read(min(target - position, 1024), into: &block) == 0 { break }
        }
        return position
    }

    private func silence(_ samples: inout [Float], _ count: Int) {
        for index in 0..<count where !samples[index].isFinite {
            samples[index] = 0
            nonFiniteSamples += 1
        }
    }
}

/// How many frames a file has, as its header promises.
private struct SoundFileLength {
    private(set) var exact: Int?
    private(set) var estimate: Int?

    init(_ facts: SF_INFO, bytesPerFrame: Int, isPipe: Bool) {
        let frames = Int(facts.frames)
        // libsndfile has a few ways to say that it does not know, all of them beyond any file.
        guard frames >= 0, frames < 1 << 48 else { return }
        if Int(facts.format) & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG {
            estimate = isPipe ? nil : frames
            return
        }
        let bytes = frames * bytesPerFrame
        // Decoded, a placeholder of 32 bits may be larger.
        if !(isPipe && (BrokenPromise.isPlaceholder(bytes) || bytes > UInt32.max)) { exact = frames }
    }
}
