import AudioFiles

/// A signal at another sample rate than its own, mixed down, or both.
///
/// By the best converter. A looped file is one endless signal to it, so that the seam is filtered like any
/// other place.
final class ConvertedSignal: Signal {
    private var signal: any Signal
    /// As an error names it.
    private let name: String
    private var converter: StreamConverter

    private static let blockFrames = 1024
    private var block: [Float]
    private var input: PCMBuffer
    private var output: PCMBuffer
    /// How many frames of `output` have been read.
    private var readFrames = 0
    private(set) var isDry = false

    /// - Parameters:
    ///   - inputRate: of the signal, in hertz.
    ///   - downMix: `nil` where it keeps its channels.
    ///   - name: as an error names the signal.
    /// - Throws: `badInput` where the ratio of the rates is out of range, `io` without memory.
    init(
        _ signal: sending any Signal, from inputRate: Int, to outputRate: Int, _ downMix: ChannelMatrix?, name: String
    ) throws(SoundFileError) {
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
        if readFrames == output.frames {
            readFrames = 0
            switch try converter.convert(into: &output, from: next) {
            case .error(let error): throw Self.failure(name, error)
            case .inputRanDry: isDry = output.frames == 0
            case .haveData, .endOfStream: isDry = false
            }
        }
        let count = min(frames, output.frames - readFrames)
        let start = readFrames * channels
        output.withSamples(of: Float.self) { samples in
            for index in 0..<count * channels { target[index] = samples[start + index] }
        }
        readFrames += count
        return count
    }

    private func next() throws(SoundFileError) -> StreamConverter.Input {
        input.frames = try signal.read(Self.blockFrames, into: &block)
        guard input.frames > 0 else { return signal.isDry ? .noDataNow : .endOfStream }
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

/// A signal as a player takes it.
func adapted(
    _ signal: sending any Signal, from inputRate: Int, to outputRate: Int, _ downMix: ChannelMatrix?, name: String
) throws(SoundFileError) -> sending any Signal {
    guard inputRate != outputRate || downMix != nil else { return signal }
    return try ConvertedSignal(signal, from: inputRate, to: outputRate, downMix, name: name)
}

extension ChannelMatrix {
    /// How a source with more channels than there are inputs is heard on them; `nil` where each channel has an input of
    /// its own.
    static func down(from channels: Int, to inputs: Int) -> ChannelMatrix? {
        channels > inputs && inputs >= 1 ? ChannelMatrix(from: channels, to: inputs) : nil
    }
}
