import CSampleRate

/// A converter of libsamplerate's: the only place that touches it.
@safe struct SampleRateHandle: ~Copyable {
    private let state: OpaquePointer
    private let channels: Int
    private let ratio: Double

    /// What libsamplerate says where it does not do it.
    struct Refusal: Error {
        let words: String

        fileprivate init(_ status: CInt) {
            // SAFETY: libsamplerate's messages are constants.
            words = unsafe src_strerror(status).map { unsafe String(cString: $0) } ?? "it does not say why"
        }
    }

    /// - Parameters:
    ///   - quality: as `SRC_SINC_BEST_QUALITY`.
    ///   - ratio: of the output's rate to the input's.
    init(quality: Int, channels: Int, ratio: Double) throws(Refusal) {
        var status: CInt = 0
        // SAFETY: closed in `deinit`.
        guard let state = unsafe src_new(CInt(quality), CInt(channels), &status) else { throw Refusal(status) }
        unsafe self.state = state
        self.channels = channels
        self.ratio = ratio
    }

    deinit { _ = unsafe src_delete(state) }

    static func isPossible(_ ratio: Double) -> Bool { src_is_valid_ratio(ratio) != 0 }

    /// Converts interleaved frames; returns how many it took, and how many it made.
    ///
    /// - Parameters:
    ///   - start: the first frame of `input` that is taken.
    ///   - room: how many frames `output` holds.
    ///   - isEnd: whether nothing comes after them.
    func convert(
        _ frames: Int, of input: [Float], from start: Int, into output: inout [Float], room: Int, isEnd: Bool
    ) throws(Refusal) -> (used: Int, made: Int) {
        precondition(input.count >= (start + frames) * channels && output.count >= room * channels)
        let offset = start * channels
        let (status, used, made) = unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output -> (CInt, Int, Int) in
                // SAFETY: both arrays hold the frames that are announced here, as checked above, and live for the call.
                var data = unsafe SRC_DATA(
                    data_in: input.baseAddress.map { unsafe $0 + offset }, data_out: output.baseAddress,
                    input_frames: frames, output_frames: room, input_frames_used: 0, output_frames_gen: 0,
                    end_of_input: isEnd ? 1 : 0, src_ratio: ratio)
                let status = unsafe src_process(state, &data)
                return unsafe (status, data.input_frames_used, data.output_frames_gen)
            }
        }
        guard status == 0 else { throw Refusal(status) }
        return (used, made)
    }

    /// Begins another stream.
    func reset() { unsafe src_reset(state) }
}
