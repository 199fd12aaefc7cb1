import Glibc

/// Makes a sound file of another: of another kind, rate or number of channels, of a part of it, or louder or softer.
///
/// What can be kept to the bit is. A value; each `convert` is one file, and several may run at a time on threads of their own.
public struct FileConversion: Sendable {
    /// The kind of file; `nil` for what the name's extension stands for.
    public var container: SoundFileFormat.Container?
    /// How samples are stored. `nil` for the input's, where that is lossless and the kind of file has it; else for the usual.
    public var encoding: SoundFileFormat.Encoding?
    /// In hertz. `nil` for the input's, or, where the kind of file does not have that, the nearest that it has.
    public var sampleRate: Int?
    /// As for `sampleRate`.
    public var channels: Int?
    public var quality = ResamplingQuality.best
    /// Used where the file's integers cannot hold what comes.
    public var dither = Dither.triangular
    /// In decibels, within ±120.
    public var gainDecibels = 0.0
    /// The largest sample of the output, in decibels of full scale, before dither: the input is read twice. On top of it
    /// comes no gain. Silence stays silence.
    public var peakDecibels: Double?
    /// Of the input, in seconds; 0 or more.
    public var startSeconds = 0.0
    /// Of the input, in seconds; `nil` for its end.
    public var endSeconds: Double?
    public var encoder = EncoderSettings()
    /// Whether a regular file of the output's name is overwritten.
    public var replaces = false

    public init() {}

    /// What came of a conversion.
    public struct Outcome: Sendable {
        public internal(set) var inputFormat: String
        public internal(set) var inputRate: Int
        public internal(set) var inputChannels: Int
        public internal(set) var outputFormat: SoundFileFormat
        public internal(set) var outputRate: Int
        public internal(set) var outputChannels: Int
        public internal(set) var inputFrames = 0
        public internal(set) var outputFrames = 0
        /// Samples beyond full scale, which were limited.
        public internal(set) var clippedSamples = 0
        /// Samples that were no numbers, and are silence.
        public internal(set) var nonFiniteSamples = 0
        /// The gain that was applied.
        public internal(set) var gainDecibels = 0.0
        /// What is wrong with the input, and what of its description the output cannot hold.
        public internal(set) var warnings: [String] = []
        /// Whether it came to its end, and was not interrupted.
        public var isComplete = true
    }

    /// How far a conversion has come.
    public struct Progress: Sendable {
        /// 0…1, or `nil` where the length is not known.
        public let share: Double?
        /// Of the input, as far as it is done. Where it is read twice, half of what was read.
        public let seconds: Double
    }

    /// Converts a file.
    ///
    /// - Parameters:
    ///   - input: where it stands, but for a peak, which takes a file that can be read again.
    ///   - path: of the output.
    ///   - progress: called after each block. Returns whether to go on; if not, the output is whole up to there.
    /// - Throws: what reader and writer throw. Of an output that could not be begun nothing is left.
    public func convert(
        _ input: SoundFileReader, to path: String, progress: (Progress) -> Bool = { _ in true }
    ) throws(SoundFileError) -> Outcome {
        guard !Self.isSame(input.path, path) else {
            throw SoundFileError(.exists, "write", path, "it is the input itself; choose another name")
        }
        return try convert(input, named: path, container, progress) {
            kind, rate, channels, metadata throws(SoundFileError) in
            try SoundFileWriter(
                path: path, format: kind, sampleRate: rate, channels: channels, encoder: encoder, metadata: metadata,
                replacing: replaces)
        }
    }

    /// Converts a file, or a pipe, into a descriptor, as a pipe, which stays the caller's. Each block leaves as soon as it
    /// is made; memory does not grow with the length. See `SoundFileWriter`.
    ///
    /// - Parameters:
    ///   - name: for errors, as in "standard output".
    ///   - waits: asked ten times a second while the reader takes nothing: whether to go on waiting.
    ///   - progress: as above.
    /// - Throws: as above. Without `container` it is WAV.
    public func convert(
        _ input: SoundFileReader, toDescriptor descriptor: CInt, name: String,
        waits: @escaping () -> Bool = { true }, progress: (Progress) -> Bool = { _ in true }
    ) throws(SoundFileError) -> Outcome {
        try convert(input, named: name, container ?? .wav, progress) {
            kind, rate, channels, metadata throws(SoundFileError) in
            try SoundFileWriter(
                descriptor: descriptor, name: name, format: kind, sampleRate: rate, channels: channels,
                encoder: encoder, metadata: metadata, operation: "write", waits: waits)
        }
    }

    private func convert(
        _ input: SoundFileReader, named path: String, _ container: SoundFileFormat.Container?,
        _ progress: (Progress) -> Bool,
        _ makeWriter: (SoundFileFormat, Int, Int, SoundFileMetadata) throws(SoundFileError) -> SoundFileWriter
    ) throws(SoundFileError) -> Outcome {
        let kind = try format(of: path, container, input)
        let (rate, count) = shape(of: kind, input)
        let scan = FileScan(input, startSeconds, endSeconds, passes: peakDecibels == nil ? 1 : 2)
        try scan.check(input)
        let gain = try gain(input, scan, rate, count, progress)
        guard let gain else {
            // Interrupted while the peak was looked for: there is no file yet.
            throw SoundFileError(.io, "write", path, "it was interrupted before anything was written")
        }
        let metadata = input.metadata.startingLater(by: scan.startFrame, of: input.sampleRate, at: rate)
        let writer = try makeWriter(kind, rate, count, metadata)
        var outcome = Outcome(
            inputFormat: input.formatWords, inputRate: input.sampleRate, inputChannels: input.channels,
            outputFormat: kind, outputRate: rate, outputChannels: count)
        outcome.gainDecibels = gain == 0 ? 0 : 20 * log10(gain)
        var converter = try converter(input, to: writer.exactFormat, gain: gain)
        let markers = input.markers
        do throws(SoundFileError) {
            outcome.isComplete = try scan.run(input, pass: peakDecibels == nil ? 0 : 1, progress) {
                buffer throws(SoundFileError) in
                _ = try converter.push(buffer) { made throws(SoundFileError) in try writer.write(made) }
            }
            _ = try converter.finish { made throws(SoundFileError) in try writer.write(made) }
        } catch {
            // What was written is kept, whole.
            try? writer.close()
            throw error
        }
        let ratio = Double(rate) / Double(input.sampleRate)
        try writer.close(
            marking: markers.compactMap { marker in
                let frame = Int((Double(marker.frame - scan.startFrame) * ratio).rounded())
                return (0...writer.position).contains(frame) ? Marker(frame: frame, label: marker.label) : nil
            })
        outcome.inputFrames = converter.takenFrames
        outcome.outputFrames = writer.position
        outcome.clippedSamples = converter.clippedSamples + writer.clippedSamples
        outcome.nonFiniteSamples = converter.nonFiniteSamples + input.nonFiniteSamples
        outcome.warnings =
            input.flaws.map(\.description)
            + writer.omittedMetadata.map { "\(kind) has no \($0), which is left out" }
        return outcome
    }

    /// - Throws: `unsupportedFormat`.
    private func format(
        of path: String, _ container: SoundFileFormat.Container?, _ input: SoundFileReader
    ) throws(SoundFileError) -> SoundFileFormat {
        let usual = try SoundFileFormat(path: path, container: container, encoding: encoding)
        guard encoding == nil, let kept = input.fileFormat?.encoding, kept.isLossless else { return usual }
        // Where the extension says how samples are stored, as .opus, it says it for a reason.
        guard usual.encoding.isLossless else { return usual }
        return SoundFileFormat(usual.container, kept) ?? usual
    }

    /// Rate and channels of the output.
    private func shape(of format: SoundFileFormat, _ input: SoundFileReader) -> (rate: Int, channels: Int) {
        let wanted = (rate: sampleRate ?? input.sampleRate, channels: channels ?? input.channels)
        // What was asked for is refused by the writer, which names what would work.
        guard let nearest = format.nearest(sampleRate: wanted.rate, channels: wanted.channels) else { return wanted }
        return (
            sampleRate == nil ? nearest.sampleRate : wanted.rate, channels == nil ? nearest.channels : wanted.channels
        )
    }

    private func converter(
        _ input: SoundFileReader, to format: StreamFormat, gain: Double
    ) throws(SoundFileError) -> StreamConverter {
        var settings = ConverterSettings(quality: quality, dither: dither)
        do throws(ConversionError) {
            if gain != 1 {
                let usual = ChannelMatrix(from: input.channels, to: format.channels)
                settings.matrix = try ChannelMatrix(weights: usual.weights.map { $0.map { $0 * gain } })
            }
            return try StreamConverter(from: input.exactFormat, to: format, settings)
        } catch {
            throw SoundFileError(.unsupportedFormat, "convert", input.path, error.reason)
        }
    }

    /// The linear gain; `nil` where looking for the peak was interrupted.
    private func gain(
        _ input: SoundFileReader, _ scan: FileScan, _ rate: Int, _ channels: Int, _ progress: (Progress) -> Bool
    ) throws(SoundFileError) -> Double? {
        guard let peakDecibels else { return pow(10, gainDecibels / 20) }
        guard input.isRereadable else {
            throw SoundFileError(
                .unsupportedFormat, "convert", input.path,
                "a peak takes two passes, which a pipe does not have; use a file")
        }
        var converter = try converter(
            input, to: StreamFormat(sampleRate: rate, channels: channels, sampleFormat: .float64), gain: 1)
        var peak = 0.0
        func look(_ made: PCMBuffer) {
            made.withSamples(of: Double.self) { samples in
                for index in samples.indices { peak = max(peak, abs(samples[index])) }
            }
        }
        let isComplete = try scan.run(input, pass: 0, progress) { buffer in _ = converter.push(buffer, to: look) }
        _ = converter.finish(to: look)
        guard isComplete else { return nil }
        return peak > 0 ? pow(10, peakDecibels / 20) / peak : 1
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return unsafe stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino
    }
}

extension SoundFileMetadata {
    /// Of a file whose first frame is a later one: Broadcast Wave counts it from midnight.
    fileprivate func startingLater(by frames: Int, of rate: Int, at newRate: Int) -> SoundFileMetadata {
        guard var broadcast else { return self }
        let frame = Double(broadcast.timeReferenceFrames) + Double(frames)
        broadcast.timeReferenceFrames = UInt64((frame * Double(newRate) / Double(rate)).rounded())
        var later = self
        later.broadcast = broadcast
        return later
    }
}
