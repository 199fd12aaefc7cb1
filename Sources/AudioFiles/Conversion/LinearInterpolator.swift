/// Straight lines between frames. libsamplerate's own lags one frame, and its last bits depend on the length of blocks.
struct LinearInterpolator {
    private let channels: Int
    /// The frame before the next one that is made, or at it.
    private var previous: [Float]
    private var hasPrevious = false
    /// How far behind `previous` the next one is, in frames of the input.
    private var phase = 0.0
    /// The frame that was made last. In steps of more than two frames it waits for the next one: a stream that ends less than
    /// half a step behind it is rounded to the frames before.
    private var waiting: [Float]
    private var hasWaiting = false
    private let holdsBack: Bool

    /// - Parameter ratio: of the output's rate to the input's.
    init(channels: Int, ratio: Double) {
        self.channels = channels
        previous = [Float](repeating: 0, count: channels)
        waiting = previous
        holdsBack = ratio < 0.5
    }

    mutating func reset() {
        hasPrevious = false
        hasWaiting = false
        phase = 0
    }

    /// As `SampleRateHandle.convert`.
    ///
    /// - Parameter ratios: of the first frame, and of the one behind the last.
    mutating func convert(
        _ frames: Int, of input: [Float], from start: Int, into output: inout [Float], room: Int,
        ratios: (first: Double, last: Double)
    ) -> (used: Int, made: Int) {
        precondition(input.count >= (start + frames) * channels && output.count >= room * channels)
        var (used, made) = (0, 0)
        while made < room {
            while used < frames && (phase >= 1 || !hasPrevious) {
                for channel in 0..<channels { previous[channel] = input[(start + used) * channels + channel] }
                phase -= hasPrevious ? 1 : 0
                hasPrevious = true
                used += 1
            }
            guard used < frames else { break }
            let part = Float(phase)
            for channel in 0..<channels {
                let next = input[(start + used) * channels + channel]
                output[made * channels + channel] = previous[channel] + part * (next - previous[channel])
            }
            phase += 1 / (ratios.first + Double(made) * (ratios.last - ratios.first) / Double(room))
            if !holdsBack || exchange(with: &output, at: made) { made += 1 }
        }
        return (used, made)
    }

    /// Puts the frame that waits in the place of one that now waits; `false` where none has waited.
    private mutating func exchange(with output: inout [Float], at frame: Int) -> Bool {
        for channel in 0..<channels { swap(&output[frame * channels + channel], &waiting[channel]) }
        defer { hasWaiting = true }
        return hasWaiting
    }
}
