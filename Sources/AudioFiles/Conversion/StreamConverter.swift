/// Converts a stream of frames to another rate, other channels and another sample format.
///
/// One instance is one stream: the border of two buffers is filtered like any other place, so that any cutting of the
/// input and of the output gives the same samples to the bit. The first frame that comes out lies at the time of the first
/// that goes in, and `round(in · ratio)` frames come out of `in`, the last of them after the end of the stream: the filter's
/// delay is taken out at the start and made up for at the end. Silence is assumed before and after the stream.
///
/// Between equal rates nothing is resampled, and what the output's format can hold comes out to the bit. A sample that is
/// NaN, infinite or beyond `Samples.largestMagnitude` becomes silence, and is counted: it harms no other.
/// Integers are rounded to the nearest, of two to the even one, and limited to full scale.
///
/// It cannot be copied, and each call needs it exclusively: two callers cannot share a stream by mistake, and it may move
/// from thread to thread.
///
/// Thread: one at a time, not the audio thread. Nothing is allocated after the first call, but by the quality `best` until its
/// queues have grown.
public struct StreamConverter: ~Copyable, Sendable {
    /// What a source has to say.
    public enum Input: Sendable {
        /// Frames, any number of them, in the format of the input. None at all are the same as `noDataNow`.
        case data(PCMBuffer)
        /// There may be more later. The stream goes on, and nothing is lost.
        case noDataNow
        /// There is no more. The source is not asked again.
        case endOfStream
    }

    /// How a call ended.
    public enum Status: Sendable, Equatable {
        /// The buffer is full; or it holds the last frames of the stream.
        case haveData
        /// The source had no more for now. The buffer holds what could be made, maybe nothing.
        case inputRanDry
        /// The stream has ended, and all its frames have been handed over before. The buffer is empty.
        case endOfStream
        /// The buffer holds what was made before.
        case error(ConversionError)
    }

    /// Of what is fed.
    public let inputFormat: StreamFormat
    /// Of what comes out.
    public let outputFormat: StreamFormat
    /// Which input channel goes to which output channel, and by how much.
    public let matrix: ChannelMatrix
    /// How many frames of the input must have come after one until the output's frame of that time comes out; 0 where
    /// nothing is resampled. Counted at the input's rate, at the ratio of the two rates: a ratio below 1 that falls further
    /// makes it longer in proportion. Of `best`, which works in large steps, only of the first frame.
    public let latencyFrames: Int

    /// Of the output's rate to the input's. See `setRatio`.
    public private(set) var ratio: Double

    /// Samples that were beyond full scale of an integer or G.711 format, in this stream.
    public private(set) var clippedSamples = 0
    /// Samples that came in as no number and became silence, in this stream.
    public private(set) var nonFiniteSamples = 0
    /// Frames that have been taken from the source and converted, or wait to be, in this stream.
    public private(set) var takenFrames = 0
    /// Frames that were handed over, in this stream.
    public private(set) var madeFrames = 0

    /// At the most so many frames go through at once, whatever the buffers' sizes.
    private static let blockFrames = Resampler.blockFrames
    private static let pushedFrames = 1024

    private let isResampling: Bool
    private let variesRatio: Bool
    private let isMixing: Bool
    /// The fewer channels are resampled.
    private let mixesFirst: Bool
    private var resampler: Resampler?
    private var dither: DitherGenerator?
    private var block: [Double]
    private var mixed: [Double]
    /// What the source has given, from a frame on.
    private var held: PCMBuffer?
    private var heldStart = 0
    private var hasEnded = false
    private var failure: ConversionError?
    /// What `push` hands out.
    private var pushed: PCMBuffer?

    /// - Throws: `unsupportedRate`, `unsupportedChannels`; `resampler` without memory.
    public init(
        from inputFormat: StreamFormat, to outputFormat: StreamFormat, _ settings: ConverterSettings = .init()
    ) throws(ConversionError) {
        try settings.check(inputFormat, outputFormat)
        let isResampling = settings.resamples(inputFormat, outputFormat)
        let ratio = Double(outputFormat.sampleRate) / Double(inputFormat.sampleRate)
        var resampler =
            try isResampling
            ? Resampler(
                quality: settings.quality, channels: min(inputFormat.channels, outputFormat.channels),
                from: inputFormat.sampleRate, to: outputFormat.sampleRate, variesRatio: settings.variesRatio)
            : nil
        latencyFrames = resampler?.latencyFrames ?? 0
        self.resampler = resampler.take()
        self.ratio = ratio
        self.isResampling = isResampling
        self.inputFormat = inputFormat
        self.outputFormat = outputFormat
        let matrix = settings.matrix ?? ChannelMatrix(from: inputFormat.channels, to: outputFormat.channels)
        self.matrix = matrix
        variesRatio = settings.variesRatio
        isMixing = !matrix.isIdentity
        mixesFirst = outputFormat.channels <= inputFormat.channels
        let isExact =
            !isResampling && matrix.isWhole && outputFormat.sampleFormat.holds(inputFormat.sampleFormat)
        dither = outputFormat.sampleFormat.integerBits.flatMap { bits in
            guard !isExact, settings.dither != .none else { return nil }
            return DitherGenerator(
                settings.dither, seed: settings.ditherSeed, bits: bits, channels: outputFormat.channels,
                sampleRate: outputFormat.sampleRate)
        }
        let samples = Self.blockFrames * max(inputFormat.channels, outputFormat.channels)
        block = [Double](repeating: 0, count: samples)
        mixed = [Double](repeating: 0, count: isMixing ? samples : 0)
    }

    /// Whether one rate can be converted to the other, both in hertz: they may differ by a factor of 256.
    public static func canConvert(from inputRate: Int, to outputRate: Int) -> Bool {
        guard inputRate > 0, outputRate > 0 else { return false }
        return inputRate == outputRate || SampleRateHandle.isPossible(Double(outputRate) / Double(inputRate))
    }

    /// How many frames come of `frames`: `round(frames · ratio)`, where the ratio is not varied.
    public func outputFrames(of frames: Int) -> Int {
        let (input, output) = (UInt128(inputFormat.sampleRate), UInt128(outputFormat.sampleRate))
        return Int(clamping: (2 * UInt128(max(0, frames)) * output + input) / (2 * input))
    }

    /// Changes the ratio from the next frame on that is made, without a step: it gets there within 256 frames. Needs
    /// `ConverterSettings.variesRatio`. The length of the stream is then right to a frame.
    ///
    /// - Throws: `unsupportedRate` where the ratio is not within 1/256…256, or cannot vary.
    public mutating func setRatio(_ ratio: Double) throws(ConversionError) {
        guard variesRatio, SampleRateHandle.isPossible(ratio) else {
            throw ConversionError(.unsupportedRate, "a ratio of \(ratio) is out of range, or the ratio cannot vary")
        }
        resampler?.slide(to: ratio)
        self.ratio = ratio
    }

    /// Begins another stream: with the same input it gives the same again.
    public mutating func reset() {
        resampler?.reset()
        ratio = Double(outputFormat.sampleRate) / Double(inputFormat.sampleRate)
        dither?.reset()
        held = nil
        heldStart = 0
        hasEnded = false
        failure = nil
        (clippedSamples, nonFiniteSamples, takenFrames, madeFrames) = (0, 0, 0, 0)
    }
}

// Pull and push.
extension StreamConverter {
    /// Fills a buffer with the next frames, from what `source` hands over when it is asked.
    ///
    /// - Parameters:
    ///   - output: as many frames as it has room for are asked for; `frames` says how many came.
    ///   - source: asked as often as needed, but not while frames of its last buffer are left: these wait for the next call.
    ///     Where it throws nothing is lost: `output` holds what was made before.
    public mutating func convert<Failure: Error>(
        into output: inout PCMBuffer, from source: () throws(Failure) -> Input
    ) throws(Failure) -> Status {
        output.frames = 0
        guard output.format == outputFormat else {
            return .error(ConversionError(.wrongBuffer, "the output's buffer has another format"))
        }
        while output.frames < output.capacityFrames {
            if let failure { return .error(failure) }
            if step(&output) { continue }
            if let failure { return .error(failure) }
            if hasEnded { return output.frames > 0 ? .haveData : .endOfStream }
            switch try source() {
            case .data(let buffer):
                guard buffer.format == inputFormat else {
                    return .error(ConversionError(.wrongBuffer, "the source's buffer has another format"))
                }
                guard buffer.frames > 0 else { return .inputRanDry }
                held = buffer
                heldStart = 0
                takenFrames += buffer.frames
            case .noDataNow: return .inputRanDry
            case .endOfStream: hasEnded = true
            }
        }
        return hasEnded && output.capacityFrames == 0 && isComplete() ? .endOfStream : .haveData
    }

    /// Takes a buffer, and hands all over that can be made of it, in blocks of up to 1024 frames. Where `sink` throws, the
    /// rest of the buffer is dropped: begin another stream with `reset`.
    ///
    /// - Returns: `inputRanDry`; `endOfStream` after `finish`; `error`.
    @discardableResult
    public mutating func push<Failure: Error>(
        _ buffer: PCMBuffer, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) -> Status {
        try drain(.data(buffer), to: sink)
    }

    /// Ends the stream, and hands over what was held back.
    ///
    /// - Returns: `endOfStream`, or `error`.
    @discardableResult
    public mutating func finish<Failure: Error>(
        to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) -> Status {
        try drain(.endOfStream, to: sink)
    }

    private mutating func drain<Failure: Error>(
        _ input: Input, to sink: (PCMBuffer) throws(Failure) -> Void
    ) throws(Failure) -> Status {
        var given: Input? = input
        var block = pushed.take() ?? PCMBuffer(outputFormat, capacityFrames: Self.pushedFrames)
        defer { pushed = block }
        while true {
            let status = convert(into: &block) { () throws(Never) -> Input in given.take() ?? .noDataNow }
            if block.frames > 0 { try sink(block) }
            if status != .haveData { return status }
        }
    }
}

// One block.
extension StreamConverter {
    /// Whether all frames of the stream have been handed over.
    private mutating func isComplete() -> Bool { hasEnded && held == nil && restFrames() == 0 }

    /// How many frames are due after the end.
    private mutating func restFrames() -> Int {
        resampler?.restFrames(ofTaken: takenFrames) ?? outputFrames(of: takenFrames) - madeFrames
    }

    /// Moves one block on; `false` where the source must be asked first, or there is no more.
    private mutating func step(_ output: inout PCMBuffer) -> Bool {
        guard isResampling else { return stepThrough(&output) }
        var room = min(output.capacityFrames - output.frames, Self.blockFrames)
        if hasEnded && held == nil { room = min(room, restFrames()) }
        guard room > 0 else { return false }
        do throws(ConversionError) {
            let made = try resampler?.read(room) ?? 0
            if made > 0 {
                resampler?.take(made, into: &block)
                if isMixing && !mixesFirst { mix(made) }
                write(made, to: &output)
                return true
            }
        } catch {
            failure = error
            return false
        }
        guard resampler?.isDry ?? true else { return true }
        if let count = readHeld(Self.blockFrames) {
            if isMixing && mixesFirst { mix(count) }
            resampler?.write(count, block)
            return true
        }
        guard hasEnded else { return false }
        // The silence after the stream, until its last frame is out.
        resampler?.write(Self.blockFrames, nil)
        return true
    }

    private mutating func stepThrough(_ output: inout PCMBuffer) -> Bool {
        guard let count = readHeld(min(output.capacityFrames - output.frames, Self.blockFrames)) else { return false }
        if isMixing { mix(count) }
        write(count, to: &output)
        return true
    }

    /// Decodes up to `room` frames of what the source gave into `block`; `nil` where there is nothing.
    private mutating func readHeld(_ room: Int) -> Int? {
        guard let buffer = held else { return nil }
        let count = min(room, buffer.frames - heldStart)
        nonFiniteSamples += buffer.decode(count, from: heldStart, into: &block)
        heldStart += count
        // Let go at once, so that the source can write to it without a copy.
        if heldStart == buffer.frames { held = nil }
        return count
    }

    private mutating func mix(_ frames: Int) {
        matrix.mix(frames, of: block, into: &mixed)
        swap(&block, &mixed)
    }

    private mutating func write(_ frames: Int, to output: inout PCMBuffer) {
        dither?.apply(frames, to: &block)
        let start = output.frames
        output.frames = start + frames
        clippedSamples += output.encode(frames, at: start, from: block)
        madeFrames += frames
    }
}
