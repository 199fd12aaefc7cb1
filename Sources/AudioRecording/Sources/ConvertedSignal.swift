import AudioFiles

/// A signal at another sample rate than its own, mixed down, or both.
///
/// By the best converter. A looped file is one endless signal to it, so that the seam is filtered like any
/// other place; and so is what follows something else without a gap, where it knows what that is.
final class ConvertedSignal: Signal {
    private var signal: any Signal
    /// As an error names it.
    private let name: String
    private var converter: StreamConverter

    private static let blockFrames = 1024
    private var block: [Float]
    private var input: PCMBuffer
    private var output: PCMBuffer
    /// Frames of `output` that are still to be read.
    private var unread = 0..<0
    private(set) var isDry = false
    private let surroundings: Surroundings
    private var hasBegun = false
    private var hasEnded = false
    /// Frames that have come of the signal itself.
    private var signalFrames = 0
    /// Frames that have gone out, with those that were left out as the surroundings'.
    private var madeFrames = 0

    /// What is heard right before and behind a signal, at its rate, interleaved: the filter sees it in the place of silence.
    struct Surroundings {
        var before: [Float] = []
        var behind: [Float] = []

        /// So many frames reach further than any filter.
        static let frames = 8192

        /// So many frames before a signal that they become a whole number, or none where there is no such number.
        static func framesBefore(from inputRate: Int, to outputRate: Int) -> Int {
            var (one, other) = (inputRate, outputRate)
            while other > 0 { (one, other) = (other, one % other) }
            let step = inputRate / max(1, one)
            return step <= frames ? frames / step * step : 0
        }
    }

    /// - Parameters:
    ///   - inputRate: of the signal, in hertz.
    ///   - downMix: `nil` where it keeps its channels.
    ///   - name: as an error names the signal.
    ///   - surroundings: `before` of as many frames as `framesBefore` says, or none.
    /// - Throws: `badInput` where the ratio of the rates is out of range, `io` without memory.
    init(
        _ signal: sending any Signal, from inputRate: Int, to outputRate: Int, _ downMix: ChannelMatrix?, name: String,
        _ surroundings: Surroundings
    ) throws(SoundFileError) {
        self.surroundings = surroundings
        try Self.check(from: inputRate, to: outputRate, name: name)
        let inputFormat = StreamFormat(sampleRate: inputRate, channels: signal.channels)
        let outputFormat = StreamFormat(
            sampleRate: outputRate, channels: downMix?.outputs ?? inputFormat.channels)
        do throws(ConversionError) {
            converter = try StreamConverter(from: inputFormat, to: outputFormat, ConverterSettings(matrix: downMix))
        } catch {
            throw Self.failure(name, error)
        }
        self.name = name
        block = [Float](repeating: 0, count: Self.blockFrames * inputFormat.channels)
        input = PCMBuffer(inputFormat, capacityFrames: Self.blockFrames)
        output = PCMBuffer(outputFormat, capacityFrames: Self.blockFrames)
        self.signal = signal
    }

    var channels: Int { output.format.channels }
    var flaws: [SoundFileFlaw] { signal.flaws }

    func read(_ frames: Int, into target: inout [Float]) throws(SoundFileError) -> Int {
        while unread.isEmpty {
            switch try converter.convert(into: &output, from: next) {
            case .error(let error): throw Self.failure(name, error)
            case .inputRanDry, .haveData, .endOfStream: break
            }
            isDry = output.frames == 0 && !hasEnded
            guard output.frames > 0 else { return 0 }
            // What belongs to the surroundings is not heard here.
            let first = converter.outputFrames(of: surroundings.before.count / converter.inputFormat.channels)
            let end = hasEnded ? first + converter.outputFrames(of: signalFrames) : Int.max
            let lower = max(0, min(output.frames, first - madeFrames))
            unread = lower..<max(lower, min(output.frames, end - madeFrames))
            madeFrames += output.frames
            if madeFrames >= end && unread.isEmpty { return 0 }
        }
        let count = min(frames, unread.count)
        let start = unread.lowerBound * channels
        output.withSamples(of: Float.self) { samples in
            for index in 0..<count * channels { target[index] = samples[start + index] }
        }
        unread = (unread.lowerBound + count)..<unread.upperBound
        return count
    }

    private func next() throws(SoundFileError) -> StreamConverter.Input {
        if !hasBegun {
            hasBegun = true
            if !surroundings.before.isEmpty { return .data(PCMBuffer(input.format, surroundings.before)) }
        }
        if hasEnded { return .endOfStream }
        input.frames = try signal.read(Self.blockFrames, into: &block)
        signalFrames += input.frames
        guard input.frames > 0 else {
            if signal.isDry { return .noDataNow }
            hasEnded = true
            return surroundings.behind.isEmpty ? .endOfStream : .data(PCMBuffer(input.format, surroundings.behind))
        }
        input.withMutableSamples(of: Float.self) { samples in
            for index in samples.indices { samples[index] = block[index] }
        }
        return .data(input)
    }

    static func check(from inputRate: Int, to outputRate: Int, name: String) throws(SoundFileError) {
        guard !StreamConverter.canConvert(from: inputRate, to: outputRate) else { return }
        throw SoundFileError(
            .badInput, "play", name,
            "its sample rate is \(inputRate) hertz and the server's \(outputRate); convert it to that")
    }

    private static func failure(_ name: String, _ error: ConversionError) -> SoundFileError {
        SoundFileError(.io, "play", name, error.reason)
    }
}

/// A signal as a player of so many channels takes it.
func adapted(
    _ signal: sending any Signal, from inputRate: Int, to outputRate: Int, channels: Int, name: String,
    _ surroundings: ConvertedSignal.Surroundings = ConvertedSignal.Surroundings()
) throws(SoundFileError) -> sending any Signal {
    let downMix = ChannelMatrix.down(from: signal.channels, to: channels)
    guard inputRate != outputRate || downMix != nil else { return signal }
    return try ConvertedSignal(signal, from: inputRate, to: outputRate, downMix, name: name, surroundings)
}

extension ChannelMatrix {
    /// How a source with more channels than there are inputs is heard on them; `nil` where each channel has an input of
    /// its own.
    static func down(from channels: Int, to inputs: Int) -> ChannelMatrix? {
        channels > inputs && inputs >= 1 ? ChannelMatrix(from: channels, to: inputs) : nil
    }
}
