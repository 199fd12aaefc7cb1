import CSampleRate

/// A file at another sample rate than its own.
///
/// libsamplerate's best converter (−150 dB THD+N, −143 dB of aliases); it takes its own delay out. A looped file is
/// one endless signal to it, so that the seam is filtered like any other place.
package final class RateConverter: Signal {
    private let file: SoundFileReader
    private let handle: SampleRateHandle

    private static let inputFrames = 1024
    private var input: [Float]
    private var inputStart = 0
    private var inputCount = 0
    private var isAtEnd = false

    /// - Throws: `badInput` where the ratio of the rates is out of libsamplerate's range, `io` without memory.
    init(_ file: sending SoundFileReader, outputRate: Int) throws(RecordingError) {
        try Self.check(file, outputRate: outputRate)
        do throws(SampleRateHandle.Refusal) {
            handle = try SampleRateHandle(
                quality: SRC_SINC_BEST_QUALITY, channels: file.channels, ratio: Self.ratio(file, outputRate))
        } catch {
            throw Self.failure(file, error)
        }
        input = [Float](repeating: 0, count: Self.inputFrames * file.channels)
        self.file = file
    }

    package var channels: Int { file.channels }

    package func read(_ frames: Int, into target: inout [Float]) throws(RecordingError) -> Int {
        while true {
            if inputCount == 0 && !isAtEnd {
                inputCount = try file.read(Self.inputFrames, into: &input)
                inputStart = 0
                isAtEnd = inputCount == 0
            }
            let (used, made) = try convert(frames, into: &target)
            inputStart += used
            inputCount -= used
            if made > 0 || isAtEnd { return made }
        }
    }

    private func convert(
        _ frames: Int, into target: inout [Float]
    ) throws(RecordingError) -> (used: Int, made: Int) {
        do throws(SampleRateHandle.Refusal) {
            return try handle.convert(
                inputCount, of: input, from: inputStart, into: &target, room: frames, isEnd: isAtEnd)
        } catch {
            throw Self.failure(file, error)
        }
    }

    private static func ratio(_ file: SoundFileReader, _ outputRate: Int) -> Double {
        Double(outputRate) / Double(file.sampleRate)
    }

    static func check(_ file: SoundFileReader, outputRate: Int) throws(RecordingError) {
        guard !SampleRateHandle.isPossible(ratio(file, outputRate)) else { return }
        throw RecordingError(
            .badInput, "play", file.path,
            "its sample rate is \(file.sampleRate) hertz and the server's \(outputRate); convert it to that")
    }

    private static func failure(_ file: SoundFileReader, _ refusal: SampleRateHandle.Refusal) -> RecordingError {
        RecordingError(
            .io, "play", file.path, "its sample rate cannot be converted (libsamplerate: \(refusal.words))")
    }
}
