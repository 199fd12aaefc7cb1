import AudioDSP

/// A signal on its way from one sample rate to another. At the same rate it passes bit for bit, and where it is to be as late as what
/// is converted, it is delayed by as much. Thread: one at a time.
struct RateLine: ~Copyable {
    private let step: Double
    private let channels: Int
    private var waiting: [[Float]]
    private var resampler: VariableResampler?
    /// Frames that went into the converter.
    private(set) var consumed = 0
    /// Frames that stay in it.
    private let heldFrames: Int

    /// - Parameters:
    ///   - step: frames before for one behind.
    ///   - isDelayed: as much at the same rate as between two.
    init(channels: Int, step: Double, isDelayed: Bool = false) {
        self.channels = channels
        self.step = step
        heldFrames = step == 1 && isDelayed ? VariableResampler.delayFrames(step: step) : 0
        resampler = step == 1 ? nil : VariableResampler(channels: channels, step: step)
        let silence = [Float](repeating: 0, count: heldFrames)
        waiting = [[Float]](repeating: silence, count: channels)
    }

    mutating func append(_ planes: [[Float]]) {
        for channel in 0..<channels { waiting[channel].append(contentsOf: planes[channel]) }
    }

    /// How many frames could be taken; perhaps one less than there are.
    var available: Int {
        guard step != 1 else { return waiting[0].count - heldFrames }
        return max(0, Int((Double(waiting[0].count) - 1) / step))
    }

    /// Takes frames that are available, channel behind channel.
    mutating func take(_ frames: Int, into target: inout [Float]) {
        guard resampler != nil else {
            for channel in 0..<channels {
                for frame in 0..<frames { target[channel * frames + frame] = waiting[channel][frame] }
                waiting[channel].removeFirst(frames)
            }
            consumed += frames
            return
        }
        let used = resampler!.convert(frames, channels: channels, step: step, into: &target) { [waiting] in
            waiting[$0][$1]
        }
        for channel in 0..<channels { waiting[channel].removeFirst(used) }
        consumed += used
    }
}

extension VariableResampler {
    /// Makes frames, channel behind channel; returns how many of the input that took.
    ///
    /// - Parameter sample: the input of a channel, counted from what was taken last.
    mutating func convert(
        _ frames: Int, channels: Int, step: Double, into target: inout [Float], from sample: (Int, Int) -> Float
    ) -> Int {
        precondition(target.count >= channels * frames)
        var (start, used) = (0, 0)
        while start < frames {
            let count = min(Self.sliceFrames, frames - start)
            let wanted = wanted(for: count, step: step)
            for channel in 0..<channels {
                let input = room(channel, from: 0, count: wanted)
                for frame in 0..<wanted { input[frame] = sample(channel, used + frame) }
                unsafe target.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    // SAFETY: the target has so many frames of each channel.
                    render(channel, into: unsafe Samples(base + channel * frames + start, count: count), step: step)
                }
            }
            advance(by: count, step: step)
            start += count
            used += wanted
        }
        return used
    }
}
