import AudioDSP

/// A signal on its way from one sample rate to another. At the same rate it passes bit for bit, and where it is to be as late as what
/// is converted, it is delayed by as much. Thread: one at a time.
struct RateLine: ~Copyable {
    private let step: Double
    private let channels: Int
    private var waiting: [[Float]]
    private var resampler: VariableResampler?
    private var room: [Float]
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
        heldFrames = step == 1 && isDelayed ? Self.delayFrames(step: step) : 0
        resampler = step == 1 ? nil : VariableResampler(channels: channels, step: step)
        let silence = [Float](repeating: 0, count: heldFrames)
        waiting = [[Float]](repeating: silence, count: channels)
        room = [Float](repeating: 0, count: VariableResampler.sliceFrames)
    }

    /// How much later the sound leaves a converter than it came, in frames before.
    static func delayFrames(step: Double) -> Int { 32 * Int(max(1, step).rounded(.up)) + 1 }

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
        var start = 0
        var used = 0
        while start < frames {
            let count = min(VariableResampler.sliceFrames, frames - start)
            used += convert(count, from: used, into: &target, start, of: frames)
            start += count
        }
        for channel in 0..<channels { waiting[channel].removeFirst(used) }
        consumed += used
    }

    private mutating func convert(
        _ count: Int, from used: Int, into target: inout [Float], _ start: Int, of frames: Int
    ) -> Int {
        let wanted = resampler!.wanted(for: count, step: step)
        for channel in 0..<channels {
            let input = resampler!.room(channel, from: 0, count: wanted)
            for frame in 0..<wanted { input[frame] = waiting[channel][used + frame] }
            unsafe room.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                // SAFETY: `room` holds a slice.
                resampler!.render(channel, into: unsafe Samples(base, count: count), step: step)
            }
            for frame in 0..<count { target[channel * frames + start + frame] = room[frame] }
        }
        resampler!.advance(by: count, step: step)
        return wanted
    }
}
