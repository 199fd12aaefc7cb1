import CSoxr

/// A converter of libsoxr's: the only place that touches it.
///
/// Better than libsamplerate's best and several times as fast, but it works in steps of thousands of frames: a call may take
/// long, and nothing comes out for a while. That is for files, not for what is heard at once. At first it allocates as its
/// queues grow.
///
/// `@unchecked Sendable`: all of a converter's state is behind its handle, which only this value has, and which cannot be
/// copied; its calls take place where the value is.
@safe struct SoxrHandle: ~Copyable, @unchecked Sendable {
    /// Up to here, of half of the lower rate, the response is flat; libsoxr's own choice is 0.913. With it the −3 dB point is
    /// that of libsamplerate's best, 0.961, at the same noise and rejection, and the same cost.
    private static let passBandEnd = 0.93

    private let state: soxr_t
    private let channels: Int

    /// Of very high quality: 28 bits, linear phase.
    ///
    /// - Parameters:
    ///   - inputRate, outputRate: in hertz.
    init(from inputRate: Int, to outputRate: Int, channels: Int) throws(ConversionError) {
        var failure: soxr_error_t?
        var samples = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = unsafe soxr_quality_spec(UInt(SOXR_28_BITQ), 0)
        unsafe quality.passband_end = Self.passBandEnd
        var threads = unsafe soxr_runtime_spec(1)
        // SAFETY: the specifications are read during the call; closed in `deinit`.
        let made = unsafe soxr_create(
            Double(inputRate), Double(outputRate), UInt32(channels), &failure, &samples, &quality, &threads)
        guard let state = unsafe made else { throw unsafe Self.failure(failure) }
        unsafe self.state = state
        self.channels = channels
    }

    deinit { unsafe soxr_delete(state) }

    /// Converts interleaved frames; returns how many it took, and how many it made.
    ///
    /// - Parameters:
    ///   - start: the first frame of `input` that is taken.
    ///   - room: how many frames `output` holds.
    mutating func convert(
        _ frames: Int, of input: [Float], from start: Int, into output: inout [Float], room: Int
    ) throws(ConversionError) -> (used: Int, made: Int) {
        precondition(input.count >= (start + frames) * channels && output.count >= room * channels)
        let offset = start * channels
        var (used, made) = (0, 0)
        let failure = unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                // SAFETY: both arrays hold the frames that are announced here, as checked above, and live for the call.
                unsafe soxr_process(
                    state, input.baseAddress.map { unsafe UnsafeRawPointer($0 + offset) }, frames, &used,
                    output.baseAddress.map { UnsafeMutableRawPointer($0) }, room, &made)
            }
        }
        if unsafe failure != nil { throw unsafe Self.failure(failure) }
        return (used, made)
    }

    /// Begins another stream.
    mutating func reset() { _ = unsafe soxr_clear(state) }

    @unsafe private static func failure(_ error: soxr_error_t?) -> ConversionError {
        // SAFETY: libsoxr's messages are constants.
        let words = unsafe error.map { unsafe String(cString: $0) } ?? "it does not say why"
        return ConversionError(.resampler, "the sample rate cannot be converted (libsoxr: \(words))")
    }
}
