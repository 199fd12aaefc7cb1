/// Straight lines between frames. libsamplerate's own lags one frame, and its last bits depend on the length of blocks.
struct LinearInterpolator {
    private let channels: Int
    /// The frame before the next one that is made, or at it.
    private var previous: [Float]
    private var hasPrevious = false
    /// How far behind `previous` the next one is, in frames of the input.
    private var phase = 0.0

    init(channels: Int) {
        self.channels = channels
        previous = [Float](repeating: 0, count: channels)
    }

    mutating func reset() {
        hasPrevious = false
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
            made += 1
        }
        return (used, made)
    }
}
