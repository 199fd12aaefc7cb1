import AudioFiles

/// What is recorded, at the sample rate of its file: it comes in blocks of any length, and each yields what can be known.
///
/// By libsamplerate's medium converter, which is fast enough beside everything else. It holds back 2.9 ms until more comes
/// or the stream ends.
final class RecordedConversion {
    /// In hertz, of what comes in.
    let inputRate: Int
    private let format: StreamFormat
    private var converter: StreamConverter
    private var input: PCMBuffer
    private var output: [Float] = []

    /// - Throws: `io` where libsamplerate does not do it.
    init(from inputRate: Int, to outputRate: Int, channels: Int, path: String) throws(SoundFileError) {
        self.inputRate = inputRate
        format = StreamFormat(sampleRate: inputRate, channels: channels)
        input = PCMBuffer(format, capacityFrames: 0)
        do throws(ConversionError) {
            converter = try StreamConverter(
                from: format, to: StreamFormat(sampleRate: outputRate, channels: channels),
                ConverterSettings(quality: .medium))
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Takes a block, interleaved, and hands over what comes of it.
    func push(
        _ frames: Int, of block: [Float], path: String, to sink: (Int, [Float]) throws(SoundFileError) -> Void
    ) throws(SoundFileError) {
        precondition(block.count >= frames * format.channels)
        if input.capacityFrames < frames { input = PCMBuffer(format, capacityFrames: frames) }
        input.frames = frames
        input.withMutableSamples(of: Float.self) { samples in
            for index in samples.indices { samples[index] = block[index] }
        }
        let status = try converter.push(input) { (made) throws(SoundFileError) in try hand(made, to: sink) }
        if case .error(let error) = status { throw Self.failure(path, error) }
    }

    /// The end of the stream, or of a part of it: hands over what was held back, so that as much went out as came in, to
    /// the nearest frame.
    func flush(path: String, to sink: (Int, [Float]) throws(SoundFileError) -> Void) throws(SoundFileError) {
        defer { converter.reset() }
        let status = try converter.finish { (made) throws(SoundFileError) in try hand(made, to: sink) }
        if case .error(let error) = status { throw Self.failure(path, error) }
    }

    private func hand(
        _ buffer: PCMBuffer, to sink: (Int, [Float]) throws(SoundFileError) -> Void
    ) throws(SoundFileError) {
        if output.isEmpty {
            output = [Float](repeating: 0, count: buffer.capacityFrames * buffer.format.channels)
        }
        buffer.withSamples(of: Float.self) { samples in
            for index in samples.indices { output[index] = samples[index] }
        }
        try sink(buffer.frames, output)
    }

    private static func failure(_ path: String, _ error: ConversionError) -> SoundFileError {
        SoundFileError(.io, "record to", path, "\(error.reason); split the recording")
    }
}
