import CSampleRate

/// A signal at another sample rate than its own.
///
/// libsamplerate's best converter (−150 dB THD+N, −143 dB of aliases); it takes its own delay out. A looped file is
/// one endless signal to it, so that the seam is filtered like any other place.
package final class RateConverter: Signal {
    private var signal: any Signal
    /// As an error names it.
    private let name: String
    private let handle: SampleRateHandle

    private static let inputFrames = 1024
    private var input: [Float]
    private var inputStart = 0
    private var inputCount = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - inputRate: of the signal, in hertz.
    ///   - name: as an error names the signal.
    /// - Throws: `badInput` where the ratio of the rates is out of libsamplerate's range, `io` without memory.
    init(
        _ signal: sending any Signal, from inputRate: Int, to outputRate: Int, name: String
    ) throws(RecordingError) {
        try Self.check(from: inputRate, to: outputRate, name: name)
        let channels = signal.channels
        do throws(SampleRateHandle.Refusal) {
            handle = try SampleRateHandle(
                quality: SRC_SINC_BEST_QUALITY, channels: channels, ratio: Double(outputRate) / Double(inputRate))
        } catch {
            throw Self.failure(name, error)
        }
        self.name = name
        input = [Float](repeating: 0, count: Self.inputFrames * channels)
        self.signal = signal
    }

    package var channels: Int { signal.channels }

    package func read(_ frames: Int, into target: inout [Float]) throws(RecordingError) -> Int {
        while true {
            if inputCount == 0 && !isAtEnd {
                inputCount = try signal.read(Self.inputFrames, into: &input)
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
            throw Self.failure(name, error)
        }
    }

    static func check(from inputRate: Int, to outputRate: Int, name: String) throws(RecordingError) {
        guard !SampleRateHandle.isPossible(Double(outputRate) / Double(inputRate)) else { return }
        throw RecordingError(
            .badInput, "play", name,
            "its sample rate is \(inputRate) hertz and the server's \(outputRate); convert it to that")
    }

    private static func failure(_ name: String, _ refusal: SampleRateHandle.Refusal) -> RecordingError {
        RecordingError(
            .io, "play", name, "its sample rate cannot be converted (libsamplerate: \(refusal.words))")
    }
}
