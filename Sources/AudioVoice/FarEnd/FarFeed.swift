import AudioRealtime

/// What a tap heard of the far end, by the time at which it was rendered. Thread: one, the worker.
final class FarFeed: @unchecked Sendable {
    // Sendable: handed over once, to the worker's side, and touched under the driver's lock.

    private var reader: TapReader
    let channels: Int
    private var waiting: [[Float]]
    /// JACK's frame clock at the first of the frames that wait.
    private var time: UInt32 = 0
    private var block: [Float] = []
    /// How long something may be missing to be silence in between, in frames.
    private static let longestHole = 1 << 16
    /// How much is kept while nobody takes it, in frames.
    private static let capacity = 1 << 17

    init(_ reader: consuming TapReader) {
        channels = reader.channels
        waiting = [[Float]](repeating: [], count: channels)
        self.reader = reader
    }

    private var count: Int { waiting[0].count }

    /// Whether it has all up to a time, but perhaps what is missing for good.
    func covers(_ end: UInt32) -> Bool {
        gather()
        return count > 0 && Int32(bitPattern: (time &+ UInt32(count)) &- end) >= 0
    }

    /// Takes frames from a time on; missing frames are silence.
    ///
    /// - Parameter missing: counts what is not there.
    func take(_ frames: Int, from start: UInt32, missing: inout UInt64) -> [[Float]] {
        gather()
        let silence = [Float](repeating: 0, count: frames)
        var result = [[Float]](repeating: silence, count: channels)
        var offset = Int(Int32(bitPattern: start &- time))
        if offset > 0 {
            drop(min(offset, count))
            offset = Int(Int32(bitPattern: start &- time))
        }
        let first = min(frames, max(0, -offset))
        let taken = offset > 0 ? 0 : min(frames - first, count)
        for channel in 0..<channels {
            for frame in 0..<taken { result[channel][first + frame] = waiting[channel][frame] }
        }
        missing += UInt64(frames - taken)
        drop(taken)
        return result
    }

    private func drop(_ frames: Int) {
        for channel in 0..<channels { waiting[channel].removeFirst(frames) }
        time &+= UInt32(frames)
    }

    /// Takes over what the tap has heard: now and then, while nobody takes it too.
    func gather() {
        while let description = reader.readBlock(interleavedInto: &block) {
            let frames = Int(description.frames)
            let hole = Int(Int32(bitPattern: description.frameTime &- (time &+ UInt32(count))))
            if count == 0 || hole < 0 || hole > Self.longestHole {
                for channel in 0..<channels { waiting[channel].removeAll(keepingCapacity: true) }
                time = description.frameTime
            } else if hole > 0 {
                for channel in 0..<channels { waiting[channel] += [Float](repeating: 0, count: hole) }
            }
            for channel in 0..<channels {
                for frame in 0..<frames { waiting[channel].append(block[frame * channels + channel]) }
            }
            if count > Self.capacity { drop(count / 2) }
        }
    }
}
