import AudioDSP

/// The far end's past, and the place in it that is shortly before what the microphone hears: found and moved by who searches for
/// the delay, and moved on a little faster or slower than the near end where the clocks differ. Thread: one at a time.
struct FarLine: ~Copyable {
    private let step: Double
    private let channels: Int
    private var past: Past
    /// The frame that goes into the resampler next.
    private var next = 0
    private var resampler: VariableResampler
    /// Whether the place has ever moved at another pace than the near end, at the same sample rate.
    private var isConverting: Bool

    /// - Parameters:
    ///   - step: frames of the far end for one of the library's.
    ///   - capacity: how far back it can be read, in frames.
    init(channels: Int, step: Double, capacity: Int) {
        self.channels = channels
        self.step = step
        past = Past(channels: channels, capacity: capacity)
        resampler = VariableResampler(channels: channels, step: step)
        isConverting = step != 1
    }

    mutating func append(_ planes: [[Float]]) { past.append(planes) }

    /// Sets the place to so many frames before frame `number`.
    mutating func move(to frames: Int, before number: Int) { next = number - max(0, frames) }

    /// How far behind frame `number` the place is.
    func delay(before number: Int) -> Int { number - next }

    /// Takes frames of the library's rate, channel behind channel.
    ///
    /// - Parameter drift: how much faster than the near end the place moves.
    mutating func take(_ frames: Int, drift: Double, into target: inout [Float]) {
        if !isConverting {
            guard drift != 0 else { return copy(frames, into: &target) }
            prime()
        }
        next += resampler.convert(
            frames, channels: channels, step: step * (1 + drift), into: &target
        ) { [past, next] in past.sample($0, next + $1) }
    }

    /// As late as the resampler would be, bit for bit.
    private mutating func copy(_ frames: Int, into target: inout [Float]) {
        let first = next - resampler.halfFrames - 1
        for channel in 0..<channels {
            for frame in 0..<frames { target[channel * frames + frame] = past.sample(channel, first + frame) }
        }
        next += frames
    }

    /// Gives the resampler what it would have heard.
    private mutating func prime() {
        isConverting = true
        let count = 2 * resampler.halfFrames
        for channel in 0..<channels {
            let input = resampler.room(channel, from: 0, count: count)
            for frame in 0..<count { input[frame] = past.sample(channel, next - count + frame) }
        }
        resampler.advance(by: count, step: 1)
    }
}

/// What was appended last.
private struct Past {
    private var history: [[Float]]
    private let mask: Int
    /// Frames that were appended.
    private var written = 0

    /// - Parameter capacity: how far back it can be read, in frames.
    init(channels: Int, capacity: Int) {
        var slots = 1
        while slots < capacity { slots *= 2 }
        mask = slots - 1
        history = [[Float]](repeating: [Float](repeating: 0, count: slots), count: channels)
    }

    mutating func append(_ planes: [[Float]]) {
        let count = planes[0].count
        for channel in history.indices {
            for frame in 0..<count { history[channel][(written + frame) & mask] = planes[channel][frame] }
        }
        written += count
    }

    /// Silence where nothing was heard yet, or where it is forgotten.
    func sample(_ channel: Int, _ number: Int) -> Float {
        let isThere = number >= 0 && number < written && number > written - mask
        return isThere ? history[channel][number & mask] : 0
    }
}
