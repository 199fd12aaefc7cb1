import CSampleRate

/// A stream at another sample rate than the file's: it comes in blocks of any length, and each yields what can be known.
///
/// libsamplerate's medium converter (−151 dB THD+N, −117 dB of aliases), which is fast enough beside everything else. It
/// takes its own delay out, and holds back 2.9 ms until more comes or the stream ends.
final class StreamConverter {
    /// In hertz, of what comes in.
    let inputRate: Int
    private let ratio: Double
    private let channels: Int
    private let handle: SampleRateHandle
    private var takenFrames = 0
    private var madeFrames = 0
    private var output: [Float] = []

    private static let roomFrames = 4096

    /// - Throws: `io` where libsamplerate does not do it.
    init(from inputRate: Int, to outputRate: Int, channels: Int, path: String) throws(RecordingError) {
        self.inputRate = inputRate
        self.channels = channels
        ratio = Double(outputRate) / Double(inputRate)
        do throws(SampleRateHandle.Refusal) {
            handle = try SampleRateHandle(quality: SRC_SINC_MEDIUM_QUALITY, channels: channels, ratio: ratio)
        } catch {
            throw Self.failure(path, error)
        }
    }

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
        handle.reset()
    }

    private var wantedFrames: Int { Int((Double(takenFrames) * ratio).rounded()) }

    private func convert(
        _ frames: Int, of block: [Float], isEnd: Bool, path: String,
        to sink: (Int, [Float]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var used = 0
        while true {
            let (taken, made) = try step(frames - used, of: block, from: used, isEnd: isEnd, path: path)
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
        _ frames: Int, of block: [Float], from start: Int, isEnd: Bool, path: String
    ) throws(RecordingError) -> (used: Int, made: Int) {
        if output.isEmpty { output = [Float](repeating: 0, count: Self.roomFrames * channels) }
        do throws(SampleRateHandle.Refusal) {
            return try handle.convert(
                frames, of: block, from: start, into: &output, room: Self.roomFrames, isEnd: isEnd)
        } catch {
            throw Self.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ refusal: SampleRateHandle.Refusal) -> RecordingError {
        RecordingError(
            .io, "record to", path,
            "the sample rate cannot be converted (libsamplerate: \(refusal.words)); split the recording")
    }
}
