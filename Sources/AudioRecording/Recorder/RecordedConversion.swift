import AudioFiles

/// What is recorded, as its files have it: at their rate, of their channels, and with dither where their integers cannot
/// hold what comes. It comes in blocks of any length, and each yields what can be known.
///
/// By libsamplerate's medium converter, where nothing else is asked for: it is fast enough beside everything else, and holds
/// back 2.9 ms until more comes or the stream ends.
final class RecordedConversion {
    /// In hertz, of what comes in.
    let inputRate: Int
    private var converter: StreamConverter

    /// - Parameters:
    ///   - format: of what comes in.
    ///   - file: where it goes.
    /// - Throws: `io` where the converter cannot do it.
    init(from format: StreamFormat, to file: RecordingFile, _ settings: RecordingSettings) throws(SoundFileError) {
        inputRate = format.sampleRate
        var output = file.exactFormat
        let dither = settings.dither(for: file.fileFormat.encoding)
        // The writer rounds by itself.
        if dither == .none { output.sampleFormat = .float32 }
        do throws(ConversionError) {
            converter = try StreamConverter(
                from: format, to: output,
                ConverterSettings(
                    quality: settings.quality, dither: dither, matrix: settings.matrix))
        } catch {
            throw Self.failure(file.path, error)
        }
    }

    /// Frames that come out yet of those that have gone in.
    var heldFrames: Int { converter.outputFrames(of: converter.takenFrames) - converter.madeFrames }

    /// Takes a block, and hands over what comes of it.
    func push(
        _ block: PCMBuffer, path: String, to sink: (PCMBuffer) throws(SoundFileError) -> Void
    ) throws(SoundFileError) {
        if case .error(let error) = try converter.push(block, to: sink) { throw Self.failure(path, error) }
    }

    /// The end of the stream, or of a part of it: hands over what was held back, so that as much went out as came in, to
    /// the nearest frame.
    func flush(path: String, to sink: (PCMBuffer) throws(SoundFileError) -> Void) throws(SoundFileError) {
        defer { converter.reset() }
        if case .error(let error) = try converter.finish(to: sink) { throw Self.failure(path, error) }
    }

    private static func failure(_ path: String, _ error: ConversionError) -> SoundFileError {
        SoundFileError(.io, RecordingFile.operation, path, "\(error.reason); split the recording")
    }
}
