import CSampleRate

/// A stream at another sample rate than the file's: it comes in blocks of any length, and each yields what can be known.
///
/// libsamplerate's medium converter (−151 dB THD+N, −117 dB of aliases), which is fast enough beside everything else. It
/// takes its own delay out, and holds back 2.9 ms until more comes or the stream ends.
@safe final class StreamConverter {
    /// In hertz, of what comes in.
    let inputRate: Int
    private let ratio: Double
    private let channels: Int
    private let state: OpaquePointer
    private var takenFrames = 0
    private var madeFrames = 0
    private var output: [Float] = []

    private static let roomFrames = 4096

    /// - Throws: `io` where libsamplerate does not do it.
    init(from inputRate: Int, to outputRate: Int, channels: Int, path: String) throws(RecordingError) {
        self.inputRate = inputRate
        self.channels = channels
        ratio = Double(outputRate) / Double(inputRate)
        var status: CInt = 0
        // SAFETY: closed in `deinit`.
        guard let state = unsafe src_new(CInt(SRC_SINC_MEDIUM_QUALITY), CInt(channels), &status) else {
            throw Self.failure(path, status)
        }
        unsafe self.state = state
    }

    deinit { _ = unsafe src_delete(state) }

    /// Takes a block, interleaved, and hands over what comes of it.
    func push(
        _ frames: Int, of block: [Float], path: String, to sink: (Int, [Float]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        precondition(block.count >= frames * channels)
        takenFrames += frames
        try convert(frames, of: block, isEnd: false, path: path, to: sink)
    }

    /// The end of the stream, or of a part of it: hands over what was held back, so that as much went out as came in, to
    /// the nearest frame.
    func flush(path: String, to sink: (Int, [Float]) throws(RecordingError) -> Void) throws(RecordingError) {
        try convert(0, of: [], isEnd: true, path: path, to: sink)
        let missing = wantedFrames - madeFrames
        if missing > 0 {
            madeFrames += missing
            try sink(missing, [Float](repeating: 0, count: missing * channels))
        }
        unsafe src_reset(state)
    }

    private var wantedFrames: Int { Int((Double(takenFrames) * ratio).rounded()) }

    private func convert(
        _ frames: Int, of block: [Float], isEnd: Bool, path: String,
        to sink: (Int, [Float]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var used = 0
        while true {
            let (status, taken, made) = step(frames - used, of: block, from: used, isEnd: isEnd)
            guard status == 0 else { throw Self.failure(path, status) }
            used += taken
            // Never more than is due, however libsamplerate rounds.
            let kept = min(made, max(0, wantedFrames - madeFrames))
            madeFrames += kept
            if kept > 0 { try sink(kept, output) }
            // Where it neither takes nor makes anything it never will.
            if (used >= frames && made < Self.roomFrames) || taken + made == 0 { return }
        }
    }

    private func step(
        _ frames: Int, of block: [Float], from start: Int, isEnd: Bool
    ) -> (status: CInt, used: Int, made: Int) {
        if output.isEmpty { output = [Float](repeating: 0, count: Self.roomFrames * channels) }
        let offset = start * channels
        return unsafe block.withUnsafeBufferPointer { block in
            unsafe output.withUnsafeMutableBufferPointer { output in
                // SAFETY: both arrays hold the frames that are announced here, and live for the call.
                var data = unsafe SRC_DATA(
                    data_in: block.baseAddress.map { unsafe $0 + offset }, data_out: output.baseAddress,
                    input_frames: frames, output_frames: Self.roomFrames, input_frames_used: 0,
                    output_frames_gen: 0, end_of_input: isEnd ? 1 : 0, src_ratio: ratio)
                let status = unsafe src_process(state, &data)
                return unsafe (status, data.input_frames_used, data.output_frames_gen)
            }
        }
    }

    private static func failure(_ path: String, _ status: CInt) -> RecordingError {
        // SAFETY: libsamplerate's messages are constants.
        let said = unsafe src_strerror(status).map { unsafe String(cString: $0) } ?? "it does not say why"
        return RecordingError(
            .io, "record to", path, "the sample rate cannot be converted (libsamplerate: \(said)); split the recording")
    }
}
