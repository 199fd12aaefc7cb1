import CSampleRate

/// A file at another sample rate than its own.
///
/// libsamplerate's best converter (−150 dB THD+N, −143 dB of aliases); it takes its own delay out. A looped file is
/// one endless signal to it, so that the seam is filtered like any other place.
@safe package final class RateConverter: Signal {
    private let file: SoundFileReader
    private let ratio: Double
    private let state: OpaquePointer

    private static let inputFrames = 1024
    private var input: [Float]
    private var inputStart = 0
    private var inputCount = 0
    private var isAtEnd = false

    /// - Throws: `badInput` where the ratio of the rates is out of libsamplerate's range, `io` without memory.
    init(_ file: sending SoundFileReader, outputRate: Int) throws(RecordingError) {
        try Self.check(file, outputRate: outputRate)
        ratio = Self.ratio(file, outputRate)
        var status: CInt = 0
        let quality = CInt(SRC_SINC_BEST_QUALITY)
        // SAFETY: closed in `deinit`.
        guard let state = unsafe src_new(quality, CInt(file.channels), &status) else {
            throw Self.failure(file, status)
        }
        unsafe self.state = state
        input = [Float](repeating: 0, count: Self.inputFrames * file.channels)
        self.file = file
    }

    deinit { _ = unsafe src_delete(state) }

    package var channels: Int { file.channels }

    package func read(_ frames: Int, into target: inout [Float]) throws(RecordingError) -> Int {
        while true {
            if inputCount == 0 && !isAtEnd {
                inputCount = try file.read(Self.inputFrames, into: &input)
                inputStart = 0
                isAtEnd = inputCount == 0
            }
            let (status, used, made) = convert(frames, into: &target)
            guard status == 0 else { throw Self.failure(file, status) }
            inputStart += used
            inputCount -= used
            if made > 0 || isAtEnd { return made }
        }
    }

    private func convert(_ frames: Int, into target: inout [Float]) -> (status: CInt, used: Int, made: Int) {
        let offset = inputStart * channels
        return unsafe input.withUnsafeBufferPointer { input in
            unsafe target.withUnsafeMutableBufferPointer { output in
                // SAFETY: both arrays hold the frames that are announced here, and live for the call.
                var data = unsafe SRC_DATA(
                    data_in: input.baseAddress.map { unsafe $0 + offset }, data_out: output.baseAddress,
                    input_frames: inputCount, output_frames: frames, input_frames_used: 0, output_frames_gen: 0,
                    end_of_input: isAtEnd ? 1 : 0, src_ratio: ratio)
                let status = unsafe src_process(state, &data)
                return unsafe (status, data.input_frames_used, data.output_frames_gen)
            }
        }
    }

    private static func ratio(_ file: SoundFileReader, _ outputRate: Int) -> Double {
        Double(outputRate) / Double(file.sampleRate)
    }

    static func check(_ file: SoundFileReader, outputRate: Int) throws(RecordingError) {
        guard src_is_valid_ratio(ratio(file, outputRate)) == 0 else { return }
        throw RecordingError(
            .badInput, "play", file.path,
            "its sample rate is \(file.sampleRate) hertz and the server's \(outputRate); convert it to that")
    }

    private static func failure(_ file: SoundFileReader, _ status: CInt) -> RecordingError {
        // SAFETY: libsamplerate's messages are constants.
        let said = unsafe src_strerror(status).map { unsafe String(cString: $0) } ?? "it does not say why"
        return RecordingError(.io, "play", file.path, "its sample rate cannot be converted (libsamplerate: \(said))")
    }
}
