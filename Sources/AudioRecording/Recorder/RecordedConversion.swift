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

    /// - Throws: `io` where libsamplerate does not do it.
    init(from inputRate: Int, to outputRate: Int, channels: Int, path: String) throws(SoundFileError) {
        self.inputRate = inputRate
        format = StreamFormat(sampleRate: inputRate, channels: channels)
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
        let input = PCMBuffer(format, Array(block[..<(frames * format.channels)]))
        let status = try converter.push(input) { (made) throws(SoundFileError) in
            try sink(made.frames, made.samples(of: Float.self))
        }
        if case .error(let error) = status { throw Self.failure(path, error) }
    }

    /// The end of the stream, or of a part of it: hands over what was held back, so that as much went out as came in, to
    /// the nearest frame.
    func flush(path: String, to sink: (Int, [Float]) throws(SoundFileError) -> Void) throws(SoundFileError) {
        defer { converter.reset() }
        let status = try converter.finish { (made) throws(SoundFileError) in
            try sink(made.frames, made.samples(of: Float.self))
        }
        if case .error(let error) = status { throw Self.failure(path, error) }
    }

    private static func failure(_ path: String, _ error: ConversionError) -> SoundFileError {
        SoundFileError(.io, "record to", path, "\(error.reason); split the recording")
    }
}
