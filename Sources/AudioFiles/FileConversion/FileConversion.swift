import AudioDSP
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
    /// How the channels that go out are made; `nil` for `ChannelMatrix(from:to:)`. As many go out as it has entries.
    public var map: ChannelMap?
    /// Of the conversion to another rate.
    public var quality = ResamplingQuality.best
    /// Used where the file's integers cannot hold what comes.
    public var dither = Dither.triangular
    /// In decibels, within ±120.
    public var gainDecibels = 0.0
    /// The largest sample of the output, in decibels of full scale, before dither: the input is read twice. On top of it
    /// comes no gain. Silence stays silence.
    public var peakDecibels: Double?
    /// The loudness of the output, in place of a peak: the input is read twice. What has no loudness stays as it is.
    public var loudness: LoudnessGoal?
    /// A curve behind the gain, and before what brings a peak or a loudness about.
    public var shaping: FileShaping?
    /// What the sound is put through behind the curve, as plug-ins, and before what brings a peak or a loudness about; `nil` for
    /// nothing. As many frames come out as go in, each at its time.
    public var effect: FileEffectMaker?
    /// Leaves out, at both ends of the input, what is softer than so many decibels of full scale: a file is read once more
    /// for that. Of a pipe, up to 60 s and 64 MB at the end.
    public var trimDecibels: Double?
    /// Of the input, in seconds; 0 or more.
    public var startSeconds = 0.0
    /// Of the input, in seconds; `nil` for its end.
    public var endSeconds: Double?
    /// What an encoder is asked for.
    public var encoder = EncoderSettings()
    /// Whether a regular file of the output's name is overwritten: by the whole output, or, of a pipe, by its first frame.
    public var replaces = false

    /// One that keeps what it can to the bit.
    public init() {}

    /// Converts a file.
    ///
    /// - Parameters:
    ///   - input: where it stands, but for a peak, which takes a file that can be read again.
    ///   - path: of the output.
    ///   - progress: called after each block. Returns whether to go on; if not, the output is whole up to there.
    ///   - waits: asked ten times a second while the reader of a named pipe takes nothing: whether to go on waiting.
    /// - Throws: what reader, writer and effect throw. Of an output that could not be begun nothing is left.
    public func convert(
        _ input: SoundFileReader, to path: String, progress: (Progress) -> Bool = { _ in true },
        waits: @escaping () -> Bool = { true }
    ) throws(SoundFileError) -> Outcome {
        guard !Self.isSame(input.path, path) else {
            throw SoundFileError(.exists, "write", path, "it is the input itself; choose another name")
        }
        return try convert(input, named: path, container, progress) {
            kind, rate, channels, metadata throws(SoundFileError) in
            try SoundFileWriter(
                path: path, format: kind, sampleRate: rate, channels: channels, encoder: encoder, metadata: metadata,
                replacing: replaces, waits: waits)
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
        var plan = try plan(for: kind, input)
        let isMeasured = peakDecibels != nil || loudness != nil
        guard input.isRereadable || !isMeasured else {
            throw refusal(input, "a peak or a loudness takes two passes, which a pipe does not have; use a file")
        }
        var scan = FileScan(
            input, startSeconds, endSeconds,
            passes: 1 + (isMeasured ? 1 : 0) + (trimDecibels != nil && input.isRereadable ? 1 : 0))
        try scan.check(input)
        var level = MeasuredLevel()
        let isReady = try prepare(input, &scan, &plan, &level, progress)
        guard isReady else {
            // There is no file yet.
            throw SoundFileError(.io, "write", path, "it was interrupted before anything was written")
        }
        let (rate, count) = (plan.output.sampleRate, plan.output.channels)
        // What cannot be had is refused before a file is replaced.
        var chain = try chain(plan, input)
        var metadata = input.metadata
        let isTimed = metadata.broadcast?.startLater(by: scan.startFrame, of: input.sampleRate, at: rate) ?? true
        let writer = try makeWriter(kind, rate, count, metadata)
        // What comes through a pipe is nowhere else: of a program that is killed, it has its name.
        writer.replacesAtEnd = input.isRereadable
        var outcome = Outcome(
            inputFormat: input.formatWords, inputRate: input.sampleRate, inputChannels: input.channels,
            outputFormat: kind, outputRate: rate, outputChannels: count)
        // Earlier passes have counted the same samples. A pipe is read once.
        let metBefore = input.isRereadable ? input.nonFiniteSamples : 0
        let gain = plan.gain * plan.lastGain
        outcome.gainDecibels = gain == 1 ? 0 : Decibels.decibels(gain)
        outcome.measuredLUFS = level.integratedLUFS
        outcome.truePeakDecibels = level.truePeakDecibels.map { $0 + Decibels.decibels(plan.lastGain) }
        let places = input.places
        func close() throws(SoundFileError) {
            let part = FilePart(
                start: scan.startFrame, ratio: Double(rate) / Double(input.sampleRate), length: writer.position)
            try writer.close(
                marking: places.markers.compactMap(part.moved), looping: places.loops.compactMap(part.moved),
                baseNote: places.baseNote)
        }
        do throws(SoundFileError) {
            outcome.isComplete = try scan.run(input, progress) { buffer throws(SoundFileError) in
                try chain.push(buffer) { made throws(SoundFileError) in try writer.write(made) }
            }
            try chain.finish { made throws(SoundFileError) in try writer.write(made) }
            try check(chain, input)
            if !outcome.isComplete, writer.isDraft { throw SoundFileError(.io, "write", path, "it was interrupted") }
            try close()
        } catch {
            var error = error
            if writer.isDraft {
                writer.discard()
                error.reason += "; the file that was to be replaced is as it was"
            } else {
                // What was written is kept, whole where it still can be closed.
                try? close()
                if writer.isFile, writer.position > 0 { error.reason += "; what was written until then is kept" }
            }
            throw error
        }
        outcome.inputFrames = chain.takenFrames
        outcome.outputFrames = writer.position
        outcome.clippedSamples = chain.clippedSamples + writer.clippedSamples
        outcome.nonFiniteSamples = chain.nonFiniteSamples + input.nonFiniteSamples - metBefore
        outcome.reports = chain.reports
        outcome.flaws = input.flaws
        outcome.warnings =
            outcome.flaws.map(\.description) + places.warnings
            + (isTimed ? [] : ["its time reference is no count of frames, and is left out: it is 0 now"])
            + writer.omittedMetadata.map { "\(kind) has no \($0), which is left out" }
            + metadata.cuts(in: kind.container, without: writer.omittedMetadata)
            + writer.omissions(of: places).map { "\(kind) has no \($0), which are left out" }
            + warnings(about: outcome, scan, input) + chain.warnings
        return outcome
    }

    /// What is known only once the sound is: where it begins and ends, and how loud it is. Returns whether it was not
    /// interrupted.
    private func prepare(
        _ input: SoundFileReader, _ scan: inout FileScan, _ plan: inout ConversionChain.Plan,
        _ level: inout MeasuredLevel, _ progress: (Progress) -> Bool
    ) throws(SoundFileError) -> Bool {
        if let trimDecibels {
            guard try scan.trim(input, below: trimDecibels, progress) else { return false }
        }
        guard peakDecibels != nil || loudness != nil else { return true }
        var measured = plan
        measured.output.sampleFormat = .float64
        do {
            level.meter = try loudness?.makeMeter(plan.output.sampleRate, plan.output.channels)
        } catch {
            throw refusal(input, "\(error)")
        }
        var chain = try chain(measured, input)
        let isComplete = try scan.run(input, progress) { buffer in chain.push(buffer) { level.add($0) } }
        chain.finish { level.add($0) }
        try check(chain, input)
        // Of what is hardly a sound the gain would be no number.
        if let peakDecibels, level.peak > 0 { plan.lastGain = min(Decibels.linear(peakDecibels) / level.peak, 1e300) }
        if let loudness, let measured = level.integratedLUFS {
            plan.lastGain = Decibels.linear(loudness.integratedLUFS - measured)
        }
        return isComplete
    }

    private func refusal(_ input: SoundFileReader, _ reason: String) -> SoundFileError {
        SoundFileError(.unsupportedFormat, "convert", input.path, reason)
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

    /// - Throws: `unsupportedFormat` for a map of channels that there are not.
    private func plan(
        for format: SoundFileFormat, _ input: SoundFileReader
    ) throws(SoundFileError) -> ConversionChain.Plan {
        let (rate, count) = shape(of: format, input)
        var output = input.exactFormat
        (output.sampleRate, output.channels, output.sampleFormat) = (rate, count, format.sampleFormat)
        do throws(ConversionError) {
            return ConversionChain.Plan(
                input: input.exactFormat, output: output, matrix: try map?.matrix(inputs: input.channels),
                settings: ConverterSettings(quality: quality, dither: dither), gain: Decibels.linear(gainDecibels))
        } catch {
            throw refusal(input, error.reason)
        }
    }

    /// Rate and channels of the output.
    private func shape(of format: SoundFileFormat, _ input: SoundFileReader) -> (rate: Int, channels: Int) {
        let channels = map?.outputs ?? channels
        let wanted = (rate: sampleRate ?? input.sampleRate, channels: channels ?? input.channels)
        // What was asked for is refused by the writer, which names what would work.
        guard let nearest = format.nearest(sampleRate: wanted.rate, channels: wanted.channels) else { return wanted }
        return (
            sampleRate == nil ? nearest.sampleRate : wanted.rate, channels == nil ? nearest.channels : wanted.channels
        )
    }

    private func chain(
        _ plan: ConversionChain.Plan, _ input: SoundFileReader
    ) throws(SoundFileError) -> ConversionChain {
        var effects: [any FileEffect] = []
        if let shaping { effects.append(FileShaper(shaping, plan.effectFormat)) }
        if let effect {
            do throws(FileEffectError) {
                effects.append(try effect(plan.effectFormat))
            } catch {
                throw refusal(input, error)
            }
        }
        do throws(ConversionError) {
            return try ConversionChain(plan, through: effects)
        } catch {
            throw refusal(input, error.reason)
        }
    }

    private func check(_ chain: borrowing ConversionChain, _ input: SoundFileReader) throws(SoundFileError) {
        if let failure = chain.failure { throw refusal(input, failure) }
    }

    private func refusal(_ input: SoundFileReader, _ error: FileEffectError) -> SoundFileError {
        SoundFileError(error.isUsage ? .unsupportedFormat : .badInput, "convert", input.path, error.reason)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return unsafe stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino
    }
}
