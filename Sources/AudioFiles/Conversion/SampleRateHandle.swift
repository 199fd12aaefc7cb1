import CSampleRate

/// A converter of libsamplerate's: the only place that touches it.
///
/// `@unchecked Sendable`: all of a converter's state is behind its handle, which only this value has, and which cannot be
/// copied; its calls take place where the value is.
@safe struct SampleRateHandle: ~Copyable, @unchecked Sendable {
    private let state: OpaquePointer
    private let channels: Int

    /// - Parameter quality: as `SRC_SINC_BEST_QUALITY`.
    init(quality: Int, channels: Int) throws(ConversionError) {
        var status: CInt = 0
        // SAFETY: closed in `deinit`.
        guard let state = unsafe src_new(CInt(quality), CInt(channels), &status) else { throw Self.failure(status) }
        unsafe self.state = state
        self.channels = channels
    }

    deinit { _ = unsafe src_delete(state) }

    /// libsamplerate takes NaN for valid.
    static func isPossible(_ ratio: Double) -> Bool { ratio.isFinite && src_is_valid_ratio(ratio) != 0 }

    /// Converts interleaved frames; returns how many it took, and how many it made.
    ///
    /// - Parameters:
    ///   - start: the first frame of `input` that is taken.
    ///   - room: how many frames `output` holds.
    ///   - ratio: of the output's rate to the input's, reached at the end of `room`.
    mutating func convert(
        _ frames: Int, of input: [Float], from start: Int, into output: inout [Float], room: Int, ratio: Double
    ) throws(ConversionError) -> (used: Int, made: Int) {
        precondition(input.count >= (start + frames) * channels && output.count >= room * channels)
        let offset = start * channels
        let (status, used, made) = unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output -> (CInt, Int, Int) in
                // SAFETY: both arrays hold the frames that are announced here, as checked above, and live for the call.
                var data = unsafe SRC_DATA(
                    data_in: input.baseAddress.map { unsafe $0 + offset }, data_out: output.baseAddress,
                    input_frames: frames, output_frames: room, input_frames_used: 0, output_frames_gen: 0,
                    end_of_input: 0, src_ratio: ratio)
                let status = unsafe src_process(state, &data)
                return unsafe (status, data.input_frames_used, data.output_frames_gen)
            }
        }
        guard status == 0 else { throw Self.failure(status) }
        return (used, made)
    }

    /// Jumps to a ratio, which `convert` would slide to.
    mutating func setRatio(_ ratio: Double) { _ = unsafe src_set_ratio(state, ratio) }

    /// Begins another stream.
    mutating func reset() { unsafe src_reset(state) }

    private static func failure(_ status: CInt) -> ConversionError {
        // SAFETY: libsamplerate's messages are constants.
        let words = unsafe src_strerror(status).map { unsafe String(cString: $0) } ?? "it does not say why"
        return ConversionError(.resampler, "the sample rate cannot be converted (libsamplerate: \(words))")
    }
}
